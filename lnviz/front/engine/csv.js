// The numbers that a figure shows now, as a table for other programs.

import { plain } from "./text.js";

/** @typedef {(string | number)[]} Row */

/**
 * What the shown views say in numbers: for each its title and its rows.
 * @param {import("./drawing.js").Drawing} drawing
 * @returns {{title: string, rows: Row[]}[]}
 */
export function tables({ hand, views }) {
  return views.flatMap((view) => {
    if (view.element.hidden || !("numbers" in view)) return [];
    const rows = view.numbers();
    return rows.length ? [{ title: plain(view.spec.title, hand), rows }] : [];
  });
}

/** @param {import("./drawing.js").Drawing} drawing */
export function csv(drawing) {
  const texts = tables(drawing).map(({ title, rows }) => [[title], ...rows].map((row) => row.map(cell).join(",")).join("\r\n"));
  return texts.join("\r\n\r\n") + "\r\n";
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
 * @param {(name: string, values: ArrayLike<number | string>) => ArrayLike<number | string>} said what stands at places of an axis
 * @returns {Row[]}
 */
export function points(traces, axis, said = (_, values) => values) {
  /** @type {[string, ArrayLike<number | string>, ArrayLike<number | string>][]} */
  const columns = [];
  for (const { name, x, y, z } of traces.flatMap((trace) => (trace.fill === "toself" ? ends(trace, traces) : trace))) {
    for (const [key, values] of Object.entries({ x, y, z })) {
      const same = key === "x" && columns.some(([, other]) => alike(other, values));
      if (!values?.length || same) continue;
      // The places that come first are those of most.
      const whose = name && columns.length ? `: ${name}` : "";
      columns.push([axis(key) + whose, values, said(key, values)]);
    }
  }
  const length = Math.max(0, ...columns.map(([, values]) => values.length));
  const rows = Array.from({ length }, (_, i) => columns.map(([, , shown]) => shown[i] ?? ""));
  return [columns.map(([head]) => head), ...rows];
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
function ends(band, traces) {
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
function alike(one, other) {
  return one.length === other?.length && Array.from(one).every((value, i) => value === other[i]);
}
