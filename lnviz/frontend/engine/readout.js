// A sentence or formula with live numbers.

import { element } from "./dom.js";
import { Template } from "./text.js";

export class Readout {
  /**
   * @param {import("./payload").Readout} spec
   * @param {import("./controller.js").Hand} hand
   */
  constructor(spec, hand) {
    this.spec = spec;
    this.hand = hand;
    this.element = element(spec.look === "finding" ? "h2" : "p", spec.look);
    this.template = new Template(this.element, spec.pieces, hand);
  }

  /** Says other words in the same place. @param {import("./payload").Readout} spec */
  renew(spec) {
    this.spec = spec;
    this.element.className = spec.look;
    this.element.replaceChildren();
    this.template = new Template(this.element, spec.pieces, this.hand);
  }

  draw() {
    this.template.draw();
  }
}
