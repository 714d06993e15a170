// Boxes and arrows, as SVG, that a control walks along: what stands for its position stands out.

import { fields, named } from "./csv.js";
import { element } from "./dom.js";
import { cellOf } from "./pointing.js";
import { Profile } from "./gradient_road.js";
import { Template, plain } from "./text.js";
import { shape } from "./thumbnail.js";

const MARGIN = 3; // around the picture: half of the thickest line
const HEAD = 7; // length of an arrow's head
const LINE = 13; // from one line of words to the next
const ROUND = 4; // of a box's corners
const WIDER = 4; // by how much the head of a wide arrow is wider than the arrow, on either side
const ABOVE = 7; // from a bar to its words
const THINNEST = 0.75; // a line that can still be seen
// Times its natural size.
const SMALLEST = 0.87;
const LARGEST = 1.2;

/** @typedef {[number, number]} Point */

export class Diagram {
  /**
   * @param {import("./payload").Diagram} spec
   * @param {import("./controller.js").Hand} hand
   */
  constructor(spec, hand) {
    this.spec = spec;
    this.hand = hand;
    this.element = element("figure", "diagram");
    this.element.style.flexBasis = `${SMALLEST * spec.size[0]}px`;
    this.title = new Template(this.element.appendChild(element("figcaption")), spec.title, hand);
    const [width, height] = spec.size;
    const box = [-MARGIN, -MARGIN, width + 2 * MARGIN, height + 2 * MARGIN];
    this.svg = shape("svg", { viewBox: box.join(" "), role: "img", style: `max-width: ${LARGEST * width}px` });
    this.frame = this.element.appendChild(this.walker());
    this.frame.append(this.svg);
    const parts = [
      ...spec.bars.map((bar) => this.bar(bar)),
      ...spec.arrows.map((arrow) => this.arrow(arrow)),
      ...spec.boxes.map((box) => this.box(box)),
    ];
    /** What can stand out, in the order drawn. */
    this.parts = parts;
    parts.forEach(({ at, node }, i) => at.length && node.setAttribute("data-index", String(i)));
    this.svg.append(...parts.map(({ node }) => node));
    if (spec.arrows.some(({ width }) => width)) this.element.classList.add("scaled");
    this.profile = spec.profile && new Profile(spec.profile, spec.scale, hand);
    if (this.profile || spec.bars.length) this.element.classList.add("road");
    if (this.profile) this.frame.after(this.profile.element);
    this.note = new Template(this.element.appendChild(element("p", "reading-of")), spec.note, hand);
    this.listen();
  }

  /** A click or a tap goes to a part's position; a mouse that rests on it shows that position alone. */
  listen() {
    const { hand, parts, spec, svg } = this;
    const { positions } = hand.state;
    /** Where the control stood before the mouse came; null where it has not moved it. @type {number | null} */
    let before = null;
    const go = (/** @type {Event} */ event, /** @type {number | null} */ back) => {
      const index = cellOf(event, svg);
      if (index < 0) return;
      before = back;
      hand.set(spec.control, parts[index].at[0]);
    };
    svg.addEventListener("click", (event) => go(event, null));
    if (!spec.hover) return;
    svg.addEventListener("pointerover", (event) => {
      if (/** @type {PointerEvent} */ (event).pointerType === "mouse") go(event, before ?? positions[spec.control]);
    });
    svg.addEventListener("pointerleave", () => {
      if (before !== null) hand.set(spec.control, before);
      before = null;
    });
  }

