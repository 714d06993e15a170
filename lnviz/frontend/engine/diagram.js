// Boxes and arrows, as SVG, with a control that moves along them; the parts of its position are highlighted.

import { fieldNames, namedValues } from "./csv.js";
import { element, setText } from "./dom.js";
import { cellIndexOf } from "./pointing.js";
import { GradientRoad } from "./gradient_road.js";
import { Template, plainText } from "./text.js";
import { svgElement } from "./thumbnail.js";

const MARGIN = 3; // around the picture: half of the thickest line
const HEAD = 7; // length of an arrowhead
const LINE = 13; // line height of texts
const ROUND = 4; // corner radius of a box
const WIDER = 4; // how much the head of a wide arrow exceeds the arrow on either side
const ABOVE = 7; // from a bar up to its text
const THINNEST = 0.75; // thinnest visible line
// Relative to the natural size.
const SMALLEST = 0.87;
const LARGEST = 1.2;

/** View of boxes and arrows. @typedef {[number, number]} Point */

export class Diagram {
  /**
   * @param {import("./payload").Diagram} spec
   * @param {import("./controller.js").FigureController} controller
   */
  constructor(spec, controller) {
    this.spec = spec;
    this.controller = controller;
    this.element = element("figure", "diagram");
    this.element.style.flexBasis = `${SMALLEST * spec.size[0]}px`;
    this.title = new Template(this.element.appendChild(element("figcaption")), spec.title, controller);
    const [width, height] = spec.size;
    const box = [-MARGIN, -MARGIN, width + 2 * MARGIN, height + 2 * MARGIN];
    this.svg = svgElement("svg", { viewBox: box.join(" "), role: "img", style: `max-width: ${LARGEST * width}px` });
    this.frame = this.element.appendChild(this.buildSlider());
    this.frame.append(this.svg);
    const parts = [
      ...spec.bars.map((bar) => this.buildBar(bar)),
      ...spec.arrows.map((arrow) => this.buildArrow(arrow)),
      ...spec.boxes.map((box) => this.buildBox(box)),
    ];
    /** Highlightable parts, in drawing order. */
    this.parts = parts;
    parts.forEach(({ at, node }, i) => at.length && node.setAttribute("data-index", String(i)));
    this.svg.append(...parts.map(({ node }) => node));
    if (spec.arrows.some(({ width }) => width)) this.element.classList.add("scaled");
    this.gradientRoad = spec.profile && new GradientRoad(spec.profile, spec.scale, controller);
    if (this.gradientRoad || spec.bars.length) this.element.classList.add("road");
    if (this.gradientRoad) this.frame.after(this.gradientRoad.element);
    this.note = new Template(this.element.appendChild(element("p", "reading-of")), spec.note, controller);
    this.listen();
  }

  /** Move the control on click or tap; on hover, show a part's position until the mouse leaves. */
  listen() {
    const { controller, parts, spec, svg } = this;
    const { positions } = controller.state;
    /** The position before hovering; null while hovering has not moved the control. @type {number | null} */
    let before = null;
    const go = (/** @type {Event} */ event, /** @type {number | null} */ back) => {
      const index = cellIndexOf(event, svg);
      if (index < 0) return;
      before = back;
      controller.set(spec.control, parts[index].at[0]);
    };
    svg.addEventListener("click", (event) => go(event, null));
    if (!spec.hover) return;
    svg.addEventListener("pointerover", (event) => {
      if (/** @type {PointerEvent} */ (event).pointerType === "mouse") go(event, before ?? positions[spec.control]);
    });
    svg.addEventListener("pointerleave", () => {
      if (before !== null) controller.set(spec.control, before);
      before = null;
    });
  }

