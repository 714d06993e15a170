// Editing of a table's cells: typed into the cell, and on a small screen in a field at the lower edge.

import { div, element, uniqueId } from "./dom.js";
import { SMALL_SCREEN } from "./figure_layout.js";
import { parseNumber } from "./numbers.js";

/** @typedef {import("./payload.js").Edits} Edits */
/** @typedef {import("./grid.js").Grid} Grid */

const REFUSED = "Enter a number, such as -0.8. The cell is unchanged.";

/** Return whether a key begins a number, which replaces the cell's. @param {Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">} event */
export function beginsNumber({ key, ctrlKey, metaKey, altKey }) {
  return /^[-+−.,\d]$/.test(key) && !ctrlKey && !metaKey && !altKey;
}

/**
 * Return the row and column of a picked cell in the table's text.
 * @param {Edits} edits
 * @param {number} position
 */
function cellPosition({ first: [top, left], lines }, position) {
  const width = lines[0].length - left;
  return { row: top + Math.floor(position / width), column: left + (position % width) };
}

/**
 * Return a cell's number as text.
 * @param {Edits} edits
 * @param {number} position
 */
export function cellText(edits, position) {
  const { row, column } = cellPosition(edits, position);
  return edits.lines[row][column];
}

/**
 * Put a number into a cell of the table's text; return the parameter's value for it, or null if the text is no number.
 * The table keeps the number, so that the next one can be typed before the figure has come.
 * @param {Edits} edits
 * @param {number} position
 * @param {string} text
 */
export function editTable(edits, position, text) {
  const typed = parseNumber(text);
  if (!Number.isFinite(typed)) return null;
  const { row, column } = cellPosition(edits, position);
  edits.lines[row][column] = String(typed).replace("e+", "e");
  return edits.prefix + edits.lines.map((line) => line.join("_")).join("*");
}

/** Editor of the cells of a figure's table: the figure is fetched again for the changed table. */
export class CellEditor {
  /**
   * @param {import("./controller.js").FigureController} controller
   * @param {(values: Record<string, string>) => void} change
   */
  constructor(controller, change) {
    this.controller = controller;
    this.change = change;
    /** The table whose cells can be typed into. @type {Grid | null} */
    this.grid = null;
    /** Lies over a cell while a number is typed into it. */
    this.cellInput = numberInput();
    this.cellInput.className = "typed";
    this.cellInput.addEventListener("keydown", (event) => this.onKey(event));
    this.cellInput.addEventListener("click", (event) => event.stopPropagation());
    this.cellInput.addEventListener("input", () => this.cellInput.setCustomValidity(""));
    this.cellInput.addEventListener("blur", () => this.finish(this.cellInput.value));
    /** The field for the pinned cell on a small screen. */
    this.input = numberInput();
    this.input.addEventListener("change", () => {
      if (!this.commit(this.input.value)) this.input.value = this.current;
    });
    this.label = element("label");
    this.input.id = this.label.htmlFor = uniqueId();
    this.status = element("span", "told");
    this.status.setAttribute("role", "status");
    this.element = div("edit", [this.label, this.input, this.status]);
    this.smallScreen = matchMedia(SMALL_SCREEN);
    /** Whether the field in the cell is being removed, which blurs it too. */
    this.isRemoving = false;
    /** The position that the field at the lower edge shows. */
    this.position = -1;
  }

  get edits() {
    return this.controller.currentState?.payload.edits ?? null;
  }

  /** The text of the picked cell. */
  get current() {
    const { edits } = this;
    return edits ? cellText(edits, this.controller.state.positions[edits.pointer]) : "";
  }

  /** Close the field without a commit, before the table may be replaced; return what `resume` needs to go on. */
  suspend() {
    const hasFocus = this.grid?.element.contains(document.activeElement) ?? false;
    const typed = this.cellInput.isConnected ? this.cellInput.value : null;
    this.removeField();
    return { hasFocus, typed };
  }

  /**
   * Let a table be typed into, and go on where the reader was in the one before.
   * @param {Grid | undefined} grid the first one of the editable cells
   * @param {{hasFocus: boolean, typed: string | null}} suspended
   */
  resume(grid, { hasFocus, typed }) {
    const { edits } = this;
    this.attach(edits ? grid : undefined);
    if (!grid || !edits || !hasFocus) return;
    if (typed !== null) this.start(typed);
    else grid.cells[this.controller.state.positions[edits.pointer]]?.element.focus({ preventScroll: true });
  }

