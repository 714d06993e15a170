// Settings that the teacher has picked, as numbered marks on the figure's own curves. A curve follows other controls,
// and its marks follow it.

import { Chart } from "../engine/chart.js";
import { div } from "../engine/dom.js";
import { positionsOnCurve, hasMark } from "../engine/mark_drag.js";
import { svgElement } from "../engine/thumbnail.js";
import { half, unhidden } from "./results.js";

/** @typedef {import("../engine/figure.js").Figure} Figure */
/** @typedef {import("./results.js").Mark} Mark */

/** A ring's radius, in the page's type. */
const RADIUS = 0.9;

/** @type {WeakMap<Figure, Ghosts[]>} */
const haunted = new WeakMap();

/**
 * Puts settings on the curves along a control.
 * @param {Figure} figure
 * @param {string} control its name
 * @param {Mark[]} marks x is a position of the control
 * @returns {boolean} whether there are such curves in sight
 */
export function haunt(figure, control, marks) {
  leave(figure);
  const charts = figure.layout.views.flatMap((view) => (view instanceof Chart && !view.element.hidden && hasMark(view, control) ? [view] : []));
  haunted.set(figure, charts.map((chart) => new Ghosts(chart, control, marks)));
  return charts.length > 0;
}

/** Takes them away. @param {Figure} figure */
export function leave(figure) {
  for (const ghosts of haunted.get(figure) ?? []) ghosts.remove();
  haunted.delete(figure);
}

class Ghosts {
  /**
   * @param {Chart} chart
   * @param {string} control
   * @param {Mark[]} marks
   */
  constructor(chart, control, marks) {
    this.chart = chart;
    this.control = control;
    this.marks = marks;
    this.element = chart.tooltip.element.appendChild(div("ghosts", []));
    this.element.ariaHidden = "true";
    chart.layers.push(this);
    this.draw();
  }

  remove() {
    this.chart.layers = this.chart.layers.filter((layer) => layer !== this);
    this.element.remove();
  }

  /** Follows the chart, once it is drawn. */
  draw() {
    const { plot, plotly } = this.chart;
    if (!plotly || !plot._fullLayout?.xaxis) return;
    const { yaxis } = plot._fullLayout;
    const [width, height] = [plot.clientWidth, plot.clientHeight];
    const svg = svgElement("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
    const r = RADIUS * parseFloat(getComputedStyle(document.documentElement).fontSize);
    const curves = positionsOnCurve(this.chart, this.control);
    const stands = this.marks.flatMap(({ x: position, words }) => {
      const there = curves.map((places) => places[position]).filter((place) => place.every(Number.isFinite));
      const heights = there.map(([, y]) => y);
      return there.length ? [{ x: there[0][0], y: Math.min(...heights), heights, words }] : [];
    });
    const foot = yaxis._offset + yaxis._length;
    const tops = unhidden(stands, r, [r, foot - r]);
    stands.forEach(({ x, y, heights }, i) => {
      svg.append(svgElement("line", { x1: x, x2: x, y1: Math.min(y, tops[i]), y2: foot }));
      for (const cy of heights) svg.append(svgElement("circle", { cx: x, cy, r: r / 4 }));
    });
    stands.forEach(({ x, words }, i) => svg.append(ring(x, tops[i], words, r)));
    this.element.replaceChildren(svg);
  }
}

/**
 * Numbers in a ring.
 * @param {number} x
 * @param {number} y
 * @param {string} words
 * @param {number} r half of its height
 */
export function ring(x, y, words, r) {
  const group = svgElement("g", { class: "pin" });
  const text = svgElement("text", { x, y });
  text.textContent = words;
  const reach = half(words, r);
  group.append(svgElement("rect", { x: x - reach, y: y - r, width: 2 * reach, height: 2 * r, rx: r }), text);
  return group;
}
