// A setting of a figure in the words of its controls.

import { positionsIn } from "../engine/address.js";

import { PHONE } from "./strings.js";

/** @typedef {import("./room_connection.js").Value} Value */
/** @typedef {import("../engine/payload.js").Control} Control */
/** @typedef {import("../engine/payload.js").Payload} Payload */
/** @typedef {Pick<Payload, "controls" | "parameters">} Named a figure's controls */

/**
 * Return a setting in words, in the order of the controls: "OLMo 2, block 2, into the block". A control that is not
 * shown at the setting is left out; a number gets the name of its control.
 * @param {Value} value
 * @param {Named | null} figure null while it is not loaded: the names of a setting's values are not known
 */
export function describeSetting(value, figure) {
  if (typeof value !== "object") return String(value);
  if (!figure) return PHONE.unnamed;
  const { controls, parameters } = figure;
  const positions = positionsIn(controls, new URLSearchParams(value));
  const isShown = (/** @type {Control} */ control) =>
    control.kind !== "switch" &&
    Object.entries("when" in control ? control.when : {}).every(([name, allowed]) => allowed.includes(positions[name] ?? allowed[0]));
  const shown = controls.filter((control) => control.slug in value && isShown(control));
  const named = parameters.filter(({ name }) => name in value);
  const isAlone = shown.length + named.length === 1;
  const texts = [
    ...shown.map(({ name, slug, labels }) => withName(labels[positions[name] ?? -1] ?? value[slug], name, isAlone)),
    ...named.map((parameter) => {
      const { name, label } = parameter;
      const option = "options" in parameter && parameter.options.find((each) => each.value === value[name]);
      return option ? option.label : withName(value[name], label, isAlone);
    }),
  ];
  return texts.join(", ") || Object.values(value).join(", ");
}

/**
 * Return the names, as in URLs, that are no part of a setting: parameters, which change what is computed, and sliders that
 * only turn a picture.
 * @param {Payload} payload of the figure
 */
export function namesOutsideSettings({ controls, parameters, views }) {
  const turns = views.flat().map((view) => ("turn" in view ? view.turn : ""));
  return [...parameters.map(({ name }) => name), ...controls.filter(({ name }) => turns.includes(name)).map(({ slug }) => slug)];
}

/**
 * Return a label, after its control's name if it is a number among others; "ε = 0" has its own.
 * @param {string} text
 * @param {string} name
 * @param {boolean} isAlone
 */
function withName(text, name, isAlone) {
  return isAlone || /[a-z]{2}|=/i.test(text) ? text : `${name} ${text}`;
}
