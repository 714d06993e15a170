// A table of numbers, colored by value; the group of the pointed cell is outlined.

import { borderSides, cellForKey } from "./grid_navigation.js";
import { element, setHidden, setText } from "./dom.js";
import { formatNumber } from "./numbers.js";
import { cellIndexOf, applyLinked, isLinkedApplied, attachCellPointer } from "./pointing.js";
import { paintThumbnail, emptyThumbnail } from "./thumbnail.js";
import { offset, slice, valueAt } from "./tensors.js";
import { Template, plainText } from "./text.js";

/** @typedef {import("./payload").Pieces} Pieces */
/**
 * A margin: its number cells, and all elements that are hidden with it.
 * @typedef {{spec: import("./payload").Margin, nodes: HTMLElement[], all: HTMLElement[]}} Margin
 */
/**
 * A cell: its elements, text, color level, and classes.
 * @typedef {{element: HTMLTableCellElement, words: Element | null, number: Element, text: string | null, level: number,
 * marks: string}} Cell
 */

/** Pixels at the right edge of a wide table that fade, as in `grid.css`. */
const FADE = 48;

export class Grid {
  /**
   * @param {import("./payload").Grid} spec
   * @param {import("./controller.js").FigureController} controller
   */
  constructor(spec, controller) {
    this.spec = spec;
    this.controller = controller;
    this.pointer = /** @type {import("./payload").CellPicker} */ (controller.state.controls[spec.pointer]);
    this.columns = this.pointer.columns.length;
    // One tensor for all cells, or one for each row.
    this.rowTensors = spec.rows.length ? spec.rows.map((row) => row.values) : [spec.values];
    this.element = element("div", "grid");
    /** Whether rows are drawn as columns; null before the first drawing. @type {boolean | null} */
    this.layout = null;
    /** @type {Cell[]} row by row, whatever the layout */
    this.cells = [];
    /** @type {Template[]} */
    this.templates = [];
    /** @type {Margin[]} */
    this.margins = [];
    /** @type {Element[]} */
    this.pictures = [];
    /** Offset of the slice painted in them. */
    this.painted = -1;
    /** Key of the drawn outline. @type {string | null} */
    this.outline = null;
    /** The pointer's position that is visible; -1 if that is not known. */
    this.revealed = -1;
  }

  get transposed() {
    return this.spec.layout !== null && this.controller.state.positions[this.spec.layout] === 1;
  }

  /** The current arrangement of the cells. */
  get shape() {
    return { columns: this.columns, count: this.cells.length, transposed: this.layout === true };
  }

  draw() {
    if (this.layout !== this.transposed) this.build();
    this.drawLabels();
    this.drawValues();
    this.drawPictures();
    this.drawGroups();
    for (const cell of this.cells) {
      const name = `v${cell.level}${cell.words && !cell.text ? " unnumbered" : ""}${cell.marks}`;
      if (cell.element.className === name) continue;
      cell.element.className = name;
      if (cell.marks.endsWith(" held")) cell.element.setAttribute("aria-selected", "true");
      else cell.element.removeAttribute("aria-selected");
    }
  }

  build() {
    this.layout = this.transposed;
    const { spec, pointer } = this;
    const rows = spec.rows.length
      ? spec.rows.map((row) => row.label)
      : pointer.rows.map((label, r) => spec.row_labels[r] ?? [label]);
    const heads = pointer.columns.map((label) => [label]);
    const [down, across] = this.layout ? [heads, rows] : [rows, heads];
    this.templates = [];
    this.margins = spec.margins.map((spec) => ({ spec, nodes: [], all: [] }));
    this.cells = new Array(rows.length * this.columns);
    const beside = this.margins.filter(({ spec }) => (spec.side === "row") !== this.layout);
    const below = this.margins.filter((margin) => !beside.includes(margin));

    const table = element("table");
    table.setAttribute("role", "grid");
    const caption = table.createCaption();
    const head = table.createTHead().insertRow();
    const corner = head.appendChild(element("td"));
    this.addTemplate(caption.appendChild(element("span")), spec.title);
    if (spec.axes.length) {
      const [columns, lines] = this.layout ? [...spec.axes].reverse() : spec.axes;
      this.addTemplate(caption.appendChild(element("span", "across")), [...columns, " →"]);
      this.addTemplate(corner, [...lines, " ↓"]);
    }
    head.append(...across.map((label) => this.heading(label, "col")));
    for (const margin of beside) {
      margin.all.push(head.appendChild(this.heading([margin.spec.label], "col", "stat")));
    }
    const body = table.createTBody();
    down.forEach((label, line) => {
      const row = body.insertRow();
      row.append(this.heading(label, "row"));
      across.forEach((_, place) => this.addCell(row, ...(this.layout ? [place, line] : [line, place])));
      for (const margin of beside) addStatistic(margin, row);
    });
    const foot = table.createTFoot();
    for (const margin of below) {
      const row = foot.insertRow();
      row.append(this.heading([margin.spec.label], "row", "stat"));
      for (const _ of across) addStatistic(margin, row);
      margin.all = [row];
    }
    if (spec.color !== "current") table.style.setProperty("--ln-current", `var(--ln-${spec.color})`);
    table.classList.toggle("any", spec.format.startsWith("g") && !spec.words.length && !spec.row_words.length);
    table.classList.toggle("worded", spec.row_words.length > 0);
    table.classList.toggle("failures", spec.shade === "failure");
    table.classList.toggle("successes", spec.shade === "success");
    table.classList.toggle("panel", Object.keys(spec.also).length > 0);
    table.classList.toggle("dense", !spec.row_words.length && (across.length > 6 || down.length > 8));
    this.listen(table);
    this.addPictures(table);
    this.element.replaceChildren(table);
    this.outline = null;
    this.revealed = -1;
  }

