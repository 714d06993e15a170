// A Plotly figure whose trace attributes are bound to swept tensors.

import { WORD, joinedLabels, spreadLabels, topLabels } from "./label_layout.js";
import { button, element } from "./dom.js";
import { makeDraggable } from "./drag.js";
import { moveMarks } from "./marks.js";
import { month, pointRows, power } from "./csv.js";
import { ChartTooltip } from "./chart_tooltip.js";
import { pickMark } from "./mark_drag.js";
import { Retry } from "./retry.js";
import { fittingTitle } from "./axis_titles.js";
import { slice } from "./tensors.js";
import { Template, plainText } from "./text.js";
import { enqueueDraw } from "./frame_queue.js";

/** @typedef {(token: string) => string} Color returns the theme color of a token */

/** Default axis titles in exported tables. @type {Record<string, string>} */
const DEFAULT_TITLES = { x: "place", y: "value", z: "value" };
const BASE_FONT = 16; // pixels of the page's base font, for which charts are laid out
const CHART_FONT = 14; // pixels of a chart's font at that size
const LABEL_GAP = 16; // pixels between labels at line ends
const LABEL_SHARE = 0.01; // of an axis, within which the labels of two points lie on each other
const TITLE_GAP = 11; // pixels between an axis title and its tick labels
const CHART_PADDING = 64; // pixels of a chart's height outside its axes

/** @type {Promise<any> | null} */
let library = null;

/**
 * Load Plotly, once, at the first chart.
 * @param {string} address
 * @returns {Promise<any>}
 */
export function loadPlotly(address) {
  library ??= new Promise((resolve, reject) => {
    const script = element("script");
    script.src = address;
    script.onload = () => resolve(Reflect.get(window, "Plotly"));
    script.onerror = () => {
      library = null;
      script.remove();
      reject(new Error("The chart library could not be loaded."));
    };
    document.head.append(script);
  });
  return library;
}

/** A chart drawn by Plotly. */
export class Chart {
  /**
   * @param {import("./payload").Chart} spec
   * @param {import("./controller.js").FigureController} controller
   * @param {import("./figure_layout.js").ViewContext} context
   */
  constructor(spec, controller, context) {
    this.spec = spec;
    this.controller = controller;
    this.context = context;
    this.element = element("figure", "chart");
    this.caption = this.element.appendChild(element("figcaption"));
    this.title = new Template(this.caption, spec.title, controller);
    /** Tooltip of the values at a position. */
    this.tooltip = new ChartTooltip(this);
    /** Overlays that follow the chart. @type {{draw: () => void}[]} */
    this.layers = [this.tooltip];
    const frame = this.element.appendChild(this.tooltip.element);
    makeDraggable(frame, (place) => pickMark(this, place), () => controller.settle(), true);
    /** Plotly's root element. @type {any} */
    this.plot = frame.appendChild(element("div", "plot"));
    this.plot.style.setProperty("--natural", `${spec.height / BASE_FONT}rem`);
    this.plot.setAttribute("role", "img");
    // Names of rows lie on each other in a chart that is too low; Plotly leaves out numbers, not names.
    const names = spec.figure.layout.yaxis?.ticktext ?? [];
    if (names.length && names.every((/** @type {string} */ name) => WORD.test(name))) this.plot.dataset.rows = String(names.length);
    /** The Plotly library, after the first drawing. @type {any} */
    this.plotly = null;
    this.started = false;
    /** The page's font scale and least font size, the growth of the chart's fonts and its height in pixels, when last measured. */
    this.measures = { scale: 1, growth: 1, least: 0, height: spec.height };
    /** Whether Plotly's drawing is outdated. */
    this.stale = false;
    /** @type {ResizeObserver | null} */
    this.sizes = null;
    /** Attempts to load the library. */
    this.retry = new Retry(() => this.restart());
  }

  /** Start drawing with Plotly; a hidden chart starts when it is shown. */
  async start() {
    this.started = true;
    try {
      const Plotly = await loadPlotly(this.context.plotly);
      this.retry.cancel();
      await enqueueDraw(() => this.drawFirst(Plotly));
    } catch (error) {
      console.error(error);
      this.plot.replaceChildren("The chart could not be drawn. ", button("Try again", () => this.restart()));
      if (!library) this.retry.schedule();
    }
  }