  /** For a keyboard the picture is a slider through the control's positions. */
  walker() {
    const { hand, spec } = this;
    const last = hand.state.controls[spec.control].labels.length - 1;
    const frame = element("div", "picks");
    frame.tabIndex = 0;
    frame.setAttribute("role", "slider");
    frame.setAttribute("aria-valuemin", "0");
    frame.setAttribute("aria-valuemax", String(last));
    frame.addEventListener("keydown", (event) => {
      const at = hand.state.positions[spec.control];
      const steps = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last };
      if (!(event.key in steps)) return;
      event.preventDefault();
      const to = steps[/** @type {keyof typeof steps} */ (event.key)];
      hand.set(spec.control, Math.max(0, Math.min(last, to)));
    });
    return frame;
  }

  /** @param {import("./payload").Arrow} arrow */
  arrow({ way, at, head, width, token }) {
    const node = shape("g", { class: width ? "arrow wide" : "arrow" });
    if (token) node.setAttribute("style", `--ln-own: var(--ln-${token})`);
    // A line as wide as a fingertip takes the pointer.
    if (at.length) node.append(shape("polyline", { points: written(way), class: "near" }));
    const line = node.appendChild(shape("polyline", {}));
    const end = head ? node.appendChild(shape("polygon", {})) : null;
    const lay = (/** @type {number} */ length, /** @type {number} */ half) => {
      line.setAttribute("points", written(head ? shortened(way, length) : way));
      end?.setAttribute("points", written(tip(way, length, half)));
    };
    if (width) {
      let drawn = 0;
      const write = () => {
        const wide = Math.max(THINNEST, this.spec.scale * this.hand.state.valueOf(width));
        if (wide === drawn) return;
        drawn = wide;
        line.setAttribute("stroke-width", String(wide));
        const half = wide / 2 + WIDER;
        lay(half, half);
      };
      return { at, node, write };
    }
    lay(HEAD, HEAD / 2);
    // Runs along once when the arrow comes to stand out.
    if (at.length) node.append(shape("circle", { r: 0, style: `offset-path: path("M${way.map((c) => c.join(" ")).join("L")}")` }));
    return { at, node, write: () => {} };
  }

  /** @param {import("./payload").Bar} bar */
  bar({ place: [x, y], size: [length, height], share, label, number, token }) {
    const node = shape("g", { class: "measure" });
    if (token) node.setAttribute("style", `--ln-own: var(--ln-${token})`);
    const at = { x, y, height, rx: ROUND };
    const bar = shape("rect", { ...at, class: "bar", width: 0 });
    const words = [shape("text", { x, y: y - ABOVE }), shape("text", { x: x + length, y: y - ABOVE, "text-anchor": "end" })];
    node.append(shape("rect", { ...at, class: "track", width: length }), bar, ...words);
    const write = () => {
      bar.setAttribute("width", String(Math.max(THINNEST, length * this.hand.state.valueOf(share))));
      [label, number].forEach((pieces, i) => {
        const said = plain(pieces, this.hand);
        if (words[i].textContent !== said) words[i].textContent = said;
      });
    };
    return { at: [], node, write };
  }

  /** @param {import("./payload").Box} box */
  box({ center: [x, y], size: [width, height], text, at, token, dotted, round, filled }) {
    const node = shape("g", { class: filled ? "box filled" : "box" });
    if (token) node.setAttribute("style", `--ln-own: var(--ln-${token})`);
    const edge = shape("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: round ? height / 2 : ROUND });
    if (dotted) edge.setAttribute("stroke-dasharray", "2 3");
    const words = shape("text", { "text-anchor": "middle" });
    node.append(edge, words);
    let written = "";
    const write = () => {
      const said = plain(text, this.hand);
      if (said === written) return;
      written = said;
      const lines = said.split("\n");
      const first = y - ((lines.length - 1) / 2) * LINE;
      const spans = lines.map((line, i) => {
        const span = shape("tspan", { x, y: first + i * LINE, dy: "0.35em" });
        span.textContent = line;
        return span;
      });
      words.replaceChildren(...spans);
    };
    return { at, node, write };
  }

  draw() {
    const { hand, spec } = this;
    this.title.draw();
    this.note.draw();
    this.profile?.draw();
    const alt = plain(spec.alt, hand);
    this.svg.setAttribute("aria-label", alt);
    const position = hand.state.positions[spec.control];
    this.frame.setAttribute("aria-label", `${spec.control}, in the picture: ${plain(spec.title, hand)}`);
    this.frame.setAttribute("aria-valuenow", String(position));
    this.frame.setAttribute("aria-valuetext", hand.state.labelOf(spec.control));
    for (const { at, node, write } of this.parts) {
      write();
      node.classList.toggle("lit", at.includes(position));
      node.classList.toggle("past", at.length > 0 && Math.max(...at) < position);
    }
  }

  /** What is drawn to scale, as the tensors have it. @returns {import("./csv.js").Row[]} */
  numbers() {
    const { arrows, bars, boxes, note } = this.spec;
    if (this.profile) return this.profile.numbers();
    const drawn = [...arrows.map(({ width }) => width), ...bars.map(({ share }) => share)];
    const texts = [...boxes.map(({ text }) => text), ...bars.map(({ label }) => label), note];
    return named([...drawn, ...texts.flatMap(fields)], this.hand);
  }
}

/** @param {Point[]} points */
function written(points) {
  return points.map((point) => point.join()).join(" ");
}

/**
 * From the last corner but one to the last: a step of this length back from the end.
 * @param {Point[]} way
 * @param {number} length
 * @returns {{back: Point, across: Point}} where the step leads to, and the direction across the way
 */
function ending(way, length) {
  const [[ax, ay], [x, y]] = way.slice(-2);
  const whole = Math.hypot(x - ax, y - ay);
  const [dx, dy] = [(x - ax) / whole, (y - ay) / whole];
  return { back: [x - length * dx, y - length * dy], across: [-dy, dx] };
}

/**
 * A way without its head.
 * @param {Point[]} way
 * @param {number} length of the head
 * @returns {Point[]}
 */
function shortened(way, length) {
  return [...way.slice(0, -1), ending(way, length - 1).back];
}

/**
 * The corners of the head.
 * @param {Point[]} way
 * @param {number} length
 * @param {number} half of its width
 * @returns {Point[]}
 */
function tip(way, length, half) {
  const { back: [x, y], across: [dx, dy] } = ending(way, length);
  return [way[way.length - 1], [x + half * dx, y + half * dy], [x - half * dx, y - half * dy]];
}
