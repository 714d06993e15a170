// Named positions: radio buttons, a stepper that walks them, and a switch between two.

import { button, element, uniqueId } from "./dom.js";
import { Walk } from "./prev_next.js";

/** @typedef {import("./payload").Choice} Spec */
/** @typedef {import("./controller.js").Hand} Hand */

/** Named positions as native radio buttons; a stepper adds back and next. */
export class Choice {
  /**
   * @param {Spec} spec
   * @param {Hand} hand
   */
  constructor(spec, hand) {
    this.spec = spec;
    this.hand = hand;
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
    this.walk = spec.kind === "stepper" ? new Walk(this, hand) : null;
    if (this.walk) {
      list.prepend(this.walk.back);
      list.append(this.walk.next);
    }
  }

  /** @param {number} position */
  choose(position) {
    this.hand.set(this.spec.name, position);
    this.hand.settle();
  }

  draw() {
    this.inputs[this.hand.state.positions[this.spec.name]].checked = true;
    this.walk?.draw();
  }
}

/** A choice of two, as a button that names the other one. */
export class Switch {
  /**
   * @param {Spec} spec
   * @param {Hand} hand
   */
  constructor(spec, hand) {
    this.spec = spec;
    this.hand = hand;
    this.element = button("", () => {
      hand.set(spec.name, this.other);
      hand.settle();
    }, "switch");
  }

  get other() {
    return 1 - this.hand.state.positions[this.spec.name];
  }

  draw() {
    this.element.textContent = this.spec.labels[this.other];
  }
}
