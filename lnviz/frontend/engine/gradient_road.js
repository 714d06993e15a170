// A road through all layers, as wide as a tensor says, and a bar beside each layer.

import { slice } from "./tensors.js";
import { plainText } from "./text.js";
import { svgElement } from "./thumbnail.js";

/** @typedef {import("./payload.js").Pieces} Pieces */

// At the natural size.
const ROAD = 64; // the middle of the road
const BARS = 94; // where the bars begin
const NUMBER = 38; // room for the number behind a bar
const HEADS = 12; // the lines of words above
const TOP = 22; // where the first layer begins
const BOTTOM = 4; // below the last one
const THINNEST = 1; // a bar or a road that can still be seen
const TALLEST = 16; // of bars
const BAR = 0.7; // of its layer's height
const NORMS = [0.375, 0.875]; // of a layer's height: where a norm stands on the sum
const MARK = 0.12; // of its layer's height
const THICKEST = 2; // of marks
const ACROSS = 14; // half of a mark across the road
const BESIDE = [19, 26]; // from the middle of the road, a mark that stands off it

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
    const [road, bars] = spec.heads;
    this.labels = [
      this.addText(road, ROAD, HEADS, "middle"),
      this.addText(bars, BARS, HEADS, "start"),
      // Beside the road: above it they would read as one with its name.
      this.addText(["input"], 0, TOP + HEADS, "start"),
      this.addText(["output"], 0, height - BOTTOM, "start"),
    ];
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

  /** The lengths of the bars, of the layers that there are. */
  barLengths() {
    const { tensors, positions } = this.controller.state;
    return slice(tensors[this.spec.bars], positions, "").filter((length) => !Number.isNaN(length));
  }

  /** The road's widths, layer by layer. */
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
    const lengths = bars.map((value) => Math.max(THINNEST, (room * value) / spec.reach));
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
    for (const { node, pieces } of [...this.labels, ...this.ends]) {
      const text = plainText(pieces, controller);
      if (node.textContent !== text) node.textContent = text;
    }
  }

  /**
   * A norm's mark.
   * @param {number} y its middle
   * @param {number} height
   */
  normMark(y, height) {
    const [left, right] = this.spec.across ? [-ACROSS, ACROSS] : BESIDE;
    return svgElement("rect", { class: "mark", x: ROAD + left, y: y - height / 2, width: right - left, height, rx: height / 3 });
  }

  /** Layer by layer, the road where the layer ends, and the bar. @returns {import("./csv.js").Row[]} */
  numbers() {
    const widths = this.roadWidths();
    const heads = this.spec.heads.map((pieces) => plainText(pieces, this.controller));
    return [["layer", ...heads], ...this.barLengths().map((bar, layer) => [layer + 1, widths[layer].at(-1) ?? "", bar])];
  }
}
