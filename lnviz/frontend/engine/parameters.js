// What changes the computation: the figure is fetched anew.

import { div, button, element, uniqueId } from "./dom.js";

/** @typedef {import("./payload").Parameter} Parameter */
/** @typedef {(values: Record<string, string>) => void} Change */

/** The value to which a figure goes on by itself; "" where the reader chooses. @param {Parameter} spec */
export const fullValue = (spec) => (spec.kind === "pick" ? spec.then : "");

/** The parameters above a figure. */
export class Parameters {
  /** @param {Change} change */
  constructor(change) {
    this.change = change;
    this.element = div("parameters", []);
    /** Texts that were refused: they stay in their boxes, to be mended. @type {Record<string, string>} */
    this.drafts = {};
  }

  /**
   * Shows the values of those that the reader chooses.
   * @param {Parameter[]} specs
   * @param {Record<string, string>} [wanted] what has been asked for, in vain where it is another
   */
  show(specs, wanted = {}) {
    const texts = specs.filter(({ kind, name, value }) => kind === "written" && (wanted[name] ?? value) !== value);
    this.drafts = Object.fromEntries(texts.map(({ name }) => [name, wanted[name]]));
    this.element.replaceChildren(...specs.filter((spec) => !fullValue(spec)).map((spec) => this.buildField(spec)));
  }

  /** @param {Parameter} spec */
  buildField(spec) {
    const label = element("label", "", spec.label);
    const input = inputFor(spec);
    input.id = label.htmlFor = uniqueId();
    const draft = this.drafts[spec.name];
    input.value = draft ?? String(spec.value);
    if (draft !== undefined) input.ariaInvalid = "true";
    input.addEventListener("change", () => this.change({ [spec.name]: input.value }));
    const field = div("parameter", [label, input]);
    if (spec.kind === "whole" && spec.fresh) field.append(this.randomButton(spec));
    return field;
  }

  /** A button that draws another number. @param {import("./payload").IntParameter} spec */
  randomButton({ name, low, high, fresh }) {
    const draw = () => low + Math.floor(Math.random() * (high - low + 1));
    return button(fresh, () => this.change({ [name]: String(draw()) }));
  }
}

/** What a value is entered in. @param {Parameter} spec */
function inputFor(spec) {
  if (spec.kind === "whole") return numberInput(spec);
  return spec.kind === "written" ? textInput() : selectInput(spec);
}

/** @param {import("./payload").EnumParameter | import("./payload").RunParameter} spec */
function selectInput(spec) {
  const select = element("select");
  for (const option of spec.options) select.append(new Option(option.label, option.value));
  return select;
}

/** @param {import("./payload").IntParameter} spec */
function numberInput({ low, high }) {
  const input = element("input");
  Object.assign(input, { type: "number", min: String(low), max: String(high), step: "1" });
  input.style.setProperty("--letters", String(String(high).length));
  return input;
}

/** However long the text is: a refusal says more than a box that takes no more. */
function textInput() {
  const input = element("input", "written");
  Object.assign(input, { type: "text", autocomplete: "off", dir: "auto" });
  return input;
}
