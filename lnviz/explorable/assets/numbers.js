// The numbers that a figure shows now, as a table for other programs.

import { plain } from "./text.js";

/** @typedef {(string | number)[]} Row */

/** @param {import("./figure.js").Figure} figure */
export function csv(figure) {
  const tables = figure.views.filter((view) => !view.element.hidden).flatMap((view) => {
    if (!("numbers" in view)) return [];
    return [[[plain(view.spec.title, figure)], ...view.numbers()]];
  });
  return tables.map((rows) => rows.map((row) => row.map(cell).join(",")).join("\r\n")).join("\r\n\r\n") + "\r\n";
}

/** @param {string | number} value */
function cell(value) {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  // A text that begins like a formula is none.
  const text = /^[=+@-]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * The points of a chart's traces, side by side.
 * @param {any[]} traces as Plotly has them
 * @param {(name: string) => string} axis the title of an axis
 * @returns {Row[]}
 */
export function points(traces, axis) {
  /** @type {[string, ArrayLike<number | string>][]} */
  const columns = [];
  for (const trace of traces) {
    const name = trace.name ? `: ${trace.name}` : "";
    for (const key of ["x", "y", "z"]) {
      const values = trace[key];
      const same = key === "x" && columns.some(([, other]) => alike(other, values));
      if (values?.length && !same) columns.push([axis(key) + name, values]);
    }
  }
  const length = Math.max(0, ...columns.map(([, values]) => values.length));
  const rows = Array.from({ length }, (_, i) => columns.map(([, values]) => values[i] ?? ""));
  return [columns.map(([head]) => head), ...rows];
}

/**
 * @param {ArrayLike<number | string>} one
 * @param {ArrayLike<number | string>} other
 */
function alike(one, other) {
  return one.length === other?.length && Array.from(one).every((value, i) => value === other[i]);
}
