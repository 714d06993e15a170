// Small pictures in rows, one color a pixel, and below them the scale of the colors.

import { element } from "./dom.js";
import { number } from "./numbers.js";
import { offset, slice } from "./tensors.js";
import { Template, plain } from "./text.js";

/** @typedef {[number, number, number]} Color red, green and blue, from 0 to 255 */

const SCALE_STEPS = 101;

export class Pictures {
  /**
   * @param {import("./payload").Pictures} spec
   * @param {import("./hand.js").Hand} hand
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
    /** Row by row. @type {CanvasRenderingContext2D[]} */
    this.pens = [];
    for (const head of spec.heads) {
      if (this.isHeaded) this.write("span", head, this.sheet);
      for (const _ of spec.labels) this.pens.push(pen(this.sheet, width, height));
    }
    if (this.isHeaded) this.sheet.append(element("span"));
    for (const label of spec.labels) this.write("span", label, this.sheet);
    this.scale = this.key();
    /** The slice that is painted; -1 where there is none, or in other colors. */
    this.painted = -1;
    this.colors = this.themed();
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
    const scale = pen(key, SCALE_STEPS, 1);
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
    const values = slice(this.tensor, positions, "");
    const size = values.length / this.pens.length;
    this.pens.forEach((pen, i) => this.paint(pen, values.slice(i * size, (i + 1) * size)));
  }

  /** The theme's colors of 0 and of the ends of the scale. */
  themed() {
    const { ink } = this.spec;
    const [zero, low, high] = ["page", ink ? "page" : "cool", ink ? "ink" : "warm"].map((token) => channels(this.look.color(token)));
    return { zero, low, high };
  }

  /** Draws again in the colors of the theme that has come. */
  recolor() {
    this.colors = this.themed();
    this.paintScale();
    this.painted = -1;
    this.draw();
  }

  paintScale() {
    const { ink, reach } = this.spec;
    const first = ink ? 0 : -reach;
    this.paint(this.scale, Array.from({ length: SCALE_STEPS }, (_, i) => first + ((reach - first) * i) / (SCALE_STEPS - 1)));
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {number[]} values one a pixel, row by row
   */
  paint(pen, values) {
    const image = pen.createImageData(pen.canvas.width, pen.canvas.height);
    values.forEach((value, i) => {
      if (!Number.isNaN(value)) image.data.set([...this.color(value), 255], 4 * i);
    });
    pen.putImageData(image, 0, 0);
  }

  /** @param {number} value */
  color(value) {
    const share = Math.max(-1, Math.min(1, value / this.spec.reach));
    const { zero, low, high } = this.colors;
    const end = share < 0 ? low : high;
    return zero.map((channel, i) => channel + Math.abs(share) * (end[i] - channel));
  }

  /** The pixels drawn now, picture by picture. @returns {import("./csv.js").Row[]} */
  numbers() {
    const { spec, hand, pens } = this;
    const values = slice(this.tensor, hand.state.positions, "");
    const size = values.length / pens.length;
    const { width } = pens[0].canvas;
    const names = spec.heads.flatMap((head) => spec.labels.map((label) => `${plain(head, hand)} ${plain(label, hand)}`.trim()));
    const rows = Array.from({ length: size }, (_, i) => [
      Math.floor(i / width) + 1,
      (i % width) + 1,
      ...pens.map((_, picture) => values[picture * size + i]),
    ]);
    return [["row", "column", ...names], ...rows];
  }
}

/**
 * A canvas of so many pixels, which the style sheet makes larger.
 * @param {Element} parent
 * @param {number} width
 * @param {number} height
 */
function pen(parent, width, height) {
  const canvas = parent.appendChild(element("canvas"));
  [canvas.width, canvas.height] = [width, height];
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
}

/**
 * The channels of a color as the browser computes it.
 * @param {string} color
 * @returns {Color}
 */
function channels(color) {
  const [red, green, blue] = (color.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}
