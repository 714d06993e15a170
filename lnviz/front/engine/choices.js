// Named positions: radio buttons, a stepper that walks them, and a switch between two.

import { button, element, uniqueId } from "./dom.js";
import { Walk } from "./walk.js";

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
    this.walk = spec.kind === "stepper" ? new Walk(this, figure) : null;
    if (this.walk) {
      list.prepend(this.walk.back);
      list.append(this.walk.next);
    }
  }

  /** @param {number} position */
  choose(position) {
    this.figure.set(this.spec.name, position);
    this.figure.settle();
  }

  draw() {
    this.inputs[this.figure.state.positions[this.spec.name]].checked = true;
    this.walk?.draw();
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