  /**
   * @param {Pieces} pieces
   * @param {string} scope
   */
  heading(pieces, scope, className = "") {
    const node = element("th", className);
    node.scope = scope;
    this.addTemplate(node, pieces);
    return node;
  }

  /**
   * Keep a text in sync with the state.
   * @param {HTMLElement} node
   * @param {Pieces} pieces
   */
  addTemplate(node, pieces) {
    this.templates.push(new Template(node, pieces, this.controller));
  }

  /**
   * @param {HTMLTableRowElement} line
   * @param {number} [row]
   * @param {number} [column]
   */
  addCell(line, row = 0, column = 0) {
    const index = row * this.columns + column;
    const cell = line.insertCell();
    cell.dataset.index = String(index);
    cell.tabIndex = -1;
    this.cells[index] = { element: cell, ...this.buildCellContent(cell, index), text: null, level: 0, marks: "" };
  }

  /**
   * Return where a cell's number goes: the cell itself, or a line below its words.
   * @param {HTMLElement} cell
   * @param {number} index
   */
  buildCellContent(cell, index) {
    const fixed = this.spec.words[index];
    if (!fixed && !this.spec.row_words.length) return { words: null, number: cell };
    const words = cell.appendChild(element("small", fixed?.includes("\n") ? "lines" : "", fixed));
    return { words, number: cell.appendChild(element("span")) };
  }

  /** Add thumbnails to the labels of the rows that have one. @param {HTMLTableElement} table */
  addPictures(table) {
    this.pictures = [];
    this.painted = -1;
    if (!this.spec.pictures) return;
    const tensor = this.controller.state.tensors[this.spec.pictures];
    const [count, height, width] = tensor.shape.slice(tensor.over.length);
    const labels = [...table.querySelectorAll(this.layout ? "thead th:not(.stat)" : "tbody th")].slice(0, count);
    this.pictures = labels.map(() => emptyThumbnail(height, width));
    this.pictures.forEach((svg, i) => labels[i].append(" ", svg));
  }

  drawPictures() {
    if (!this.pictures.length) return;
    const { tensors, positions } = this.controller.state;
    const tensor = tensors[this.spec.pictures];
    const start = offset(tensor, positions);
    if (start === this.painted) return;
    this.painted = start;
    const [, height, width] = tensor.shape.slice(tensor.over.length);
    const pixels = slice(tensor, positions, "");
    this.pictures.forEach((svg, i) => paintThumbnail(svg, width, pixels.slice(i * height * width, (i + 1) * height * width)));
  }

  drawValues() {
    const { spec } = this;
    const { tensors, positions } = this.controller.state;
    const length = this.cells.length / this.rowTensors.length;
    const starts = this.rowTensors.map((name) => offset(tensors[name], positions, spec.pointer));
    const limit = typeof spec.color_limit === "string" ? this.controller.state.valueOf(spec.color_limit) : spec.color_limit;
    this.cells.forEach((cell, i) => {
      const source = Math.floor(i / length);
      const tensor = tensors[this.rowTensors[source]];
      const value = valueAt(tensor, starts[source] + (i % length));
      const text = Number.isNaN(value) ? "" : (tensor.words[value] ?? formatNumber(value, spec.format));
      const share = Math.max(-1, Math.min(1, value / limit));
      cell.level = Number.isNaN(share) ? 0 : Math.round(share * spec.levels);
      if (text === cell.text) return;
      cell.text = text;
      setText(cell.number, text);
    });
    this.currentWords().forEach((text, i) => {
      const { words } = this.cells[i];
      if (words) setText(words, text);
    });
  }

  /** Return words above the numbers that follow the state, row by row. */
  currentWords() {
    const { tensors, positions } = this.controller.state;
    return this.spec.row_words.flatMap((name) => {
      const start = offset(tensors[name], positions, this.spec.pointer);
      return Array.from({ length: this.columns }, (_, i) => tensors[name].words[valueAt(tensors[name], start + i)] ?? "");
    });
  }

  /** Draw everything around the cells, whose width may change: texts and statistics. */
  drawLabels() {
    for (const template of this.templates) template.draw();
    this.drawMargins();
  }

