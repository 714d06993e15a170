// What a figure has folded away below its views: its numbers as tables, and how they were measured.

import { block, element } from "./dom.js";
import { tables } from "./csv.js";
import { number } from "./numbers.js";

/** Rows that a table shows; the file has all. */
const MOST = 200;

/** The numbers that are shown, as tables; made only while somebody looks. */
export class Numbers {
  /** @param {import("./drawing.js").Drawing} drawing */
  constructor(drawing) {
    this.drawing = drawing;
    this.tables = block("tables", []);
    this.element = fold("Numbers", [this.tables]);
    this.element.addEventListener("toggle", () => this.draw());
  }

  draw() {
    if (this.element.open) this.tables.replaceChildren(...tables(this.drawing).map(table));
  }
}

/**
 * What is opened by its title.
 * @param {string} title
 * @param {Element[]} content
 */
export function fold(title, content) {
  const node = element("details", "fold");
  node.append(element("summary", "", title), ...content);
  return node;
}

/** @param {{title: string, rows: import("./csv.js").Row[]}} shown */
function table({ title, rows }) {
  const node = element("table", "numbers");
  node.append(element("caption", "", title));
  const [head, ...body] = rows;
  node.createTHead().append(line(head, "th"));
  const below = node.createTBody();
  below.append(...body.slice(0, MOST).map((row) => line(row, "td")));
  const wide = block("wide", [node]);
  wide.tabIndex = 0;
  wide.setAttribute("role", "group");
  wide.setAttribute("aria-label", title);
  if (body.length > MOST) wide.append(element("p", "note", `The first ${MOST} of ${number(body.length, "0")} rows. The file has all.`));
  return wide;
}

/**
 * @param {import("./csv.js").Row} row
 * @param {"th" | "td"} tag
 */
function line(row, tag) {
  const node = element("tr");
  for (const value of row) {
    const text = typeof value === "number" ? (Number.isNaN(value) ? "" : number(value, "g4")) : value;
    const cell = element(tag, "", text);
    if (tag === "th") /** @type {HTMLTableCellElement} */ (cell).scope = "col";
    node.append(cell);
  }
  return node;
}
