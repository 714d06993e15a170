// Small pictures in rows, one color a pixel, and below them the scale of the colors.

import { element } from "./dom.js";
import { number } from "./numbers.js";
import { Pixels, Scale } from "./pixels.js";
import { offset, slice, valueAt } from "./tensors.js";
import { Template, plain } from "./text.js";

const SCALE_STEPS = 101;

export class Pictures {
  /**
   * @param {import("./payload").Pictures} spec
   * @param {import("./controller.js").Hand} hand
   * @param {import("./drawing.js").Look} look
   */
  constructor(spec, hand, look) {
    this.spec = spec;
    this.hand = hand;
    this.look = look;
    this.tensor = hand.state.tensors[spec.values];
    const [, , height, width] = this.tensor.shape.slice(this.tensor.over.length);
    this.element = element("figure", "pictures");
    /** @type {Template[]} */
    this.templates = [];
    this.write("figcaption", spec.title, this.element);
    this.sheet = this.element.appendChild(element("div", "sheet"));
    this.sheet.setAttribute("role", "img");
    this.sheet.style.setProperty("--columns", String(spec.labels.length));
    this.sheet.classList.toggle("headed", this.isHeaded);
    /** Row by row. @type {Pixels[]} */
    this.drawn = [];
    for (const head of spec.heads) {
      if (this.isHeaded) this.write("span", head, this.sheet);
      for (const _ of spec.labels) this.drawn.push(new Pixels(this.sheet, width, height));
    }
    if (this.isHeaded) this.sheet.append(element("span"));
    for (const label of spec.labels) this.write("span", label, this.sheet);
    this.scale = this.key();
    /** The slice that is painted; -1 where there is none, or in other colors. */
    this.painted = -1;
    this.colors = new Scale((token) => look.color(token), spec.ink);
    this.paintScale();
  }

  /** Whether the rows have names. */
  get isHeaded() {
    return this.spec.heads.some((head) => head.length > 0);
  }

  /**
   * Text that follows the figure's state.
   * @param {"span" | "figcaption"} tag
   * @param {import("./payload").Pieces} pieces
   * @param {Element} parent
   */
  write(tag, pieces, parent) {
    this.templates.push(new Template(parent.appendChild(element(tag)), pieces, this.hand));
  }

  /** The scale of the colors, between the values at its ends. */
  key() {
    const { ink, reach } = this.spec;
    const key = this.element.appendChild(element("div", "key"));
    key.append(element("span", "", ink ? "0 or less" : `${number(-reach, "g3")} or less`));
    const scale = new Pixels(key, SCALE_STEPS, 1);
    key.append(element("span", "", `${number(reach, "g3")} or more`));
    return scale;
  }

  draw() {
    for (const template of this.templates) template.draw();
    this.sheet.setAttribute("aria-label", plain(this.spec.alt, this.hand));
    const { positions } = this.hand.state;
    const start = offset(this.tensor, positions);
    if (start === this.painted) return;
    this.painted = start;
    const size = this.tensor.count / this.drawn.length;
    this.drawn.forEach((pixels, picture) => {
      pixels.paint(this.colors, (i) => valueAt(this.tensor, start + picture * size + i) / this.spec.reach);
    });
  }

  /** Draws again in the colors of the theme that has come. */
  recolor() {
    this.colors = new Scale((token) => this.look.color(token), this.spec.ink);
    this.paintScale();
    this.painted = -1;
    this.draw();
  }

  paintScale() {
    const first = this.spec.ink ? 0 : -1;
    this.scale.paint(this.colors, (i) => first + ((1 - first) * i) / (SCALE_STEPS - 1));
  }

  /** The pixels drawn now, picture by picture. @returns {import("./csv.js").Row[]} */
  numbers() {
    const { spec, hand, drawn } = this;
    const values = slice(this.tensor, hand.state.positions, "");
    const size = values.length / drawn.length;
    const { width } = drawn[0].canvas;
    const names = spec.heads.flatMap((head) => spec.labels.map((label) => `${plain(head, hand)} ${plain(label, hand)}`.trim()));
    const rows = Array.from({ length: size }, (_, i) => [
      Math.floor(i / width) + 1,
      (i % width) + 1,
      ...drawn.map((_, picture) => values[picture * size + i]),
    ]);
    return [["row", "column", ...names], ...rows];
  }
}