  /** Start drawing again after a failure. */
  restart() {
    this.plot.replaceChildren();
    this.start();
  }

  /** @param {any} Plotly */
  async drawFirst(Plotly) {
    if (!this.element.isConnected) return;
    const { data, layout } = this.resolvedFigure();
    const { state } = this.controller;
    const startPositions = { ...state.positions };
    this.stale = false;
    await Plotly.newPlot(this.plot, data, layout, { displayModeBar: false });
    if (!this.element.isConnected) {
      Plotly.purge(this.plot);
      return;
    }
    this.onFirstDraw(Plotly);
    if (this.stale || Object.entries(startPositions).some(([name, at]) => state.positions[name] !== at)) this.draw();
  }

  /** From here on the chart follows the figure. @param {any} Plotly */
  onFirstDraw(Plotly) {
    this.plotly = Plotly;
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(this.element);
    this.fitTitles();
    this.drawLayers();
  }

  stop() {
    this.retry.cancel();
    this.sizes?.disconnect();
    this.plotly?.purge(this.plot);
    this.plotly = null;
  }

  /** Replace the data of the chart. @param {import("./payload").Chart} spec */
  update(spec) {
    this.spec = spec;
    this.caption.replaceChildren();
    this.title = new Template(this.caption, spec.title, this.controller);
    this.plot.style.setProperty("--natural", `${spec.height / BASE_FONT}rem`);
    this.stale = true;
  }

  /** Redraw in the current theme colors and width. */
  recolor() {
    if (!this.plotly) return;
    const { data, layout } = this.resolvedFigure();
    // By default Plotly keeps its last width. A hidden chart has none.
    if (this.plot.clientWidth) Object.assign(layout, { width: this.plot.clientWidth, height: this.plot.clientHeight });
    this.plotly.react(this.plot, data, layout);
    this.fitTitles();
  }

  /** Shorten axis titles that are longer than their axes, as on a low chart. */
  fitTitles() {
    const { layout } = this.spec.figure;
    /** @type {Record<string, string>} */
    const changes = {};
    for (const axis of ["xaxis", "yaxis"]) {
      const { _length: length, title: drawn } = this.plot._fullLayout?.[axis] ?? {};
      const written = layout[axis]?.title?.text ?? layout[axis]?.title;
      if (!length || !drawn?.font || typeof written !== "string") continue; // an axis may be hidden
      const text = fittingTitle(written, length, drawn.font);
      if (text !== drawn.text) changes[`${axis}.title.text`] = text;
    }
    if (Object.keys(changes).length) this.plotly.relayout(this.plot, changes);
  }

  draw() {
    const { controller, spec } = this;
    this.title.draw();
    this.plot.setAttribute("aria-label", plainText(spec.alt, controller));
    if (!this.plotly) return;
    if (this.stale) {
      this.stale = false;
      this.recolor();
      this.drawLayers();
      return;
    }
    const values = this.values();
    const moved = moveMarks(this.plot, values);
    // Plotly redraws from its own data when the page's width or theme changes.
    for (const [trace, attributes] of Object.entries(values)) Object.assign(this.plot.data[trace], attributes);
    if (!moved) this.plotly.redraw(this.plot);
    this.drawLayers();
  }

  /** Draw the overlays. */
  drawLayers() {
    for (const layer of this.layers) layer.draw();
  }

  /** Return the points shown. @returns {import("./csv.js").Row[]} */
  numbers() {
    const { data, layout } = this.resolvedFigure();
    const title = (/** @type {string} */ axis) => {
      const text = layout[`${axis}axis`]?.title;
      return String(text?.text || text || DEFAULT_TITLES[axis]);
    };
    const labelsAt = (/** @type {string} */ axis, /** @type {ArrayLike<number | string>} */ values) => {
      const { type, tickvals = [], ticktext } = layout[`${axis}axis`] ?? {};
      const base = layout.meta?.[axis];
      if (base) return Array.from(values, (value) => (typeof value === "number" ? power(base, value) : value));
      if (type === "date") return Array.from(values, (value) => (typeof value === "number" ? month(value) : value));
      const ticks = Array.from(values, (value) => tickvals.indexOf(value));
      return !ticktext || ticks.includes(-1) ? values : ticks.map((tick) => ticktext[tick]);
    };
    return pointRows(data, title, labelsAt);
  }

