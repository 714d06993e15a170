// A table of numbers, colored by value; the group of the pointed cell is outlined.

import { paint, picture } from "./pictures.js";
import { offset, slice, valueAt } from "./tensors.js";
import { Template, number } from "./text.js";

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export class Grid {
  /** @param {any} spec @param {import("./explorable.js").Figure} figure */
  constructor(spec, figure) {
    this.spec = spec;
    this.figure = figure;
    this.pointer = figure.controls[spec.pointer];
    this.columns = this.pointer.columns.length;
    // What each row of cells draws: one tensor for all, or one for each row.
    this.sources = spec.rows.length ? spec.rows.map((row) => row.values) : [spec.values];
    this.element = document.createElement("div");
    this.element.className = "grid";
    this.layout = null;
  }

  get transposed() {
    return this.spec.layout !== null && this.figure.positions[this.spec.layout] === 1;
  }

  draw() {
    if (this.layout !== this.transposed) this.build();
    for (const template of this.templates) template.draw();
    this.drawValues();
    this.drawMargins();
    this.drawPictures();
    this.drawGroups();
    this.cells.forEach((cell, i) => {
      const name = `v${this.levels[i]}${this.marks[i]}`;
      if (cell.className !== name) cell.className = name;
    });
  }

  build() {
    this.layout = this.transposed;
    const { columns } = this.pointer;
    const { spec, pointer } = this;
    const rows = spec.rows.length
      ? spec.rows.map((row) => row.label)
      : pointer.rows.map((label, r) => spec.heads[r] ?? [label]);
    const heads = columns.map((label) => [label]);
    const [down, across] = this.layout ? [heads, rows] : [rows, heads];
    this.templates = [];
    const heading = (pieces, scope, className = "") => {
      const node = document.createElement("th");
      node.scope = scope;
      if (className) node.className = className;
      this.templates.push(new Template(node, pieces, this.figure));
      return node;
    };
    const table = document.createElement("table");
    table.setAttribute("role", "grid");
    this.templates.push(new Template(table.createCaption(), this.spec.title, this.figure));
    this.cells = new Array(rows.length * columns.length);
    this.numbers = new Array(this.cells.length);
    this.texts = new Array(this.cells.length).fill(null);
    this.levels = new Array(this.cells.length).fill(0);
    this.marks = new Array(this.cells.length).fill("");
    this.margins = this.spec.margins.map((spec) => ({ spec, nodes: [], all: [] }));
    const isBeside = (margin) => (margin.spec.side === "row") !== this.layout;
    const beside = this.margins.filter(isBeside);
    const below = this.margins.filter((margin) => !isBeside(margin));

    const head = table.createTHead().insertRow();
    head.append(document.createElement("td"));
    for (const label of across) head.append(heading(label, "col"));
    for (const margin of beside) margin.all.push(head.appendChild(heading([margin.spec.label], "col", "stat")));

    const body = table.createTBody();
    down.forEach((label, line) => {
      const row = body.insertRow();
      row.append(heading(label, "row"));
      across.forEach((_, place) => {
        const [r, c] = this.layout ? [place, line] : [line, place];
        const cell = row.insertCell();
        cell.dataset.index = String(r * this.columns + c);
        cell.tabIndex = -1;
        this.cells[r * this.columns + c] = cell;
        this.numbers[r * this.columns + c] = this.fill(cell, r * this.columns + c);
      });
      for (const margin of beside) addStatistic(margin, row);
    });
    const foot = table.createTFoot();
    for (const margin of below) {
      const row = foot.insertRow();
      row.append(heading([margin.spec.label], "row", "stat"));
      for (const _ of across) addStatistic(margin, row);
      margin.all = [row];
    }
    if (this.spec.color !== "current") {
      table.style.setProperty("--ln-current", `var(--ln-${this.spec.color})`);
    }
    table.classList.toggle("wide", across.length > 6);
    this.listen(table);
    this.addPictures(table);
    this.element.replaceChildren(table);
    this.outline = null;
  }

  /** Where a cell's number goes: the cell itself, or a line above its word. */
  fill(cell, index) {
    if (!this.spec.words.length) return cell;
    const line = cell.appendChild(document.createElement("span"));
    cell.appendChild(document.createElement("small")).textContent = this.spec.words[index];
    return line;
  }

  /** Puts a picture behind the label of each row that has one. */
  addPictures(table) {
    this.pictures = [];
    this.painted = -1;
    if (!this.spec.pictures) return;
    const tensor = this.figure.tensors[this.spec.pictures];
    const [count, height, width] = tensor.shape.slice(tensor.over.length);
    const labels = [...table.querySelectorAll(this.layout ? "thead th:not(.stat)" : "tbody th")];
    this.pictures = labels.slice(0, count).map(() => picture(height, width));
    this.pictures.forEach((svg, i) => labels[i].append(" ", svg));
  }

  drawPictures() {
    if (!this.pictures.length) return;
    const { figure, spec } = this;
    const tensor = figure.tensors[spec.pictures];
    const start = offset(tensor, figure.positions);
    if (start === this.painted) return;
    this.painted = start;
    const [, height, width] = tensor.shape.slice(tensor.over.length);
    const pixels = slice(tensor, figure.positions, "");
    this.pictures.forEach((svg, i) => paint(svg, width, pixels.slice(i * height * width, (i + 1) * height * width)));
  }

  drawValues() {
    const { figure, spec } = this;
    const length = this.cells.length / this.sources.length;
    const starts = this.sources.map((name) => offset(figure.tensors[name], figure.positions, spec.pointer));
    for (let i = 0; i < this.cells.length; i += 1) {
      const source = Math.floor(i / length);
      const value = valueAt(figure.tensors[this.sources[source]], starts[source] + (i % length));
      const text = Number.isNaN(value) ? "" : number(value, spec.format);
      if (text === this.texts[i]) continue;
      this.texts[i] = text;
      this.numbers[i].textContent = text;
      const share = Math.max(-1, Math.min(1, value / spec.reach));
      this.levels[i] = Number.isNaN(share) ? 0 : Math.round(share * spec.levels);
    }
  }

  drawMargins() {
    for (const { spec, nodes, all } of this.margins) {
      const shown = this.figure.shows(spec);
      for (const node of all) node.hidden = !shown;
      if (!shown) continue;
      const tensor = this.figure.tensors[spec.values];
      const start = offset(tensor, this.figure.positions);
      const marks = this.figure.tensors[spec.marks];
      nodes.forEach((node, i) => {
        const value = valueAt(tensor, start + i);
        const text = Number.isNaN(value) ? "" : number(value, spec.format);
        if (node.textContent !== text) node.textContent = text;
        if (marks) node.classList.toggle("moved", valueAt(marks, offset(marks, this.figure.positions) + i) === 1);
      });
    }
  }

  /** Marks the pointed cell, and the outer edges of the cells that share its statistics. */
  drawGroups() {
    const { figure, spec, columns } = this;
    const pointed = figure.positions[spec.pointer];
    const groups = spec.groups && figure.tensors[spec.groups];
    const start = groups ? offset(groups, figure.positions, spec.pointer) : 0;
    const held = figure.held.has(spec.pointer);
    const outline = `${pointed} ${start} ${held}`;
    if (outline === this.outline) return;
    this.outline = outline;
    const id = (i) => valueAt(groups, start + i);
    const member = (i) => groups && id(pointed) >= 0 && id(i) === id(pointed);
    const [up, left] = this.layout ? ["l", "t"] : ["t", "l"];
    const [down, right] = this.layout ? ["r", "b"] : ["b", "r"];
    for (let i = 0; i < this.cells.length; i += 1) {
      let marks = "";
      if (groups && id(i) < 0) marks += " out";
      if (member(i)) {
        marks += " member";
        if (i < columns || !member(i - columns)) marks += ` ${up}`;
        if (i + columns >= this.cells.length || !member(i + columns)) marks += ` ${down}`;
        if (i % columns === 0 || !member(i - 1)) marks += ` ${left}`;
        if (i % columns === columns - 1 || !member(i + 1)) marks += ` ${right}`;
      }
      if (this.pointsAt(i) === pointed) marks += held ? " pointed held" : " pointed";
      this.marks[i] = marks;
      this.cells[i].tabIndex = i === pointed ? 0 : -1;
    }
  }

  /** The pointer's position at a cell; with a tensor for each row, that of its column. */
  pointsAt(index) {
    return this.spec.rows.length ? index % this.columns : index;
  }

  listen(table) {
    const { figure } = this;
    const { pointer } = this.spec;
    const cellOf = (event) => {
      const cell = event.target.closest("td[data-index]");
      return cell && table.contains(cell) ? Number(cell.dataset.index) : null;
    };
    const point = (event) => {
      const index = cellOf(event);
      if (index !== null && !figure.held.has(pointer)) figure.set(pointer, this.pointsAt(index));
    };
    table.addEventListener("pointerover", (event) => event.pointerType === "mouse" && point(event));
    table.addEventListener("focusin", point);
    table.addEventListener("click", (event) => {
      const index = cellOf(event);
      if (index === null) return;
      const position = this.pointsAt(index);
      const release = figure.held.has(pointer) && position === figure.positions[pointer];
      figure.set(pointer, position);
      figure.hold(pointer, !release);
    });
    table.addEventListener("keydown", (event) => {
      const index = cellOf(event);
      if (index === null) return;
      if (event.key === "Enter" || event.key === " ") figure.hold(pointer, !figure.held.has(pointer));
      else if (event.key in STEPS || event.key === "Home" || event.key === "End") this.step(index, event.key);
      else return;
      event.preventDefault();
    });
  }

  step(index, key) {
    const rows = this.cells.length / this.columns;
    let [r, c] = [Math.floor(index / this.columns), index % this.columns];
    if (key in STEPS) {
      const [down, across] = this.layout ? [STEPS[key][1], STEPS[key][0]] : STEPS[key];
      r = Math.max(0, Math.min(rows - 1, r + down));
      c = Math.max(0, Math.min(this.columns - 1, c + across));
    } else if (this.layout) {
      r = key === "Home" ? 0 : rows - 1;
    } else {
      c = key === "Home" ? 0 : this.columns - 1;
    }
    this.figure.set(this.spec.pointer, this.pointsAt(r * this.columns + c));
    this.cells[r * this.columns + c].focus();
  }
}

function addStatistic(margin, row) {
  const cell = row.insertCell();
  cell.className = "stat";
  margin.nodes.push(cell);
  margin.all.push(cell);
}
