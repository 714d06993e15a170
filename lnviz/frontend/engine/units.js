// A network, layer by layer: each unit as the small picture of what it says over a plane.

import { element } from "./dom.js";
import { Pixels, Scale } from "./pixels.js";
import { offset, valueAt } from "./tensors.js";
import { Template, plain } from "./text.js";
import { shape } from "./thumbnail.js";

export class Units {
  /**
   * @param {import("./payload").Units} spec
   * @param {import("./controller.js").Hand} hand
   * @param {import("./drawing.js").Look} look
   */
  constructor(spec, hand, look) {
    this.spec = spec;
    this.hand = hand;
    this.look = look;
    const { tensors } = hand.state;
    this.tensor = tensors[spec.values];
    const [most = 0, count = 0, height = 0, width = 0] = this.tensor.shape.slice(this.tensor.over.length);
    /** Of each layer. */
    this.count = count;
    this.size = { height, width };
    this.element = element("figure", "units");
    this.title = new Template(this.element.appendChild(element("figcaption")), spec.title, hand);
    this.net = this.element.appendChild(element("div", "net"));
    this.net.setAttribute("role", "img");
    this.net.style.setProperty("--units", String(this.count));
    this.wires = this.net.appendChild(shape("svg", { preserveAspectRatio: "none" }));
    this.colors = this.themed();
    this.inputs = this.enter(tensors[spec.inputs]);
    this.layers = Array.from({ length: most }, (_, layer) => this.layer(layer));
    /** The layers that are shown; 0 before the first time. */
    this.shown = 0;
    /** The slice that is painted; -1 where there is none, or in other colors. */
    this.painted = -1;
  }

  themed() {
    return new Scale((token) => this.look.color(token));
  }

  /** What comes in, as a column in the middle. @param {import("./tensors.js").Tensor} tensor */
  enter(tensor) {
    const [inputs, height, width] = tensor.shape;
    this.foot("in", 0);
    return Array.from({ length: inputs }, (_, i) => {
      const pixels = this.place(new Pixels(this.net, width, height), 0, i + (this.count - inputs) / 2);
      return { pixels, share: (/** @type {number} */ pixel) => valueAt(tensor, i * width * height + pixel) };
    });
  }

  /** A column of units, and what stands before them. @param {number} layer from 0 */
  layer(layer) {
    const bar = this.spec.norm.length ? [this.net.appendChild(element("i", "norm"))] : [];
    for (const node of bar) node.style.gridColumn = String(layer + 2);
    const units = Array.from({ length: this.count }, (_, unit) =>
      this.place(new Pixels(this.net, this.size.width, this.size.height), layer + 1, unit),
    );
    const foot = this.foot(String(layer + 1), layer + 1);
    return { units, all: [...bar, ...units.map(({ canvas }) => canvas), foot] };
  }

  /** @param {Pixels} pixels @param {number} column @param {number} row */
  place(pixels, column, row) {
    pixels.canvas.style.gridArea = `${row + 1} / ${column + 1}`;
    return pixels;
  }

  /** @param {string} text @param {number} column */
  foot(text, column) {
    const foot = this.net.appendChild(element("span", "", text));
    foot.style.gridArea = `${this.count + 1} / ${column + 1}`;
    return foot;
  }

  draw() {
    const { hand, spec } = this;
    this.title.draw();
    this.net.setAttribute("aria-label", plain(spec.alt, hand));
    const layers = hand.state.valueOf(spec.layers);
    if (layers !== this.shown) this.arrange(layers);
    const start = offset(this.tensor, hand.state.positions);
    if (start === this.painted) return;
    if (this.painted < 0) for (const { pixels, share } of this.inputs) pixels.paint(this.colors, share);
    this.painted = start;
    const size = this.size.width * this.size.height;
    this.layers.slice(0, layers).forEach(({ units }, layer) =>
      units.forEach((pixels, unit) => {
        const first = start + (layer * this.count + unit) * size;
        pixels.paint(this.colors, (pixel) => valueAt(this.tensor, first + pixel));
      }),
    );
  }

  /** Shows so many layers, joined. @param {number} layers */
  arrange(layers) {
    this.shown = layers;
    this.net.style.setProperty("--columns", String(layers + 1));
    this.layers.forEach(({ all }, layer) => all.forEach((node) => (node.hidden = layer >= layers)));
    this.wires.setAttribute("viewBox", `0 0 ${layers + 1} ${this.count}`);
    const rows = Array.from({ length: this.count }, (_, unit) => unit + 0.5);
    const entering = this.inputs.map((_, i) => i + (this.count - this.inputs.length + 1) / 2);
    const columns = [entering, ...Array.from({ length: layers }, () => rows)];
    const d = columns.flatMap((from, column) => {
      const to = columns[column + 1]?.map((y) => [column + 1.5, y]) ?? [[column + 1, this.count / 2]];
      return from.flatMap((y) => to.map((end) => `M${column + 0.5},${y}L${end}`));
    });
    this.wires.replaceChildren(shape("path", { d: d.join(""), "vector-effect": "non-scaling-stroke" }));
  }

  /** Draws again in the colors of the theme that has come. */
  recolor() {
    this.colors = this.themed();
    this.painted = -1;
    this.draw();
  }
}