  /**
   * Return the chart as an SVG document.
   * @param {number} width
   * @param {number} height
   * @returns {Promise<string>}
   */
  async snapshot(width, height) {
    if (!this.plotly) throw new Error("A chart in this figure is still being drawn. Try again in a moment.");
    const { data, layout } = this.resolvedFigure();
    const address = await this.plotly.toImage({ data, layout }, { format: "svg", width, height });
    return decodeURIComponent(address.slice(address.indexOf(",") + 1));
  }

  async resize() {
    // Plotly throws for an element that is being removed. An observer also fires for the initial size.
    const { width, height } = this.plot._fullLayout;
    if (!this.plot.offsetParent || (this.plot.clientWidth === width && this.plot.clientHeight === height)) return;
    if (pageScale() !== this.measures.scale) this.recolor();
    delete this.plot.layout.height; // Plotly would keep an explicit height
    await this.plotly.Plots.resize(this.plot);
    if (!this.plotly) return;
    // Labels at line ends keep their distance.
    this.measure();
    for (const [trace, attributes] of Object.entries(this.values())) Object.assign(this.plot.data[trace], attributes);
    this.plotly.redraw(this.plot);
    this.fitTitles();
    this.drawLayers();
  }

  /**
   * Return the current attributes of the bound traces, by trace.
   * @returns {Record<string, Record<string, any[]>>}
   */
  values() {
    /** @type {Record<string, Record<string, any[]>>} */
    const shown = {};
    for (const [trace, sources] of Object.entries(this.spec.bind)) {
      const read = Object.entries(sources).map(([attribute, source]) => [attribute, this.read(attribute, source, shown)]);
      shown[trace] = Object.fromEntries(read);
    }
    for (const [trace, attributes] of Object.entries(shown)) {
      const labels = this.pointLabels({ ...this.spec.figure.data[Number(trace)], ...attributes });
      if (labels) attributes.text = labels;
    }
    return shown;
  }

  /** Return the labels of points, legible where they lie on each other; null for a trace without any. @param {any} trace */
  pointLabels(trace) {
    if (trace.mode !== "markers+text") return null;
    const { least, scale } = this.measures;
    const { xaxis, yaxis } = this.spec.figure.layout;
    const [across, up] = [xaxis, yaxis].map(({ range: [low, high] }) => LABEL_SHARE * (high - low));
    const isOnDots = areOnDots({ ...trace, textfont: { size: Math.max(trace.textfont.size, least) * scale } });
    return (isOnDots ? topLabels : joinedLabels)(trace.text, trace, [across, up]);
  }

  /**
   * @param {string} attribute
   * @param {import("./payload").TraceSource} source
   * @param {Record<string, Record<string, number[]>>} shown attributes of earlier traces
   * @returns {number[]}
   */
  read(attribute, source, shown) {
    const { tensors, positions } = this.controller.state;
    if (source.kind === "values") return slice(tensors[source.tensor], positions, source.along);
    if (source.kind === "band") {
      const [upper, lower] = [source.upper, source.lower].map((edge) => this.read(attribute, edge, shown));
      return [...upper, ...lower.reverse()];
    }
    const { control, traces, indices: places } = source;
    const position = positions[control];
    const lines = traces.map((trace) => shown[trace]?.[attribute] ?? this.spec.figure.data[trace][attribute]);
    if (control) return lines.map((points) => points[places[position] ?? position]);
    return this.labelHeights(lines.map((points) => points.findLast(Number.isFinite) ?? NaN));
  }

  /** Return the positions of labels whose lines end at these heights. @param {number[]} ends */
  labelHeights(ends) {
    const { range } = this.spec.figure.layout.yaxis;
    const { height, growth } = this.measures;
    const room = Math.max(LABEL_GAP, height - CHART_PADDING * growth);
    return range ? spreadLabels(ends, ((range[1] - range[0]) * LABEL_GAP * growth) / room, range) : ends;
  }

  /** Measure the chart and its page for the draws to come: during a drag, each look would force a layout. */
  measure() {
    this.measures = { scale: pageScale(), growth: fontGrowth(), least: minimumFontSize(), height: this.plot.clientHeight || this.spec.height };
  }