  /** Return a focusable frame that acts as a slider for keyboards. */
  buildSlider() {
    const { controller, spec } = this;
    const last = controller.state.controls[spec.control].labels.length - 1;
    const frame = element("div", "picks");
    frame.tabIndex = 0;
    frame.setAttribute("role", "slider");
    frame.setAttribute("aria-valuemin", "0");
    frame.setAttribute("aria-valuemax", String(last));
    frame.addEventListener("keydown", (event) => {
      const at = controller.state.positions[spec.control];
      const steps = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last };
      if (!(event.key in steps)) return;
      event.preventDefault();
      const to = steps[/** @type {keyof typeof steps} */ (event.key)];
      controller.set(spec.control, Math.max(0, Math.min(last, to)));
    });
    return frame;
  }

  /** @param {import("./payload").DiagramArrow} arrow */
  buildArrow({ corners: way, at, head, width, token }) {
    const node = svgElement("g", { class: width ? "arrow wide" : "arrow" });
    if (token) node.setAttribute("style", `--ln-own: var(--ln-${token})`);
    // An invisible line as wide as a fingertip takes the pointer.
    if (at.length) node.append(svgElement("polyline", { points: pointList(way), class: "near" }));
    const line = node.appendChild(svgElement("polyline", {}));
    const end = head ? node.appendChild(svgElement("polygon", {})) : null;
    const drawArrow = (/** @type {number} */ length, /** @type {number} */ half) => {
      line.setAttribute("points", pointList(head ? withoutHead(way, length) : way));
      end?.setAttribute("points", pointList(arrowHead(way, length, half)));
    };
    if (width) {
      let drawn = 0;
      const write = () => {
        const wide = Math.max(THINNEST, this.spec.scale * this.controller.state.valueOf(width));
        if (wide === drawn) return;
        drawn = wide;
        line.setAttribute("stroke-width", String(wide));
        const half = wide / 2 + WIDER;
        drawArrow(half, half);
      };
      return { at, node, write };
    }
    drawArrow(HEAD, HEAD / 2);
    // Moves along the arrow once when it is highlighted.
    if (at.length) node.append(svgElement("circle", { r: 0, style: `offset-path: path("M${way.map((c) => c.join(" ")).join("L")}")` }));
    return { at, node, write: () => {} };
  }

  /** @param {import("./payload").DiagramBar} bar */
  buildBar({ corner: [x, y], size: [length, height], fraction: share, label, number, token }) {
    const node = svgElement("g", { class: "measure" });
    if (token) node.setAttribute("style", `--ln-own: var(--ln-${token})`);
    const at = { x, y, height, rx: ROUND };
    const bar = svgElement("rect", { ...at, class: "bar", width: 0 });
    const words = [svgElement("text", { x, y: y - ABOVE }), svgElement("text", { x: x + length, y: y - ABOVE, "text-anchor": "end" })];
    node.append(svgElement("rect", { ...at, class: "track", width: length }), bar, ...words);
    const write = () => {
      bar.setAttribute("width", String(Math.max(THINNEST, length * this.controller.state.valueOf(share))));
      [label, number].forEach((pieces, i) => {
        const content = plainText(pieces, this.controller);
        setText(words[i], content);
      });
    };
    return { at: [], node, write };
  }

  /** @param {import("./payload").DiagramBox} box */
  buildBox({ center: [x, y], size: [width, height], text, at, token, dotted, round, filled }) {
    const node = svgElement("g", { class: filled ? "box filled" : "box" });
    if (token) node.setAttribute("style", `--ln-own: var(--ln-${token})`);
    const edge = svgElement("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: round ? height / 2 : ROUND });
    if (dotted) edge.setAttribute("stroke-dasharray", "2 3");
    const words = svgElement("text", { "text-anchor": "middle" });
    node.append(edge, words);
    let written = "";
    const write = () => {
      const content = plainText(text, this.controller);
      if (content === written) return;
      written = content;
      const lines = content.split("\n");
      const first = y - ((lines.length - 1) / 2) * LINE;
      const spans = lines.map((line, i) => {
        const span = svgElement("tspan", { x, y: first + i * LINE, dy: "0.35em" });
        span.textContent = line;
        return span;
      });
      words.replaceChildren(...spans);
    };
    return { at, node, write };
  }

  draw() {
    const { controller, spec } = this;
    this.title.draw();
    this.note.draw();
    this.gradientRoad?.draw();
    const alt = plainText(spec.alt, controller);
    this.svg.setAttribute("aria-label", alt);
    const position = controller.state.positions[spec.control];
    this.frame.setAttribute("aria-label", `${spec.control}, in the picture: ${plainText(spec.title, controller)}`);
    this.frame.setAttribute("aria-valuenow", String(position));
    this.frame.setAttribute("aria-valuetext", controller.state.labelOf(spec.control));
    for (const { at, node, write } of this.parts) {
      write();
      node.classList.toggle("lit", at.includes(position));
      node.classList.toggle("past", at.length > 0 && Math.max(...at) < position);
    }
  }

  /** Return the numbers drawn to scale. @returns {import("./csv.js").Row[]} */
  numbers() {
    const { arrows, bars, boxes, note } = this.spec;
    if (this.gradientRoad) return this.gradientRoad.numbers();
    const drawn = [...arrows.map(({ width }) => width), ...bars.map(({ fraction: share }) => share)];
    const texts = [...boxes.map(({ text }) => text), ...bars.map(({ label }) => label), note];
    return namedValues([...drawn, ...texts.flatMap(fieldNames)], this.controller);
  }
}

/** Return points as an SVG attribute. @param {Point[]} points */
function pointList(points) {
  return points.map((point) => point.join()).join(" ");
}

/**
 * Return a point at a distance before the end of a path, and the direction across it.
 * @param {Point[]} way
 * @param {number} length
 * @returns {{back: Point, across: Point}} the point, and the normal at the end
 */
function arrowEnd(way, length) {
  const [[ax, ay], [x, y]] = way.slice(-2);
  const whole = Math.hypot(x - ax, y - ay);
  const [dx, dy] = [(x - ax) / whole, (y - ay) / whole];
  return { back: [x - length * dx, y - length * dy], across: [-dy, dx] };
}

/**
 * Return a path shortened by its arrowhead.
 * @param {Point[]} way
 * @param {number} length of the head
 * @returns {Point[]}
 */
function withoutHead(way, length) {
  return [...way.slice(0, -1), arrowEnd(way, length - 1).back];
}

/**
 * Return the corners of the arrowhead.
 * @param {Point[]} way
 * @param {number} length
 * @param {number} half of its width
 * @returns {Point[]}
 */
function arrowHead(way, length, half) {
  const { back: [x, y], across: [dx, dy] } = arrowEnd(way, length);
  return [way[way.length - 1], [x + half * dx, y + half * dy], [x - half * dx, y - half * dy]];
}
