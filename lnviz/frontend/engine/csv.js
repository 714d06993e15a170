// CSV export of the numbers that a figure shows.

import { plainText } from "./text.js";

/** @typedef {(string | number)[]} Row */

/**
 * Return the tables of the visible views: title and rows.
 * @param {import("./figure_layout.js").FigureLayout} layout
 * @returns {{title: string, rows: Row[]}[]}
 */
export function tables({ controller, views }) {
  const shown = views.filter((view) => !view.element.hidden);
  const found = shown.flatMap((view) => {
    if (!("numbers" in view)) return [];
    const rows = view.numbers();
    return rows.length ? [{ title: plainText(view.spec.title, controller), rows }] : [];
  });
  if (found.length) return found;
  // Some figures show only pictures: then export the numbers of their sentences.
  const rows = namedValues(shown.flatMap((view) => ("pieces" in view.spec ? fieldNames(view.spec.pieces) : [])), controller);
  return rows.length ? [{ title: controller.state.payload.title, rows }] : [];
}

/**
 * Return the tensors named in a template.
 * @param {import("./payload").Pieces} pieces
 */
export function fieldNames(pieces) {
  return pieces.flatMap((piece) => (typeof piece === "string" ? [] : [piece.name]));
}

/**
 * Return single numbers or words by tensor name.
 * @param {string[]} names controls among them are skipped
 * @param {import("./controller.js").FigureController} controller
 * @returns {Row[]}
 */
export function namedValues(names, { state }) {
  const existing = [...new Set(names)].filter((name) => name in state.tensors);
  const value = (/** @type {string} */ name) => state.tensors[name].words[state.valueOf(name)] ?? state.valueOf(name);
  return existing.length ? [["what", "value"], ...existing.map((name) => [name, value(name)])] : [];
}

/**
 * Return the numbers of a figure as CSV.
 * @param {import("./figure_layout.js").FigureLayout} layout
 * @param {string[]} source lines on where the numbers are from
 */
export function csv(layout, source) {
  const { payload } = layout.controller.state;
  const at = payload.controls.map(({ name }) => [name, layout.controller.state.labelOf(name)]);
  const values = payload.parameters.map(({ name, value }) => [name, String(value)]);
  const head = [...source.map((line) => [line]), ...values, ...at];
  const blocks = [head, ...tables(layout).map(({ title, rows }) => [[title], ...rows])];
  return blocks.map((rows) => rows.map((row) => row.map(cell).join(",")).join("\r\n")).join("\r\n\r\n") + "\r\n";
}

/** Format a cell. @param {string | number} value */
function cell(value) {
  // Tensors are float32: digits after the seventh are noise.
  if (typeof value === "number") return Number.isFinite(value) ? String(Number(value.toPrecision(7))) : "";
  // Texts that look like formulas must not be evaluated by spreadsheets.
  const text = /^[=+@-]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Return the points of a chart's traces as columns. Labels are left out: they are moved apart.
 * @param {any[]} traces as Plotly has them
 * @param {(name: string) => string} axis returns the title of an axis
 * @param {(name: string, values: ArrayLike<number | string>) => ArrayLike<number | string>} labelsAt returns the tick
 * labels at positions of an axis
 * @returns {Row[]}
 */
export function pointRows(traces, axis, labelsAt = (_, values) => values) {
  /** @type {[string, ArrayLike<number | string>, ArrayLike<number | string>][]} */
  const columns = [];
  const drawn = traces.filter(({ mode }) => mode !== "text");
  for (const trace of drawn.flatMap((trace) => (trace.fill === "toself" ? bandEdges(trace, drawn) : trace))) {
    const { x, y, z } = trace;
    // Unnamed markers mark points of the preceding trace.
    const name = trace.name || (columns.length && trace.mode === "markers" && "marked");
    for (const [key, values] of Object.entries({ x, y, z })) {
      const same = key === "x" && columns.some(([, other]) => sameValues(other, values));
      if (!values?.length || same) continue;
      // The first x column is shared by most traces.
      const suffix = name && columns.length ? `: ${name}` : "";
      columns.push([axis(key) + suffix, values, labelsAt(key, values)]);
    }
  }
  const length = Math.max(0, ...columns.map(([, values]) => values.length));
  const rows = Array.from({ length }, (_, i) => columns.map(([, , shown]) => shown[i] ?? ""));
  return [uniqueNames(columns.map(([head]) => head)), ...rows];
}

/** Return column headings made unique. @param {string[]} heads */
function uniqueNames(heads) {
  return heads.map((head, i) => {
    const before = heads.slice(0, i).filter((other) => other === head).length;
    return before ? `${head} (${before + 1})` : head;
  });
}

/**
 * Return a number whose logarithm is drawn, without the digits that a rounded logarithm does not hold.
 * @param {number} base
 * @param {number} logarithm
 */
export function power(base, logarithm) {
  const value = base ** logarithm;
  const whole = Math.round(value);
  return Math.abs(value - whole) < 1e-6 * whole ? whole : Number(value.toPrecision(4));
}

const DAY = 24 * 3600 * 1000;

/**
 * Return the month of a date position, such as 2019-10, rounded to a day: float32 milliseconds are exact to a minute or
 * two.
 * @param {number} milliseconds
 */
export function month(milliseconds) {
  return new Date(Math.round(milliseconds / DAY) * DAY).toISOString().slice(0, 7);
}

/**
 * Return the upper and lower edge of a band, which is drawn as one closed path, named after the line of its color.
 * @param {any} band
 * @param {any[]} traces
 */
function bandEdges(band, traces) {
  const line = traces.find((trace) => trace.name && trace.line?.color === band.line.color);
  const [x, y] = [Array.from(band.x), Array.from(band.y)];
  const half = x.length / 2;
  const end = (/** @type {string} */ which, /** @type {any[]} */ values) => ({
    name: [line?.name, `${which} end of the band`].filter(Boolean).join(", "),
    x: x.slice(0, half),
    y: values,
  });
  return [end("upper", y.slice(0, half)), end("lower", y.slice(half).reverse())];
}

/**
 * Return whether two columns have the same values.
 * @param {ArrayLike<number | string>} one
 * @param {ArrayLike<number | string>} other
 */
function sameValues(one, other) {
  return one.length === other?.length && Array.from(one).every((value, i) => value === other[i]);
}