  resolvedFigure() {
    this.measure();
    const { data, layout } = structuredClone(this.spec.figure);
    for (const [number, attributes] of Object.entries(this.values())) {
      const trace = Object.assign(data[Number(number)], attributes);
      // Keep every point of a line in its path, so that `moveMarks` writes the same one.
      if ((trace.type ?? "scatter") === "scatter") trace.line = { ...trace.line, simplify: false };
    }
    // Each color lookup forces a style recalculation.
    const color = memoize((/** @type {string} */ token) => this.context.color(token));
    const { scale, growth } = this.measures;
    layout.template = { layout: chartTemplate(color, getComputedStyle(this.element).fontFamily, growth) };
    // Text in the margins has the page's font size, too.
    const margin = Object.entries(layout.margin ?? {}).map(([side, width]) => [side, width * growth]);
    if (margin.length) layout.margin = Object.fromEntries(margin);
    return { data: resolveTokens(data, color, scale).map(withLegibleLabels), layout: resolveTokens(layout, color, scale) };
  }
}

/**
 * Return the layout that all charts share: Streamlit replaces Plotly's own template.
 * @param {Color} color
 * @param {string} family
 * @param {number} growth of the fonts
 */
function chartTemplate(color, family, growth) {
  const line = color("line");
  const axis = {
    gridcolor: line,
    linecolor: line,
    zerolinecolor: line,
    automargin: true,
    // Drags on a chart belong to marks and to scrolling.
    fixedrange: true,
    // Searching for labels beyond the chart forces a layout per label; margins make room for all.
    ticklabeloverflow: "allow",
  };
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family, size: CHART_FONT, color: color("ink") },
    margin: { l: 8, r: 8, t: 12, b: 8 }, // half of a label is above the axes
    xaxis: axis,
    // By default, a title may touch tick labels that are wider than Plotly guesses.
    yaxis: { ...axis, title: { standoff: TITLE_GAP * growth } },
    hovermode: false,
    dragmode: false,
    showlegend: false,
  };
}

/**
 * Let labels that are too large for the dots that they are written on, as on a projector, stand for these dots.
 * @param {any} trace
 */
export function withLegibleLabels(trace) {
  const { mode, textposition, marker, textfont } = trace;
  if (mode !== "markers+text" || textposition || areOnDots(trace)) return trace;
  return { ...trace, marker: { ...marker, opacity: 0 }, textfont: { ...textfont, color: marker.color } };
}

/** Return whether a trace's labels are written on its dots, which cover those below them. @param {any} trace */
function areOnDots({ textposition, marker, textfont }) {
  return !textposition && textfont.size < marker.size;
}

/**
 * Cache a function's results by name.
 * @template T
 * @param {(name: string) => T} lookUp
 */
function memoize(lookUp) {
  /** @type {Map<string, T>} */
  const answers = new Map();
  return (/** @type {string} */ name) => {
    const answer = answers.get(name) ?? lookUp(name);
    answers.set(name, answer);
    return answer;
  };
}

/** Return the page's font size relative to the base. */
function pageScale() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) / BASE_FONT;
}

/** Return the page's minimum font size in base pixels, larger on a projector. */
function minimumFontSize() {
  return Number(getComputedStyle(document.documentElement).getPropertyValue("--ln-least"));
}

/** Return how much larger chart fonts are than at the base size. */
function fontGrowth() {
  return (pageScale() * Math.max(CHART_FONT, minimumFontSize())) / CHART_FONT;
}

/**
 * Replace every "var(--ln-token)" by the theme's color (Plotly writes colors as attributes), and scale fonts with the
 * page.
 * @param {any} value
 * @param {Color} color
 * @param {number} scale
 * @returns {any}
 */
function resolveTokens(value, color, scale) {
  if (typeof value === "string") return value.replace(/^var\(--ln-([a-z-]+)\)$/, (_, token) => color(token));
  if (Array.isArray(value)) return value.map((item) => resolveTokens(item, color, scale));
  if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) return value;
  const resolved = Object.entries(value).map(([key, item]) => [key, resolveTokens(item, color, scale)]);
  const found = Object.fromEntries(resolved);
  for (const font of [found.font, found.textfont, found.tickfont]) {
    if (typeof font?.size === "number") font.size = Math.max(font.size, minimumFontSize()) * scale;
  }
  return found;
}
