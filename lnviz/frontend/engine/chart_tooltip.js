// Tooltip of a chart: the values at the position of the mouse, finger or keyboard. Plotly's own hover would redraw
// large parts of the chart.

import { element, setText } from "./dom.js";
import { formatNumber } from "./numbers.js";

/** @typedef {import("./chart.js").Chart} Chart */
/** Tooltip of a chart, for pointer and keyboard. @typedef {{trace: any, index: number}} DataPoint */

export class ChartTooltip {
  /** @param {Chart} chart */
  constructor(chart) {
    this.chart = chart;
    /** The position pointed at, in axis coordinates; null for none. @type {{x: number, y: number} | null} */
    this.position = null;
    this.line = element("div", "reading-line");
    this.label = element("div", "reading");
    this.element = element("div", "readable");
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "slider");
    this.element.setAttribute("aria-label", "Values in the chart");
    this.element.setAttribute("aria-valuemin", "0");
    this.element.setAttribute("aria-valuemax", "1");
    this.element.setAttribute("aria-valuenow", "0");
    this.element.append(this.line, this.label);
    this.hide();
    this.element.addEventListener("pointermove", (event) => this.followPointer(event));
    this.element.addEventListener("pointerdown", (event) => this.followPointer(event));
    this.element.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.hide());
    this.element.addEventListener("blur", () => this.hide());
    this.element.addEventListener("keydown", (event) => this.onKey(event));
  }

  hide() {
    this.position = null;
    this.line.hidden = this.label.hidden = true;
  }

  /** @param {PointerEvent} event */
  followPointer({ clientX, clientY }) {
    const layout = this.chart.plot._fullLayout;
    if (!this.chart.plotly || !layout?.xaxis) return;
    if (this.element.classList.contains("held")) return this.hide();
    const { left, top } = this.chart.plot.getBoundingClientRect();
    const [across, up] = [clientX - left - layout.xaxis._offset, clientY - top - layout.yaxis._offset];
    if (across < 0 || across > layout.xaxis._length || up < 0 || up > layout.yaxis._length) return this.hide();
    this.position = { x: layout.xaxis.p2l(across), y: layout.yaxis.p2l(up) };
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const xs = this.xValues();
    if (event.key === "Escape") this.hide();
    const now = xs.findIndex((x) => this.position && x >= this.position.x);
    const last = xs.length - 1;
    const keys = { ArrowRight: now + 1, ArrowUp: now + 1, ArrowLeft: now - 1, ArrowDown: now - 1, Home: 0, End: last };
    if (!(event.key in keys) || !xs.length) return;
    event.preventDefault();
    const to = keys[/** @type {keyof typeof keys} */ (event.key)];
    const x = xs[Math.max(0, Math.min(last, this.position ? to : event.key === "End" ? last : 0))];
    this.position = { x, y: this.position?.y ?? Number(this.nearestPoints(x, 0)[0]?.trace.y?.[0] ?? 0) };
    this.draw();
  }

  /** Return the positions for the keyboard: the x of all points, ascending. */
  xValues() {
    const xs = this.traces().flatMap((trace) => Array.from(/** @type {ArrayLike<number>} */ (trace.x ?? [])));
    return [...new Set(xs)].filter(Number.isFinite).sort((a, b) => a - b);
  }

  /** Return the traces worth reading: those of the legend, or all where there is none. @returns {any[]} */
  traces() {
    const drawn = (this.chart.plot.data ?? []).filter((/** @type {any} */ t) => t.x && t.y && t.visible !== false && t.mode !== "text");
    const named = drawn.filter((/** @type {any} */ t) => t.name && t.showlegend !== false);
    return named.length ? named : drawn.filter((/** @type {any} */ t) => t.fill === undefined);
  }

  /**
   * Return the points nearest to a position: one per line, or a single one among dots.
   * @param {number} x
   * @param {number} y
   * @returns {DataPoint[]}
   */
  nearestPoints(x, y) {
    const { xaxis, yaxis } = this.chart.plot._fullLayout;
    const traces = this.traces();
    const flat = traces.every((trace) => trace.type === "heatmap" || (trace.mode && !trace.mode.includes("lines")));
    const points = traces.map((trace) => {
      const away = (/** @type {number} */ i) => {
        const across = Math.abs(xaxis.l2p(trace.x[i]) - xaxis.l2p(x));
        return flat ? Math.hypot(across, yaxis.l2p(trace.y[i]) - yaxis.l2p(y)) : across;
      };
      let index = -1;
      let least = Infinity;
      for (let i = 0; i < trace.x.length; i += 1) {
        const distance = away(i);
        if (distance < least) [index, least] = [i, distance];
      }
      return { trace, index, least };
    });
    const found = points.filter(({ index }) => index >= 0);
    return flat ? found.sort((a, b) => a.least - b.least).slice(0, 1) : found;
  }

  /** Redraw the tooltip for the figure's present state. */
  draw() {
    if (!this.position) return;
    const { xaxis, yaxis } = this.chart.plot._fullLayout;
    const points = this.nearestPoints(this.position.x, this.position.y);
    if (!points.length) return this.hide();
    const [{ trace, index }] = points;
    const x = trace.x[index];
    const where = `${title(xaxis)} ${this.formatValue("x", x)}`.trim();
    const values = points.map((point) => {
      const { trace, index } = point;
      const { text } = this.chart.spec.figure.data[this.chart.plot.data.indexOf(trace)]; // on the chart, labels may be joined
      const dot = Array.isArray(text) ? text[index] : "";
      const value = trace.z ? formatNumber(trace.z[index], "g3") : this.formatValue("y", trace.y[index]);
      return [trace.name || dot || title(yaxis), value].filter(Boolean).join(": ");
    });
    const text = [where, ...values].join("\n");
    setText(this.label, text);
    this.element.setAttribute("aria-valuetext", [where, ...values].join(", "));
    // As a fraction of the axis, from 0 to 1.
    this.element.setAttribute("aria-valuenow", (xaxis.l2p(x) / xaxis._length).toFixed(3));
    this.line.hidden = this.label.hidden = false;
    const left = xaxis._offset + xaxis.l2p(x);
    this.line.style.left = `${left}px`;
    this.line.style.top = `${yaxis._offset}px`;
    this.line.style.height = `${yaxis._length}px`;
    const beyond = left > xaxis._offset + xaxis._length / 2;
    this.label.style.left = beyond ? "auto" : `${left + 8}px`;
    this.label.style.right = beyond ? `${this.element.clientWidth - left + 8}px` : "auto";
    this.label.style.top = `${yaxis._offset + 4}px`;
  }

  /**
   * Format a value in the unit of the axis labels.
   * @param {"x" | "y"} axis
   * @param {number} value
   */
  formatValue(axis, value) {
    if (Number.isNaN(value)) return "no value";
    const { layout } = this.chart.spec.figure;
    const base = layout.meta?.[axis];
    if (base) return formatNumber(base ** value, "g2");
    const { tickvals = [], ticktext = [] } = layout[`${axis}axis`] ?? {};
    const named = tickvals.findIndex((/** @type {number} */ tick) => Math.abs(tick - value) < 0.5);
    const words = ticktext.length && ticktext.every((/** @type {string} */ text) => Number.isNaN(Number(text)));
    return words && named >= 0 ? ticktext[named] : formatNumber(value, "g3");
  }
}

/** Return the title of an axis. @param {any} axis */
function title(axis) {
  return axis.title?.text ?? "";
}
