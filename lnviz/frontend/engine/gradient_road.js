// A road through all layers, as wide as a tensor's values, with a bar beside each layer.

import { setText } from "./dom.js";
import { slice } from "./tensors.js";
import { plainText } from "./text.js";
import { svgElement } from "./thumbnail.js";

/** @typedef {import("./payload.js").Pieces} Pieces */

// At the natural size.
const ROAD = 80; // center of the road
const BARS = 110; // left end of the bars
const NUMBER = 38; // width of the number after a bar
const HEADS = 12; // baseline of the headings
const TOP = 22; // top of the first layer
const BOTTOM = 4; // below the last layer
const THINNEST = 1; // thinnest visible bar or road
const TALLEST = 16; // maximum bar height
const BAR = 0.7; // as a fraction of the layer's height
const NORMS = [0.375, 0.875]; // centers of the norms' marks, as fractions of a layer's height
const MARK = 0.12; // as a fraction of the layer's height
const THICKEST = 2; // maximum mark height
const ACROSS = 14; // half the width of a mark across the road
const BESIDE = [19, 26]; // left and right of a mark beside the road, from its center

/** Picture of gradients through the layers, beside a diagram. */
export class GradientRoad {
  /**
   * @param {import("./payload.js").Profile} spec
   * @param {number} scale of the road's widths
   * @param {import("./controller.js").FigureController} controller
   */
  constructor(spec, scale, controller) {
    this.spec = spec;
    this.scale = scale;
    this.controller = controller;
    const [width, height] = spec.size;
    this.element = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, class: "profile", "aria-hidden": "true" });
    this.element.style.setProperty("--ln-mark", `var(--ln-${spec.mark})`);
    if (spec.token) this.element.style.setProperty("--ln-own", `var(--ln-${spec.token})`);
    this.road = this.element.appendChild(svgElement("polygon", {}));
    this.layers = this.element.appendChild(svgElement("g", {}));
    const [road, bars] = spec.headings;
    this.labels = [
      this.addText(road, ROAD, HEADS, "middle"),
      this.addText(bars, BARS, HEADS, "start"),
      this.addText(["layer 1"], 0, TOP + HEADS, "start"),
    ];
    this.lastLayer = this.addText([], 0, height - BOTTOM, "start").node;
    this.ends = spec.ends.map((pieces) => this.addText(pieces, 0, 0, "start", "end"));
  }

  /**
   * @param {Pieces} pieces
   * @param {number} x
   * @param {number} y
   * @param {string} anchor
   */
  addText(pieces, x, y, anchor, className = "") {
    const node = this.element.appendChild(svgElement("text", { x, y, "text-anchor": anchor, class: className }));
    return { pieces, node };
  }

  /** Return the bar lengths of the layers that exist. */
  barLengths() {
    const { tensors, positions } = this.controller.state;
    return slice(tensors[this.spec.bars], positions, "").filter((length) => !Number.isNaN(length));
  }

  /** Return the road's widths, layer by layer. */
  roadWidths() {
    const { tensors, positions } = this.controller.state;
    const values = slice(tensors[this.spec.road], positions, "");
    const each = values.length / slice(tensors[this.spec.bars], positions, "").length;
    return this.barLengths().map((_, layer) => values.slice(layer * each, (layer + 1) * each));
  }

  draw() {
    const { spec, controller } = this;
    const [width, height] = spec.size;
    const bars = this.barLengths();
    const tall = (height - TOP - BOTTOM) / bars.length;
    const sides = this.roadWidths().flatMap((widths, layer) =>
      widths.map((value, i) => {
        const half = Math.max(THINNEST, this.scale * value) / 2;
        return { half, y: TOP + (layer + i / (widths.length - 1)) * tall };
      }),
    );
    const points = [
      ...sides.map(({ half, y }) => [ROAD + half, y]),
      ...sides.reverse().map(({ half, y }) => [ROAD - half, y]),
    ];
    this.road.setAttribute("points", points.map((point) => point.join()).join(" "));
    const room = width - BARS - NUMBER;
    const lengths = bars.map((value) => Math.max(THINNEST, (room * value) / spec.full_length));
    const bar = Math.min(TALLEST, BAR * tall);
    const middle = (/** @type {number} */ layer) => TOP + (layer + 0.5) * tall;
    this.layers.replaceChildren(
      ...lengths.map((length, layer) =>
        svgElement("rect", { class: "bar", x: BARS, y: middle(layer) - bar / 2, width: length, height: bar, rx: Math.min(3, bar / 2) }),
      ),
      ...lengths.flatMap((_, layer) => NORMS.map((at) => this.normMark(TOP + (layer + at) * tall, Math.min(THICKEST, MARK * tall)))),
    );
    const last = lengths.length - 1;
    [0, last].forEach((layer, i) => {
      const { node } = this.ends[i];
      node.setAttribute("x", String(BARS + lengths[layer] + 5));
      node.setAttribute("y", String(middle(layer)));
    });
    setText(this.lastLayer, `layer ${bars.length}`);
    for (const { node, pieces } of [...this.labels, ...this.ends]) {
      const text = plainText(pieces, controller);
      setText(node, text);
    }
  }

  /**
   * Return the mark of a norm.
   * @param {number} y of its center
   * @param {number} height
   */
  normMark(y, height) {
    const [left, right] = this.spec.across ? [-ACROSS, ACROSS] : BESIDE;
    return svgElement("rect", { class: "mark", x: ROAD + left, y: y - height / 2, width: right - left, height, rx: height / 3 });
  }

  /** Return a row per layer: the road's width at its end, and the bar. @returns {import("./csv.js").Row[]} */
  numbers() {
    const widths = this.roadWidths();
    const heads = this.spec.headings.map((pieces) => plainText(pieces, this.controller));
    return [["layer", ...heads], ...this.barLengths().map((bar, layer) => [layer + 1, widths[layer].at(-1) ?? "", bar])];
  }
}
