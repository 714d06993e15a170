// A sentence or formula with live numbers.

import { element } from "./dom.js";
import { Template } from "./text.js";

/** View of a sentence. */
export class Readout {
  /**
   * @param {import("./payload").Readout} spec
   * @param {import("./controller.js").FigureController} controller
   */
  constructor(spec, controller) {
    this.spec = spec;
    this.controller = controller;
    this.element = element(spec.style === "finding" ? "h2" : "p", spec.style);
    this.template = new Template(this.element, spec.pieces, controller);
  }

  /** Show another text in the same element. @param {import("./payload").Readout} spec */
  update(spec) {
    this.spec = spec;
    this.element.className = spec.style;
    this.element.replaceChildren();
    this.template = new Template(this.element, spec.pieces, this.controller);
  }

  draw() {
    this.template.draw();
  }
}
