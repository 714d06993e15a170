// Collapsed sections below a figure's views: its numbers as tables, and how they were measured.

import { pluralize } from "./counts.js";
import { button, div, element } from "./dom.js";
import { tables } from "./csv.js";
import { formatNumber } from "./numbers.js";

/** Rows of a table at first, and at most; the CSV file has all. */
const [FEW_ROWS, MAX_ROWS] = [8, 200];

/** Tables of the numbers on screen, built only while the section is open. */
export class DataTables {
  /** @param {import("./figure_layout.js").FigureLayout} layout */
  constructor(layout) {
    this.layout = layout;
    this.rows = FEW_ROWS;
    this.tables = div("tables", []);
    this.more = button("Show all rows", () => this.showAll());
    this.element = disclosure("Numbers", [this.tables, this.more]);
    this.element.addEventListener("toggle", () => this.draw());
  }

  draw() {
    if (!this.element.open) return;
    const shown = tables(this.layout);
    this.tables.replaceChildren(...shown.map((table) => tableElement(table, this.rows)));
    this.more.hidden = this.rows === MAX_ROWS || shown.every(({ rows }) => rows.length - 1 <= this.rows);
  }

  /** Show as many rows as a page can hold, with the focus on the first table. */
  showAll() {
    this.rows = MAX_ROWS;
    this.draw();
    const [first] = this.tables.children;
    if (first instanceof HTMLElement) first.focus();
  }
}

/**
 * Return a collapsed section with a title.
 * @param {string} title
 * @param {Element[]} content
 */
export function disclosure(title, content) {
  const node = element("details", "fold");
  node.append(element("summary", "", title), ...content);
  return node;
}

/**
 * Return a table with its caption and its size, in a scrollable box.
 * @param {{title: string, rows: import("./csv.js").Row[]}} shown
 * @param {number} most rows
 */
function tableElement({ title, rows }, most) {
  const node = element("table", "numbers");
  node.append(element("caption", "", title));
  const [head, ...body] = rows;
  node.createTHead().append(tableRow(head, "th"));
  const below = node.createTBody();
  below.append(...body.slice(0, most).map((row) => tableRow(row, "td")));
  const wide = div("wide", [node, element("p", "note", sizeText(body.length, head.length, most))]);
  wide.tabIndex = 0;
  wide.setAttribute("role", "group");
  wide.setAttribute("aria-label", title);
  return wide;
}

/**
 * Return the size of a table in words.
 * @param {number} rows
 * @param {number} columns
 * @param {number} most rows that are shown
 */
function sizeText(rows, columns, most) {
  const size = `${pluralize(rows, "row")}, ${pluralize(columns, "column")}`;
  if (rows <= most) return `${size}.`;
  return `${size}; the first ${most} are shown.${most === MAX_ROWS ? " The CSV file has all of them." : ""}`;
}

/**
 * Return a table row.
 * @param {import("./csv.js").Row} row
 * @param {"th" | "td"} tag
 */
function tableRow(row, tag) {
  const node = element("tr");
  for (const value of row) {
    const text = typeof value === "number" ? (Number.isNaN(value) ? "" : formatNumber(value, "g4")) : value;
    const cell = element(tag, "", text);
    if (tag === "th") /** @type {HTMLTableCellElement} */ (cell).scope = "col";
    node.append(cell);
  }
  return node;
}
