// Points of two classes in a plane, over a heat map of a score.

import { element } from "./dom.js";
import { PointPainter } from "./point_painter.js";
import { Pixels, ColorScale } from "./pixels.js";
import { offset, slice, valueAt } from "./tensors.js";
import { Template, plainText } from "./text.js";
import { svgElement } from "./thumbnail.js";

/** @typedef {[number, number, number]} Point right, up, and its class: 0 or 1 */

const DOT = 0.014; // half of a point's size, in plane widths
const OUTLINE = { "vector-effect": "non-scaling-stroke" };

/** View of points in a plane. */
export class Plane {
  /**
   * @param {import("./payload").ScatterPlane} spec
   * @param {import("./controller.js").FigureController} controller
   * @param {import("./figure_layout.js").ViewContext} context
   */
  constructor(spec, controller, context) {
    this.spec = spec;
    this.controller = controller;
    this.context = context;
    this.element = element("figure", spec.score ? "plane" : "plane given");
    this.title = new Template(this.element.appendChild(element("figcaption")), spec.title, controller);
    this.frame = this.element.appendChild(element("div", "place"));
    this.picture = this.frame.appendChild(element("div", "field"));
    this.score = spec.score ? this.buildScoreLayer() : null;
    const { extent } = spec;
    this.svg = this.picture.appendChild(
      svgElement("svg", { viewBox: `${-extent} ${-extent} ${2 * extent} ${2 * extent}`, role: "img" }),
    );
    this.axes = spec.axes.map((axis, i) => new Template(this.frame.appendChild(element("span", i ? "up" : "right")), axis, controller));
    /** Offset of the drawn points; -1 for none. */
    this.drawn = -1;
    this.painter = spec.paint && context.request ? new PointPainter(this, context) : null;
    if (this.painter) this.element.append(this.painter.element);
  }

  /** Return the heat map layer. */
  buildScoreLayer() {
    const tensor = this.controller.state.tensors[this.spec.score];
    const [height, width] = tensor.shape.slice(tensor.over.length);
    return { tensor, pixels: new Pixels(this.picture, width, height), colors: this.colorScale(), painted: -1 };
  }

  colorScale() {
    return new ColorScale((token) => this.context.color(token));
  }

  draw() {
    const { controller, score, spec } = this;
    this.title.draw();
    for (const axis of this.axes) axis.draw();
    this.svg.setAttribute("aria-label", plainText(spec.alt, controller));
    const start = offset(controller.state.tensors[spec.points], controller.state.positions);
    if (start !== this.drawn) {
      this.drawn = start;
      this.drawPoints(this.points());
      this.painter?.refresh();
    }
    if (!score) return;
    const first = offset(score.tensor, controller.state.positions);
    if (first === score.painted) return;
    score.painted = first;
    score.pixels.paint(score.colors, (pixel) => valueAt(score.tensor, first + pixel));
  }

  /** Return the points from the tensors. @returns {Point[]} */
  points() {
    const { tensors, positions } = this.controller.state;
    const coordinates = slice(tensors[this.spec.points], positions, "");
    const classes = slice(tensors[this.spec.classes], positions, "");
    return classes.map((label, i) => [coordinates[2 * i], coordinates[2 * i + 1], label]);
  }

  /** Draw points: circles for one class, squares for the other. @param {Point[]} points */
  drawPoints(points) {
    const half = 2 * this.spec.extent * DOT;
    const nodes = points.map(([x, y, label]) =>
      label
        ? svgElement("circle", { ...OUTLINE, class: "one", cx: x, cy: -y, r: half })
        : svgElement("rect", { ...OUTLINE, class: "other", x: x - 0.9 * half, y: -y - 0.9 * half, width: 1.8 * half, height: 1.8 * half }),
    );
    this.svg.replaceChildren(...nodes);
  }

  /** Discard points that the reader has drawn and not sent. */
  discardDraft() {
    this.painter?.discardDraft();
  }

  /** Redraw in the colors of the new theme. */
  recolor() {
    if (!this.score) return;
    Object.assign(this.score, { colors: this.colorScale(), painted: -1 });
    this.draw();
  }

  /** Return the points with their classes; none where they lie over a score. @returns {import("./csv.js").Row[]} */
  numbers() {
    const { axes, labels, score } = this.spec;
    if (score) return [];
    const heads = axes.map((axis) => plainText(axis, this.controller));
    return [[...heads, "class"], ...this.points().map(([x, y, label]) => [x, y, labels[label]])];
  }
}