  drawMargins() {
    const { state } = this.controller;
    for (const { spec, nodes, all } of this.margins) {
      const shown = state.isShown(spec);
      for (const node of all) setHidden(node, !shown);
      if (!shown) continue;
      const tensor = state.tensors[spec.values];
      const start = offset(tensor, state.positions);
      const marks = state.tensors[spec.marks];
      nodes.forEach((node, i) => {
        const value = valueAt(tensor, start + i);
        const text = Number.isNaN(value) ? "" : formatNumber(value, spec.format);
        setText(node, text);
        if (marks) node.classList.toggle("moved", valueAt(marks, offset(marks, state.positions) + i) === 1);
      });
    }
  }

  /** Return the cells as numbers, or as the words that these encode. @returns {import("./csv.js").Row[]} */
  numbers() {
    const { spec, controller } = this;
    const { tensors, positions } = controller.state;
    const length = this.cells.length / this.rowTensors.length;
    const values = this.rowTensors.flatMap((name) => {
      const start = offset(tensors[name], positions, spec.pointer);
      const drawn = Array.from({ length }, (_, i) => valueAt(tensors[name], start + i));
      return drawn.map((value) => tensors[name].words[value] || value);
    });
    const heads = spec.rows.length ? spec.rows.map(({ label }) => label) : this.pointer.rows.map((label, r) => spec.row_labels[r] ?? [label]);
    /** @type {<T>(of: T[], row: number) => T[]} */
    const rowOf = (of, row) => of.slice(row * this.columns, (row + 1) * this.columns);
    const words = this.currentWords();
    const rows = heads.flatMap((head, r) => {
      const name = plainText(head, controller);
      const numbers = [name, ...rowOf(values, r)];
      return words.length ? [[name, ...rowOf(words, r)], numbers] : [numbers];
    });
    return [["", ...this.pointer.columns], ...rows];
  }

  /** Mark the pointed cell and the outline of its group. */
  drawGroups() {
    const { spec, cells, shape } = this;
    const { positions, tensors, held } = this.controller.state;
    const pointed = positions[spec.pointer];
    const groups = spec.groups && tensors[spec.groups];
    const start = groups ? offset(groups, positions, spec.pointer) : 0;
    const isHeld = held.has(spec.pointer);
    const isApplied = isLinkedApplied(this.controller, spec.also);
    const outline = `${pointed} ${start} ${isHeld} ${isApplied}`;
    if (outline === this.outline) return;
    this.outline = outline;
    if (isApplied && pointed !== this.revealed) requestAnimationFrame(() => this.reveal(pointed));
    this.element.classList.toggle("away", !isApplied);
    const id = (/** @type {number} */ i) => (groups ? valueAt(groups, start + i) : -1);
    const member = (/** @type {number} */ i) => id(pointed) >= 0 && id(i) === id(pointed);
    cells.forEach((cell, i) => {
      let marks = "";
      if (groups && id(i) < 0) marks += " out";
      if (member(i)) marks += ` ${["member", ...borderSides(i, member, shape)].join(" ")}`;
      if (this.pointerPosition(i) === pointed && !isApplied) marks += " beside";
      else if (this.pointerPosition(i) === pointed) marks += isHeld ? " pointed held" : " pointed";
      cell.marks = marks;
      cell.element.tabIndex = i === pointed ? 0 : -1;
    });
  }

  /**
   * Scroll a table that is wider than the screen to a cell to which another screen or a step has moved the pointer.
   * @param {number} pointed position of the pointer
   */
  reveal(pointed) {
    const { element: box } = this;
    const cell = this.cells.find((_, i) => this.pointerPosition(i) === pointed)?.element;
    if (!cell || !box.clientWidth || pointed === this.revealed) return;
    this.revealed = pointed;
    if (box.scrollWidth <= box.clientWidth) return;
    const [{ left, right }, shown] = [cell, box].map((each) => each.getBoundingClientRect());
    const labels = cell.parentElement?.querySelector("th")?.getBoundingClientRect().width ?? 0; // they stay at the left edge
    if (left < shown.left + labels || right > shown.right - FADE) box.scrollLeft += (left + right - shown.left - labels - shown.right) / 2;
  }

  /** Return the pointer's position at a cell; with a tensor per row, that of its column. @param {number} index */
  pointerPosition(index) {
    return this.spec.rows.length ? index % this.columns : index;
  }

  /** @param {HTMLTableElement} table */
  listen(table) {
    const { controller } = this;
    const { also, pointer } = this.spec;
    // One who points at a cell sees it.
    const point = (/** @type {number} */ index) => (this.revealed = this.pointerPosition(index));
    attachCellPointer(table, controller, pointer, point, also);
    table.addEventListener("keydown", (event) => {
      const index = cellIndexOf(event, table);
      if (index < 0) return;
      const to = cellForKey(index, event.key, this.shape);
      if (event.key === "Enter" || event.key === " ") controller.hold(pointer, !controller.state.held.has(pointer));
      else if (to < 0) return;
      else {
        applyLinked(controller, also);
        controller.set(pointer, point(to));
        this.cells[to].element.focus();
      }
      event.preventDefault();
    });
  }
}

/**
 * Add a cell to a margin.
 * @param {Margin} margin
 * @param {HTMLTableRowElement} row
 */
function addStatistic(margin, row) {
  const cell = row.insertCell();
  cell.className = "stat";
  margin.nodes.push(cell);
  margin.all.push(cell);
}
