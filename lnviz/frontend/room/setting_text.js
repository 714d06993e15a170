// A setting of a figure in the words of its controls.

/** @typedef {import("./room_connection.js").Value} Value */
/** @typedef {import("../engine/payload.js").Control} Control */
/** @typedef {Pick<import("../engine/payload.js").Payload, "controls" | "parameters">} Named a figure's controls */

/**
 * Return a setting in words, in the order of the controls: "OLMo 2, block 2, into the block". A control that is not
 * shown at the setting is left out; a number gets the name of its control.
 * @param {Value} value
 * @param {Named} figure
 */
export function describeSetting(value, { controls, parameters }) {
  if (typeof value !== "object") return String(value);
  const positions = new Map(controls.filter(({ slug }) => slug in value).map((control) => [control.name, positionOf(control, value[control.slug])]));
  const isShown = (/** @type {Control} */ control) =>
    control.kind !== "switch" &&
    Object.entries("when" in control ? control.when : {}).every(([name, allowed]) => allowed.includes(positions.get(name) ?? allowed[0]));
  const shown = controls.filter((control) => control.slug in value && isShown(control));
  const named = parameters.filter(({ name }) => name in value);
  const isAlone = shown.length + named.length === 1;
  const texts = [
    ...shown.map(({ name, slug, labels }) => withName(labels[positions.get(name) ?? -1] ?? value[slug], name, isAlone)),
    ...named.map((parameter) => {
      const { name, label } = parameter;
      const option = "options" in parameter && parameter.options.find((each) => each.value === value[name]);
      return option ? option.label : withName(value[name], label, isAlone);
    }),
  ];
  return texts.join(", ") || Object.values(value).join(", ");
}

/**
 * Return a control's position; -1 for none.
 * @param {Control} control
 * @param {string} text
 */
function positionOf(control, text) {
  if (control.kind !== "pointer") return control.values.findIndex((each) => String(each) === text);
  const [row, column] = text.split(".").map(Number);
  return (row - 1) * control.columns.length + column - 1;
}

/**
 * Return a label, after its control's name if it is a number among others.
 * @param {string} text
 * @param {string} name
 * @param {boolean} isAlone
 */
function withName(text, name, isAlone) {
  return isAlone || /[a-z]{2}/i.test(text) ? text : `${name} ${text}`;
}
