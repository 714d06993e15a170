// Points and lines in space, as SVG. The camera is looked up as a matrix slice; its product with a point is the point's
// position in the picture.

import { element } from "./dom.js";
import { makeRotatable } from "./drag.js";
import { slice } from "./tensors.js";
import { Template, plainText } from "./text.js";
import { svgElement } from "./thumbnail.js";

/** @typedef {[number, number, number]} Point right, down, and toward the eye */

const DASH = 5; // in line widths
const FILLED = 0.12;
const PALE = 0.35; // opacity of parts behind the center
const LEVEL = 0.01; // tolerance within which a line counts as in front
const APART = 0.09; // distance of a label from its point

/** View of points and lines in space. */
export class Scene {
  /**
   * @param {import("./payload").Scene} spec
   * @param {import("./controller.js").FigureController} controller
   */
  constructor(spec, controller) {
    this.spec = spec;
    this.controller = controller;
    this.element = element("figure", "scene");
    this.title = new Template(this.element.appendChild(element("figcaption")), spec.title, controller);
    const side = 2 * spec.extent;
    this.svg = this.element.appendChild(
      svgElement("svg", { viewBox: `${-spec.extent} ${-spec.extent} ${side} ${side}`, role: "img" }),
    );
    makeRotatable(this.svg, controller, spec.turn);
    const [behind, before] = [this.svg.appendChild(svgElement("g", {})), this.svg.appendChild(svgElement("g", {}))];
    for (const { radius, color } of spec.balls) {
      behind.append(svgElement("circle", { class: "ball", r: radius, fill: tokenColor(color), stroke: tokenColor(color) }));
    }
    // Each line has a part in front of the center and, where it is drawn differently, one behind.
    this.lines = spec.paths.map((path) => ({
      behind: path.sided ? behind.appendChild(pathElement(path, PALE)) : null,
      before: (path.filled ? behind : before).appendChild(pathElement(path, 1)),
    }));
    this.dots = spec.spots.map(({ radius, color }) => before.appendChild(svgElement("circle", { r: radius, fill: tokenColor(color) })));
    this.words = spec.spots.map(({ text, side }) => {
      const node = before.appendChild(svgElement("text", { "text-anchor": side === "left" ? "end" : "start" }));
      node.textContent = text;
      return node;
    });
  }

  draw() {
    const { spec, controller } = this;
    this.title.draw();
    this.svg.setAttribute("aria-label", plainText(spec.alt, controller));
    const { tensors, positions } = controller.state;
    const camera = slice(tensors[spec.camera], positions, "");
    const projected = (/** @type {string} */ name) => project(slice(tensors[name], positions, ""), camera);
    spec.paths.forEach(({ points, sided }, i) => {
      const { behind, before } = this.lines[i];
      const joined = points.flatMap(projected);
      before.setAttribute("d", sided ? segments(joined, true) : pathThrough(joined));
      behind?.setAttribute("d", segments(joined, false));
    });
    spec.spots.forEach(({ points, side }, i) => {
      const [[x, y]] = projected(points);
      this.dots[i].setAttribute("cx", String(x));
      this.dots[i].setAttribute("cy", String(y));
      this.words[i].setAttribute("x", String(side === "left" ? x - APART : x + APART));
      this.words[i].setAttribute("y", String(side === "below" ? y + 3 * APART : y - APART));
    });
    this.keepLabelsInside();
  }

  /** Move labels that the edge of the picture would cut off. */
  keepLabelsInside() {
    const { spots, extent } = this.spec;
    const lengths = this.words.map((label) => label.getComputedTextLength());
    spots.forEach(({ side }, i) => {
      const label = this.words[i];
      const x = Number(label.getAttribute("x"));
      const inside = side === "left" ? Math.max(x, lengths[i] - extent) : Math.min(x, extent - lengths[i]);
      if (inside !== x) label.setAttribute("x", String(inside));
    });
  }

  /** Return the positions of the dots with their names. */
  numbers() {
    const { tensors, positions } = this.controller.state;
    const dots = this.spec.spots.filter(({ radius }) => radius);
    const rows = dots.map(({ points, text }) => [text || points, ...slice(tensors[points], positions, "")]);
    return [["point", "first", "second", "third"], ...rows];
  }
}

/** @param {string} token of the theme */
const tokenColor = (token) => `var(--ln-${token})`;

/**
 * Create the SVG path of a line, styled by attributes: an exported picture has no style sheet.
 * @param {import("./payload").Path} path
 * @param {number} opacity
 */
function pathElement({ color, width, dashed, filled }, opacity) {
  return svgElement("path", {
    fill: filled ? tokenColor(color) : "none",
    "fill-opacity": FILLED,
    stroke: tokenColor(color),
    "stroke-width": width,
    "stroke-opacity": opacity,
    "stroke-linejoin": "round",
    ...(dashed ? { "stroke-dasharray": `${DASH * width} ${DASH * width}` } : {}),
  });
}

/**
 * Project points with the camera matrix.
 * @param {number[]} points three numbers each
 * @param {number[]} camera the matrix, row by row
 * @returns {Point[]}
 */
function project(points, camera) {
  /** @param {number} i @param {number} row */
  const along = (i, row) =>
    camera[3 * row] * points[3 * i] + camera[3 * row + 1] * points[3 * i + 1] + camera[3 * row + 2] * points[3 * i + 2];
  return Array.from({ length: points.length / 3 }, (_, i) => [along(i, 0), along(i, 1), along(i, 2)]);
}

/** @param {Point[]} joined */
const pathThrough = (joined) => joined.map(([x, y], i) => `${i ? "L" : "M"}${x},${y}`).join(" ");

/**
 * Return the segments of a line on one side of the center, as SVG path data.
 * @param {Point[]} joined
 * @param {boolean} toward whether on the side of the eye
 */
function segments(joined, toward) {
  return joined
    .slice(1)
    .flatMap((end, i) => (joined[i][2] + end[2] >= -LEVEL === toward ? [pathThrough([joined[i], end])] : []))
    .join(" ");
}
