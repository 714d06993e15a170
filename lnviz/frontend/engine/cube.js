// A block of cells in perspective, as SVG; the group of the pointed cell is filled.

import { element } from "./dom.js";
import { makeRotatable } from "./drag.js";
import { attachCellPointer } from "./pointing.js";
import { offset, valueAt } from "./tensors.js";
import { Template, plainText } from "./text.js";
import { svgElement } from "./thumbnail.js";

const MARGIN = 0.4; // around the block, for labels, in cells

/** View of a block of cells. */
export class Cube {
  /**
   * @param {import("./payload").Cube} spec
   * @param {import("./controller.js").FigureController} controller
   */
  constructor(spec, controller) {
    this.spec = spec;
    this.controller = controller;
    this.element = element("figure", "cube");
    this.title = new Template(this.element.appendChild(element("figcaption")), spec.title, controller);
    const [width, height] = spec.size;
    this.svg = this.element.appendChild(
      svgElement("svg", { viewBox: `${-MARGIN} ${-MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`, role: "img" }),
    );
    this.faces = spec.faces.map(({ cell }) => this.svg.appendChild(svgElement("polygon", { "data-index": cell })));
    /** The front face of the pointed cell, drawn over all others. */
    this.outline = this.svg.appendChild(svgElement("polygon", { class: "outline" }));
    this.axes = spec.axes.map(({ text, anchor }) => {
      const node = this.svg.appendChild(svgElement("text", { "text-anchor": anchor }));
      node.textContent = text;
      return node;
    });
    this.fronts = new Map(spec.faces.flatMap(({ cell, side, corners }) => (side === "front" ? [[cell, corners]] : [])));
    /** Offset of the drawn corners; -1 before the first drawing. */
    this.start = -1;
    /** Key of the drawn fill. */
    this.filled = "";
    makeRotatable(this.svg, controller, spec.turn);
    attachCellPointer(this.svg, controller, spec.pointer, (index) => index);
  }

  draw() {
    this.title.draw();
    this.svg.setAttribute("aria-label", plainText(this.spec.alt, this.controller));
    const { tensors, positions } = this.controller.state;
    const start = offset(tensors[this.spec.corners], positions);
    if (start !== this.start) this.rotate(start);
    this.fill();
  }

  /** @param {number} start offset of the corners */
  rotate(start) {
    this.start = start;
    const { spec } = this;
    spec.faces.forEach(({ corners }, i) => this.faces[i].setAttribute("points", this.points(corners)));
    this.outline.setAttribute("points", this.points(this.fronts.get(this.controller.state.positions[spec.pointer]) ?? []));
    spec.axes.forEach(({ corner, rising }, i) => {
      const [x, y] = this.cornerAt(corner);
      this.axes[i].setAttribute("transform", `translate(${x} ${y})${rising ? " rotate(-90)" : ""}`);
    });
  }

  /** @param {number[]} corners */
  points(corners) {
    return corners.map((corner) => this.cornerAt(corner).join()).join(" ");
  }

  /**
   * @param {number} corner
   * @returns {[number, number]}
   */
  cornerAt(corner) {
    const tensor = this.controller.state.tensors[this.spec.corners];
    return [valueAt(tensor, this.start + 2 * corner), valueAt(tensor, this.start + 2 * corner + 1)];
  }

  /** Fill the cells that share statistics with the pointed cell. */
  fill() {
    const { spec, controller } = this;
    const { tensors, positions, held } = controller.state;
    const pointed = positions[spec.pointer];
    const groups = tensors[spec.groups];
    const start = offset(groups, positions, spec.pointer);
    const filled = `${pointed} ${start} ${held.has(spec.pointer)}`;
    if (filled === this.filled) return;
    this.filled = filled;
    const group = valueAt(groups, start + pointed);
    spec.faces.forEach(({ cell, side }, i) => {
      const name = valueAt(groups, start + cell) === group ? `${side} member` : side;
      if (this.faces[i].getAttribute("class") !== name) this.faces[i].setAttribute("class", name);
    });
    this.outline.setAttribute("points", this.points(this.fronts.get(pointed) ?? []));
  }
}
