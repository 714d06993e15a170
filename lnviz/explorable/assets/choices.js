// Named positions: radio buttons, a stepper that walks them, and a switch between two.

import { button, element, uniqueId } from "./dom.js";

/** @typedef {import("./payload").Choice} Spec */
/** @typedef {import("./figure.js").Figure} Figure */

/** Named positions as native radio buttons; a stepper adds back and next. */
export class Choice {
  /**
   * @param {Spec} spec
   * @param {Figure} figure
   */
  constructor(spec, figure) {
    this.spec = spec;
    this.figure = figure;
    this.element = element("fieldset", spec.kind);
    const list = element("div", "options");
    this.element.append(element("legend", "", spec.name), list);
    const group = uniqueId();
    this.inputs = spec.labels.map((text, i) => {
      const label = list.appendChild(element("label"));
      label.style.setProperty("--ln-own", `var(--ln-${spec.colors[i]})`);
      const input = label.appendChild(element("input"));
      Object.assign(input, { type: "radio", name: group, value: spec.values[i] });
      input.addEventListener("change", () => this.choose(i));
      label.append(element("span", "", text));
      return input;
    });
    /** @type {HTMLButtonElement[]} */
    this.walk = [];
    if (spec.kind === "stepper") {
      const [back, next] = (this.walk = [this.walker("back", -1), this.walker("next", 1)]);
      list.prepend(back);
      list.append(next);
    }
  }

  /**
   * A button that goes one position further.
   * @param {string} text
   * @param {number} by
   */
  walker(text, by) {
    const { figure, spec } = this;
    const walker = button(text, () => {
      const to = figure.state.positions[spec.name] + by;
      if (to >= 0 && to < spec.values.length) this.choose(to);
    });
    walker.setAttribute("aria-label", `${text}: ${spec.name}`);
    return walker;
  }

  /** @param {number} position */
  choose(position) {
    this.figure.set(this.spec.name, position);
    this.figure.settle();
  }

  draw() {
    const position = this.figure.state.positions[this.spec.name];
    this.inputs[position].checked = true;
    // A disabled button would drop the keyboard's focus; these stay and say so.
    const ends = [0, this.inputs.length - 1];
    this.walk.forEach((walker, i) => walker.setAttribute("aria-disabled", String(position === ends[i])));
  }
}

/** A choice of two, as a button that names the other one. */
export class Switch {
  /**
   * @param {Spec} spec
   * @param {Figure} figure
   */
  constructor(spec, figure) {
    this.spec = spec;
    this.figure = figure;
    this.element = button("", () => {
      figure.set(spec.name, this.other);
      figure.settle();
    }, "switch");
  }

  get other() {
    return 1 - this.figure.state.positions[this.spec.name];
  }

  draw() {
    this.element.textContent = this.spec.labels[this.other];
  }
}
