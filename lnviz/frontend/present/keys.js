// What a key means in the present view. A clicker sends the page keys, which turn whatever has the focus.

/** What turns, and how far; Infinity is the last screen. @type {Record<string, number>} */
const TURNS = { PageDown: 1, PageUp: -1, ArrowRight: 1, ArrowLeft: -1, " ": 1, Home: -Infinity, End: Infinity };
/** What else a key does; clickers send "." or "b" for blank. @type {Record<string, string>} */
const ACTIONS = { b: "blank", ".": "blank", "?": "overview", o: "overview", l: "pointer", n: "notes", f: "full", j: "join", a: "step" };

const FIELDS = "input:not([type=radio], [type=checkbox], [type=range]), select, textarea";
const CONTROLS = ".ln [tabindex], .ln-table, pre, input";
const PRESSED = "button, a, summary";

/**
 * What has the focus: a field that takes text, a control with keys of its own, something to press, or nothing.
 * @typedef {"field" | "control" | "pressed" | "nothing"} Focus
 */
/**
 * What is to be done: a turn by so many screens, a digit of a number that is typed, `enter` and `leave`, or one of
 * the words above.
 * @typedef {{turn: number} | {digit: string} | {action: string}} KeyAction
 */

/** @param {Element} on @returns {Focus} */
export function focusKind(on) {
  if (on.closest(FIELDS)) return "field";
  if (on.closest(CONTROLS)) return "control";
  return on.closest(PRESSED) ? "pressed" : "nothing";
}

/**
 * @param {{key: string, shiftKey?: boolean, ctrlKey?: boolean, metaKey?: boolean, altKey?: boolean, repeat?: boolean}} event
 * @param {Focus} focus
 * @param {boolean} counting whether a number is being typed
 * @returns {KeyAction | null} null for what is not the present view's business
 */
export function keyAction({ key, shiftKey = false, ctrlKey = false, metaKey = false, altKey = false, repeat = false }, focus, counting) {
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === "p") return { action: "print" };
  if (ctrlKey || metaKey || altKey) return null;
  if (key.startsWith("Page") && Object.hasOwn(TURNS, key)) return { turn: TURNS[key] };
  if (focus === "field") return null;
  if (key === "Escape") return { action: "leave" };
  if (key === "Enter") return counting ? { action: "enter" } : null;
  if (Object.hasOwn(TURNS, key)) {
    if (focus === "control" || (key === " " && focus === "pressed")) return null;
    return { turn: key === " " && shiftKey ? -1 : TURNS[key] };
  }
  if (/^[0-9]$/.test(key)) return { digit: key };
  const letter = key.toLowerCase();
  // A key that is held down does once what it does: a room's next step, above all.
  return Object.hasOwn(ACTIONS, letter) && !repeat ? { action: ACTIONS[letter] } : null;
}
