// Small heat maps in rows, with a color legend below.

import { element } from "./dom.js";
import { formatNumber } from "./numbers.js";
import { Pixels, ColorScale } from "./pixels.js";
import { offset, slice, valueAt } from "./tensors.js";
import { Template, plainText } from "./text.js";

const SCALE_STEPS = 101;

/** View of small heat maps. */
export class Pictures {
  /**
   * @param {import("./payload").Pictures} spec
   * @param {import("./controller.js").FigureController} controller
   * @param {import("./figure_layout.js").ViewContext} context
   */
  constructor(spec, controller, context) {
    this.spec = spec;
    this.controller = controller;
    this.context = context;
    this.tensor = controller.state.tensors[spec.values];
    const [, , height, width] = this.tensor.shape.slice(this.tensor.over.length);
    this.element = element("figure", "pictures");
    /** @type {Template[]} */
    this.templates = [];
    this.addTemplate("figcaption", spec.title, this.element);
    this.sheet = this.element.appendChild(element("div", "sheet"));
    this.sheet.setAttribute("role", "img");
    this.sheet.style.setProperty("--columns", String(spec.labels.length));
    this.sheet.classList.toggle("headed", this.isHeaded);
    /** Row by row. @type {Pixels[]} */
    this.tiles = [];
    for (const head of spec.row_labels) {
      if (this.isHeaded) this.addTemplate("span", head, this.sheet);
      for (const _ of spec.labels) this.tiles.push(new Pixels(this.sheet, width, height));
    }
    if (this.isHeaded) this.sheet.append(element("span"));
    for (const label of spec.labels) this.addTemplate("span", label, this.sheet);
    this.scale = this.buildLegend();
    /** Offset of the painted slice; -1 if none, or after a color change. */
    this.painted = -1;
    this.colors = new ColorScale((token) => context.color(token), spec.ink);
    this.paintLegend();
  }

  /** Whether the rows have headings. */
  get isHeaded() {
    return this.spec.row_labels.some((head) => head.length > 0);
  }

  /**
   * Add text that follows the figure's state.
   * @param {"span" | "figcaption"} tag
   * @param {import("./payload").Pieces} pieces
   * @param {Element} parent
   */
  addTemplate(tag, pieces, parent) {
    this.templates.push(new Template(parent.appendChild(element(tag)), pieces, this.controller));
  }

  /** Add the color legend, with the values at its ends. */
  buildLegend() {
    const { ink, color_limit: limit } = this.spec;
    const key = this.element.appendChild(element("div", "key"));
    key.append(element("span", "", ink ? "0 or less" : `${formatNumber(-limit, "g3")} or less`));
    const scale = new Pixels(key, SCALE_STEPS, 1);
    key.append(element("span", "", `${formatNumber(limit, "g3")} or more`));
    return scale;
  }

  draw() {
    for (const template of this.templates) template.draw();
    this.sheet.setAttribute("aria-label", plainText(this.spec.alt, this.controller));
    const { positions } = this.controller.state;
    const start = offset(this.tensor, positions);
    if (start === this.painted) return;
    this.painted = start;
    const size = this.tensor.count / this.tiles.length;
    this.tiles.forEach((pixels, picture) => {
      pixels.paint(this.colors, (i) => valueAt(this.tensor, start + picture * size + i) / this.spec.color_limit);
    });
  }

  /** Redraw in the colors of the new theme. */
  recolor() {
    this.colors = new ColorScale((token) => this.context.color(token), this.spec.ink);
    this.paintLegend();
    this.painted = -1;
    this.draw();
  }

  paintLegend() {
    const first = this.spec.ink ? 0 : -1;
    this.scale.paint(this.colors, (i) => first + ((1 - first) * i) / (SCALE_STEPS - 1));
  }

  /** Return the pixels shown, picture by picture. @returns {import("./csv.js").Row[]} */
  numbers() {
    const { spec, controller, tiles } = this;
    const values = slice(this.tensor, controller.state.positions, "");
    const size = values.length / tiles.length;
    const { width } = tiles[0].canvas;
    const names = spec.row_labels.flatMap((head) => spec.labels.map((label) => `${plainText(head, controller)} ${plainText(label, controller)}`.trim()));
    const rows = Array.from({ length: size }, (_, i) => [
      Math.floor(i / width) + 1,
      (i % width) + 1,
      ...tiles.map((_, picture) => values[picture * size + i]),
    ]);
    return [["row", "column", ...names], ...rows];
  }
}
