// A sentence or formula with live numbers.

import { element } from "./dom.js";
import { Template } from "./text.js";

export class Readout {
  /**
   * @param {import("./payload").Readout} spec
   * @param {import("./figure.js").Figure} figure
   */
  constructor(spec, figure) {
    this.spec = spec;
    this.figure = figure;
    this.element = element("p", spec.look);
    this.template = new Template(this.element, spec.pieces, figure);
  }

  /** Says other words in the same place. @param {import("./payload").Readout} spec */
  renew(spec) {
    this.spec = spec;
    this.element.className = spec.look;
    this.element.replaceChildren();
    this.template = new Template(this.element, spec.pieces, this.figure);
  }

  draw() {
    this.template.draw();
  }
}
