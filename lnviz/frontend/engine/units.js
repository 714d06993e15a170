// A network, layer by layer: each unit as a heat map of its output over a plane.

import { element, setText } from "./dom.js";
import { Pixels, ColorScale } from "./pixels.js";
import { offset, valueAt } from "./tensors.js";
import { Template, plainText } from "./text.js";
import { svgElement } from "./thumbnail.js";

/** View of a network's units. */
export class Units {
  /**
   * @param {import("./payload").UnitMaps} spec
   * @param {import("./controller.js").FigureController} controller
   * @param {import("./figure_layout.js").ViewContext} context
   */
  constructor(spec, controller, context) {
    this.spec = spec;
    this.controller = controller;
    this.context = context;
    const { tensors } = controller.state;
    this.tensor = tensors[spec.values];
    const [most = 0, count = 0, height = 0, width = 0] = this.tensor.shape.slice(this.tensor.over.length);
    /** Units per layer. */
    this.count = count;
    this.size = { height, width };
    this.element = element("figure", "units");
    this.title = new Template(this.element.appendChild(element("figcaption")), spec.title, controller);
    this.net = this.element.appendChild(element("div", "net"));
    this.net.setAttribute("role", "img");
    this.net.style.setProperty("--units", String(this.count));
    this.wires = this.net.appendChild(svgElement("svg", { preserveAspectRatio: "none" }));
    this.colors = this.colorScale();
    this.inputs = this.buildInputs(tensors[spec.inputs]);
    this.layers = Array.from({ length: most }, (_, layer) => this.buildLayer(layer));
    /** The number of layers shown; 0 before the first drawing. */
    this.shown = 0;
    /** Offset of the painted slice; -1 if none, or after a color change. */
    this.painted = -1;
  }

  colorScale() {
    return new ColorScale((token) => this.context.color(token));
  }

  /** Add the inputs, as a vertically centered column. @param {import("./tensors.js").Tensor} tensor */
  buildInputs(tensor) {
    const [inputs, height, width] = tensor.shape;
    this.addLabel("in", 0);
    return Array.from({ length: inputs }, (_, i) => {
      const pixels = this.placeTile(new Pixels(this.net, width, height), 0, i + (this.count - inputs) / 2);
      return { pixels, share: (/** @type {number} */ pixel) => valueAt(tensor, i * width * height + pixel) };
    });
  }

  /** Add a column of units, and the norm before them. @param {number} layer from 0 */
  buildLayer(layer) {
    const bar = this.spec.norm.length ? [this.net.appendChild(element("i", "norm"))] : [];
    for (const node of bar) node.style.gridColumn = String(layer + 2);
    const units = Array.from({ length: this.count }, (_, unit) =>
      this.placeTile(new Pixels(this.net, this.size.width, this.size.height), layer + 1, unit),
    );
    const foot = this.addLabel("", layer + 1);
    return { units, foot, all: [...bar, ...units.map(({ canvas }) => canvas), foot] };
  }

  /** @param {Pixels} pixels @param {number} column @param {number} row */
  placeTile(pixels, column, row) {
    pixels.canvas.style.gridArea = `${row + 1} / ${column + 1}`;
    return pixels;
  }

  /** @param {string} text @param {number} column */
  addLabel(text, column) {
    const foot = this.net.appendChild(element("span", "", text));
    foot.style.gridArea = `${this.count + 1} / ${column + 1}`;
    return foot;
  }

  draw() {
    const { controller, spec } = this;
    this.title.draw();
    this.net.setAttribute("aria-label", plainText(spec.alt, controller));
    const layers = controller.state.valueOf(spec.layers);
    if (layers !== this.shown) this.showLayers(layers);
    const every = controller.state.valueOf(spec.every);
    this.layers.forEach(({ foot }, layer) => setText(foot, String((layer + 1) * every)));
    const start = offset(this.tensor, controller.state.positions);
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

  /** Show the first layers, with their connections. @param {number} layers */
  showLayers(layers) {
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
    this.wires.replaceChildren(svgElement("path", { d: d.join(""), "vector-effect": "non-scaling-stroke" }));
  }

  /** Redraw in the colors of the new theme. */
  recolor() {
    this.colors = this.colorScale();
    this.painted = -1;
    this.draw();
  }
}
