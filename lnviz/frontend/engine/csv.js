// The numbers that a figure shows now, as a table for other programs.

import { plainText } from "./text.js";

/** @typedef {(string | number)[]} Row */

/**
 * What the shown views say in numbers: for each its title and its rows.
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
  // Some figures show pictures alone: their numbers are those of their sentences.
  const rows = namedValues(shown.flatMap((view) => ("pieces" in view.spec ? fieldNames(view.spec.pieces) : [])), controller);
  return rows.length ? [{ title: controller.state.payload.title, rows }] : [];
}

/**
 * The tensors that a text names.
 * @param {import("./payload").Pieces} pieces
 */
export function fieldNames(pieces) {
  return pieces.flatMap((piece) => (typeof piece === "string" ? [] : [piece.name]));
}

/**
 * Single numbers, or words, by the names of their tensors.
 * @param {string[]} names controls among them are left out
 * @param {import("./controller.js").FigureController} hand
 * @returns {Row[]}
 */
export function namedValues(names, { state }) {
  const known = [...new Set(names)].filter((name) => name in state.tensors);
  const value = (/** @type {string} */ name) => state.tensors[name].words[state.valueOf(name)] ?? state.valueOf(name);
  return known.length ? [["what", "value"], ...known.map((name) => [name, value(name)])] : [];
}

/**
 * @param {import("./figure_layout.js").FigureLayout} layout
 * @param {string[]} source lines that say where the numbers are from
 */
export function csv(layout, source) {
  const { payload } = layout.controller.state;
  const at = payload.controls.map(({ name }) => [name, layout.controller.state.labelOf(name)]);
  const values = payload.parameters.map(({ name, value }) => [name, String(value)]);
  const head = [...source.map((line) => [line]), ...values, ...at];
  const blocks = [head, ...tables(layout).map(({ title, rows }) => [[title], ...rows])];
  return blocks.map((rows) => rows.map((row) => row.map(cell).join(",")).join("\r\n")).join("\r\n\r\n") + "\r\n";
}

/** @param {string | number} value */
function cell(value) {
  // Tensors are float32: what comes after the seventh digit is no part of a number.
  if (typeof value === "number") return Number.isFinite(value) ? String(Number(value.toPrecision(7))) : "";
  // A text that begins like a formula is none.
  const text = /^[=+@-]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * The points of a chart's traces, side by side: not where its words stand, which are moved apart.
 * @param {any[]} traces as Plotly has them
 * @param {(name: string) => string} axis the title of an axis
 * @param {(name: string, values: ArrayLike<number | string>) => ArrayLike<number | string>} labelsAt what stands at places of an axis
 * @returns {Row[]}
 */
export function pointRows(traces, axis, labelsAt = (_, values) => values) {
  /** @type {[string, ArrayLike<number | string>, ArrayLike<number | string>][]} */
  const columns = [];
  const drawn = traces.filter(({ mode }) => mode !== "text");
  for (const trace of drawn.flatMap((trace) => (trace.fill === "toself" ? bandEdges(trace, drawn) : trace))) {
    const { x, y, z } = trace;
    // Dots without a name mark points of what comes before them.
    const name = trace.name || (columns.length && trace.mode === "markers" && "marked");
    for (const [key, values] of Object.entries({ x, y, z })) {
      const same = key === "x" && columns.some(([, other]) => sameValues(other, values));
      if (!values?.length || same) continue;
      // The places that come first are those of most.
      const whose = name && columns.length ? `: ${name}` : "";
      columns.push([axis(key) + whose, values, labelsAt(key, values)]);
    }
  }
  const length = Math.max(0, ...columns.map(([, values]) => values.length));
  const rows = Array.from({ length }, (_, i) => columns.map(([, , shown]) => shown[i] ?? ""));
  return [uniqueNames(columns.map(([head]) => head)), ...rows];
}

/** Names of columns, no two of them the same. @param {string[]} heads */
function uniqueNames(heads) {
  return heads.map((head, i) => {
    const before = heads.slice(0, i).filter((other) => other === head).length;
    return before ? `${head} (${before + 1})` : head;
  });
}

const DAY = 24 * 3600 * 1000;

/**
 * The month of a place on an axis of dates, 2019-10, to the nearest day: a tensor holds milliseconds to a minute or two.
 * @param {number} milliseconds
 */
export function month(milliseconds) {
  return new Date(Math.round(milliseconds / DAY) * DAY).toISOString().slice(0, 7);
}

/**
 * The upper and the lower end of a band, which is drawn there and back. It has the name of the line in its color.
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
 * @param {ArrayLike<number | string>} one
 * @param {ArrayLike<number | string>} other
 */
function sameValues(one, other) {
  return one.length === other?.length && Array.from(one).every((value, i) => value === other[i]);
}
