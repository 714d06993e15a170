// Points of two classes in a plane, over the picture of a score at each place of it.

import { element } from "./dom.js";
import { Paint } from "./paint.js";
import { Pixels, Scale } from "./pixels.js";
import { offset, slice, valueAt } from "./tensors.js";
import { Template, plain } from "./text.js";
import { shape } from "./thumbnail.js";

/** @typedef {[number, number, number]} Point to the right, up, and its class: 0 or 1 */

const DOT = 0.014; // half of a point's size, in widths of the plane
const OUTLINE = { "vector-effect": "non-scaling-stroke" };

export class Plane {
  /**
   * @param {import("./payload").Plane} spec
   * @param {import("./controller.js").Hand} hand
   * @param {import("./drawing.js").Look} look
   */
  constructor(spec, hand, look) {
    this.spec = spec;
    this.hand = hand;
    this.look = look;
    this.element = element("figure", spec.score ? "plane" : "plane given");
    this.title = new Template(this.element.appendChild(element("figcaption")), spec.title, hand);
    this.frame = this.element.appendChild(element("div", "place"));
    this.picture = this.frame.appendChild(element("div", "field"));
    this.score = spec.score ? this.scored() : null;
    const { reach } = spec;
    this.svg = this.picture.appendChild(
      shape("svg", { viewBox: `${-reach} ${-reach} ${2 * reach} ${2 * reach}`, role: "img" }),
    );
    this.axes = spec.axes.map((axis, i) => new Template(this.frame.appendChild(element("span", i ? "up" : "right")), axis, hand));
    /** The slice of the points that is drawn; -1 where there is none. */
    this.drawn = -1;
    this.paint = spec.paint && look.ask ? new Paint(this, look) : null;
    if (this.paint) this.element.append(this.paint.element);
  }

  /** What the scores are painted in. */
  scored() {
    const tensor = this.hand.state.tensors[this.spec.score];
    const [height, width] = tensor.shape.slice(tensor.over.length);
    return { tensor, pixels: new Pixels(this.picture, width, height), colors: this.themed(), painted: -1 };
  }

  themed() {
    return new Scale((token) => this.look.color(token));
  }

  draw() {
    const { hand, score, spec } = this;
    this.title.draw();
    for (const axis of this.axes) axis.draw();
    this.svg.setAttribute("aria-label", plain(spec.alt, hand));
    const start = offset(hand.state.tensors[spec.points], hand.state.positions);
    if (start !== this.drawn) {
      this.drawn = start;
      this.dot(this.points());
      this.paint?.follow();
    }
    if (!score) return;
    const first = offset(score.tensor, hand.state.positions);
    if (first === score.painted) return;
    score.painted = first;
    score.pixels.paint(score.colors, (pixel) => valueAt(score.tensor, first + pixel));
  }

  /** The points as the tensors have them. @returns {Point[]} */
  points() {
    const { tensors, positions } = this.hand.state;
    const places = slice(tensors[this.spec.points], positions, "");
    const classes = slice(tensors[this.spec.classes], positions, "");
    return classes.map((of, i) => [places[2 * i], places[2 * i + 1], of]);
  }

  /** Draws points: a circle of one class, a square of the other. @param {Point[]} points */
  dot(points) {
    const half = 2 * this.spec.reach * DOT;
    const nodes = points.map(([x, y, of]) =>
      of
        ? shape("circle", { ...OUTLINE, class: "one", cx: x, cy: -y, r: half })
        : shape("rect", { ...OUTLINE, class: "other", x: x - 0.9 * half, y: -y - 0.9 * half, width: 1.8 * half, height: 1.8 * half }),
    );
    this.svg.replaceChildren(...nodes);
  }

  /** Forgets what a reader has painted and not sent. */
  drop() {
    this.paint?.drop();
  }

  /** Draws again in the colors of the theme that has come. */
  recolor() {
    if (!this.score) return;
    Object.assign(this.score, { colors: this.themed(), painted: -1 });
    this.draw();
  }

  /** The points, each with its class; none where they stand over a score. @returns {import("./csv.js").Row[]} */
  numbers() {
    const { axes, labels, score } = this.spec;
    if (score) return [];
    const heads = axes.map((axis) => plain(axis, this.hand));
    return [[...heads, "class"], ...this.points().map(([x, y, of]) => [x, y, labels[of]])];
  }
}
