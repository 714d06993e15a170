// Controls with named positions: radio buttons, a stepper, and a switch between two.

import { button, element, setText, uniqueId } from "./dom.js";
import { PrevNextButtons } from "./prev_next.js";

/** @typedef {import("./payload").Choice} Spec */
/** @typedef {import("./controller.js").FigureController} FigureController */

/** Named positions as native radio buttons; a stepper adds previous and next. */
export class Choice {
  /**
   * @param {Spec} spec
   * @param {FigureController} controller
   */
  constructor(spec, controller) {
    this.spec = spec;
    this.controller = controller;
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
    this.prevNext = spec.kind === "stepper" ? new PrevNextButtons(this, controller) : null;
    if (this.prevNext) {
      list.prepend(this.prevNext.back);
      list.append(this.prevNext.next);
    }
  }

  /** @param {number} position */
  choose(position) {
    this.controller.set(this.spec.name, position);
    this.controller.settle();
  }

  draw() {
    this.inputs[this.controller.state.positions[this.spec.name]].checked = true;
    this.prevNext?.draw();
  }
}

/** A choice of two as a button that names the other one. */
export class Switch {
  /**
   * @param {Spec} spec
   * @param {FigureController} controller
   */
  constructor(spec, controller) {
    this.spec = spec;
    this.controller = controller;
    this.element = button("", () => {
      controller.set(spec.name, this.other);
      controller.settle();
    }, "switch");
  }

  get other() {
    return 1 - this.controller.state.positions[this.spec.name];
  }

  draw() {
    setText(this.element, this.spec.labels[this.other]);
  }
}
