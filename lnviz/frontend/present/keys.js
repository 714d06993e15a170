// Keyboard commands of the presentation view. Presentation clickers send page keys, which work whatever has the focus.

/** Slides to move by; Infinity is the last slide. @type {Record<string, number>} */
const TURNS = { PageDown: 1, PageUp: -1, ArrowRight: 1, ArrowLeft: -1, " ": 1, Home: -Infinity, End: Infinity };
/** Other commands; clickers send "." or "b" to blank the screen. @type {Record<string, string>} */
const ACTIONS = { b: "blank", ".": "blank", "?": "overview", o: "overview", l: "pointer", n: "notes", f: "full", j: "join", a: "step" };

const FIELDS = "input:not([type=radio], [type=checkbox], [type=range]), select, textarea";
/** Cells into which numbers can be typed. */
const CELLS = ".ln .editable [data-index]";
const CONTROLS = ".ln [tabindex], .ln-table, pre, input";
const PRESSED = "button, a, summary";

/**
 * The kind of focused element: a text field, a cell to type into, reached by keys or clicked, a control with its own keys,
 * a button or link, or none.
 * @typedef {"field" | "cell" | "clicked" | "control" | "pressed" | "nothing"} Focus
 */
/**
 * A move by slides, a digit of a typed number, or a command.
 * @typedef {{turn: number} | {digit: string} | {action: string}} KeyAction
 */

/** Return the index of the cell to type into that an element is in; "" for none. @param {Element} on */
export function cellIndex(on) {
  const cell = on.closest(CELLS);
  return cell instanceof HTMLElement ? (cell.dataset.index ?? "") : "";
}

/**
 * Return the kind of a focused element.
 * @param {Element} on
 * @param {string} clicked index of the cell that was clicked last, whose table may have been drawn again; "" for none
 * @returns {Focus}
 */
export function focusKind(on, clicked) {
  if (on.closest(FIELDS)) return "field";
  const cell = cellIndex(on);
  if (cell) return cell === clicked ? "clicked" : "cell";
  if (on.closest(CONTROLS)) return "control";
  return on.closest(PRESSED) ? "pressed" : "nothing";
}

/**
 * Return the command of a key.
 * @param {{key: string, shiftKey?: boolean, ctrlKey?: boolean, metaKey?: boolean, altKey?: boolean, repeat?: boolean}}
 * event
 * @param {Focus} focus
 * @param {boolean} counting whether a number is being typed
 * @returns {KeyAction | null} null for keys that are not handled
 */
export function keyAction({ key, shiftKey = false, ctrlKey = false, metaKey = false, altKey = false, repeat = false }, focus, counting) {
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === "p") return { action: "print" };
  if (ctrlKey || metaKey || altKey) return null;
  if (key.startsWith("Page") && Object.hasOwn(TURNS, key)) return { turn: TURNS[key] };
  if (focus === "field") return null;
  if (key === "Escape") return { action: "leave" };
  if (key === "Enter") return counting ? { action: "enter" } : null;
  if (Object.hasOwn(TURNS, key)) {
    if (focus === "control" || focus === "cell" || (key === " " && focus === "pressed")) return null;
    return { turn: key === " " && shiftKey ? -1 : TURNS[key] };
  }
  if (/^[0-9]$/.test(key)) return focus === "cell" || focus === "clicked" ? null : { digit: key };
  const letter = key.toLowerCase();
  // A held key triggers its command once, in particular a room's next step.
  return Object.hasOwn(ACTIONS, letter) && !repeat ? { action: ACTIONS[letter] } : null;
}