  /** @param {Grid | undefined} grid */
  attach(grid) {
    if (!grid || grid === this.grid) return;
    this.grid = grid;
    grid.element.classList.add("editable");
    grid.element.addEventListener("keydown", (event) => {
      if (!isOnCell(event) || !(beginsNumber(event) || event.key === "F2")) return;
      this.start(event.key === "F2" ? "" : event.key);
      event.preventDefault();
    });
    // A second tap lets a cell go.
    let pointer = "";
    grid.element.addEventListener("pointerdown", ({ pointerType }) => (pointer = pointerType));
    grid.element.addEventListener("dblclick", (event) => {
      if (isOnCell(event) && pointer === "mouse") this.start("");
    });
  }

  /** Show the field while a cell is pinned on a small screen, and the sentence on what was refused. */
  draw() {
    const { edits, controller } = this;
    const isPinned = edits !== null && controller.state.held.has(edits.pointer);
    const docked = isPinned && this.smallScreen.matches;
    this.label.hidden = this.input.hidden = !docked;
    const position = edits ? controller.state.positions[edits.pointer] : -1;
    if (edits && !(position === this.position && document.activeElement === this.input)) {
      if (position !== this.position) this.status.textContent = "";
      this.position = position;
      this.label.textContent = `${controller.state.labelOf(edits.pointer)}:`;
      this.input.value = this.current;
    }
    this.element.hidden = !docked && !this.status.textContent;
  }

  /** Open the field in the picked cell: with what was typed, or with its number selected. @param {string} typed */
  start(typed) {
    const { edits, controller, grid } = this;
    if (!edits || !grid) return;
    controller.hold(edits.pointer, true);
    this.cellInput.setAttribute("aria-label", `${controller.state.labelOf(edits.pointer)}, ${this.current}`);
    this.cellInput.value = typed || this.current;
    grid.cells[controller.state.positions[edits.pointer]].element.append(this.cellInput);
    this.cellInput.focus({ preventScroll: true });
    if (!typed) this.cellInput.select();
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { key } = event;
    event.stopPropagation();
    if (key === "Escape") this.close();
    else if (key === "Enter" || key === "ArrowUp" || key === "ArrowDown" || key === "ArrowLeft" || key === "ArrowRight") {
      event.preventDefault();
      if (this.finish(this.cellInput.value) && key !== "Enter") document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    }
  }

  removeField() {
    this.isRemoving = true;
    this.cellInput.remove();
    this.isRemoving = false;
  }

  /** Close the field, and focus its cell. */
  close() {
    const cell = this.cellInput.parentElement;
    const hadFocus = document.activeElement === this.cellInput;
    this.removeField();
    if (hadFocus) cell?.focus({ preventScroll: true });
  }

  /** Commit what was typed into the cell; return whether the field was closed. @param {string} text */
  finish(text) {
    if (this.isRemoving || !this.cellInput.isConnected) return false;
    const hasFocus = document.activeElement === this.cellInput;
    if (!this.commit(text) && hasFocus) {
      this.cellInput.value = this.current;
      this.cellInput.select();
      this.cellInput.setCustomValidity(REFUSED);
      this.cellInput.reportValidity();
      return false;
    }
    this.close();
    return true;
  }

  /** Change the picked cell's number; return whether it is a number. @param {string} text */
  commit(text) {
    const { edits } = this;
    if (!edits) return false;
    const before = this.current;
    const value = editTable(edits, this.controller.state.positions[edits.pointer], text);
    this.status.textContent = value === null ? REFUSED : "";
    if (value !== null && this.current !== before) this.change({ [edits.parameter]: value });
    this.draw();
    return value !== null;
  }
}

/** Return whether an event is about a cell. @param {Event} event */
function isOnCell(event) {
  return event.target instanceof HTMLTableCellElement && event.target.dataset.index !== undefined;
}

/** Return an empty text field for numbers. */
function numberInput() {
  const input = element("input");
  input.type = "text";
  input.inputMode = "decimal";
  input.autocomplete = "off";
  return input;
}
