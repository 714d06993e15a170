// Fields of the parameters above a figure: a change loads another payload.

import { div, button, element, uniqueId } from "./dom.js";

/** @typedef {import("./payload").Parameter} Parameter */
/** @typedef {(values: Record<string, string>) => void} Change */

/** Return the value that a partial figure is completed with; "" where the reader chooses. @param {Parameter} spec */
export const fullValue = (spec) => (spec.kind === "pick" ? spec.then : "");

/** The parameter fields above a figure. */
export class Parameters {
  /** @param {Change} change */
  constructor(change) {
    this.change = change;
    this.element = div("parameters", []);
    /** Rejected texts: they stay in their fields to be corrected. @type {Record<string, string>} */
    this.drafts = {};
  }

  /**
   * Show fields for the parameters that the reader chooses.
   * @param {Parameter[]} specs
   * @param {Record<string, string>} [requested] requested values; those that differ from the shown ones were rejected
   */
  show(specs, requested = {}) {
    const texts = specs.filter(({ kind, name, value }) => kind === "written" && (requested[name] ?? value) !== value);
    this.drafts = Object.fromEntries(texts.map(({ name }) => [name, requested[name]]));
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

  /** Return a button that picks a random number. @param {import("./payload").IntParameter} spec */
  randomButton({ name, low, high, fresh }) {
    const draw = () => low + Math.floor(Math.random() * (high - low + 1));
    return button(fresh, () => this.change({ [name]: String(draw()) }));
  }
}

/** Return the input element of a parameter. @param {Parameter} spec */
function inputFor(spec) {
  if (spec.kind === "whole") return numberInput(spec);
  return spec.kind === "written" ? textInput() : selectInput(spec);
}

/** Return a select box. @param {import("./payload").EnumParameter | import("./payload").RunParameter} spec */
function selectInput(spec) {
  const select = element("select");
  for (const option of spec.options) select.append(new Option(option.label, option.value));
  return select;
}

/** Return an input for whole numbers. @param {import("./payload").IntParameter} spec */
function numberInput({ low, high }) {
  const input = element("input");
  Object.assign(input, { type: "number", min: String(low), max: String(high), step: "1" });
  input.style.setProperty("--letters", String(String(high).length));
  return input;
}

/** Without a maximum length: an error message says more than an input that stops. */
function textInput() {
  const input = element("input", "written");
  Object.assign(input, { type: "text", autocomplete: "off", dir: "auto" });
  return input;
}
