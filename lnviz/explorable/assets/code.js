// The figure's code at the present positions, folded away at first.

import { button, element } from "./dom.js";

export class Code {
  /** @param {import("./figure.js").Figure} figure */
  constructor(figure) {
    this.figure = figure;
    this.element = element("pre");
    this.element.tabIndex = 0;
    this.element.hidden = true;
    this.element.setAttribute("aria-label", "The code for this");
    this.toggle = button("The code for this", () => this.fold(!this.element.hidden));
    this.fold(true);
  }

  /** @param {boolean} hidden */
  fold(hidden) {
    this.element.hidden = hidden;
    this.toggle.setAttribute("aria-expanded", String(!hidden));
    this.draw();
  }

  draw() {
    if (this.element.hidden) return;
    const text = this.figure.state.code();
    if (this.element.textContent !== text) this.element.textContent = text;
  }
}
