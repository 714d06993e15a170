// Collapsed sections below a figure's views: its numbers as tables, and how they were measured.

import { div, element } from "./dom.js";
import { tables } from "./csv.js";
import { formatNumber } from "./numbers.js";

/** Maximum rows of a table on the page; the CSV file has all. */
const MAX_ROWS = 200;

/** Tables of the numbers on screen, built only while the section is open. */
export class DataTables {
  /** @param {import("./figure_layout.js").FigureLayout} layout */
  constructor(layout) {
    this.layout = layout;
    this.tables = div("tables", []);
    this.element = disclosure("Numbers", [this.tables]);
    this.element.addEventListener("toggle", () => this.draw());
  }

  draw() {
    if (this.element.open) this.tables.replaceChildren(...tables(this.layout).map(tableElement));
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
 * Return a table with its caption, in a scrollable box.
 * @param {{title: string, rows: import("./csv.js").Row[]}} shown
 */
function tableElement({ title, rows }) {
  const node = element("table", "numbers");
  node.append(element("caption", "", title));
  const [head, ...body] = rows;
  node.createTHead().append(tableRow(head, "th"));
  const below = node.createTBody();
  below.append(...body.slice(0, MAX_ROWS).map((row) => tableRow(row, "td")));
  const wide = div("wide", [node]);
  wide.tabIndex = 0;
  wide.setAttribute("role", "group");
  wide.setAttribute("aria-label", title);
  if (body.length > MAX_ROWS) wide.append(element("p", "note", `The first ${MAX_ROWS} of ${formatNumber(body.length, "0")} rows. The CSV file has all of them.`));
  return wide;
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
