// The page's address holds what differs from a figure's start: positions by value, and parameters.

import { setSession, getSession } from "./memory.js";
import { nearest } from "./state.js";

/** @typedef {import("./payload").Control} Control */

const HIDE = "hide";

/**
 * @param {Control} control
 * @param {number} position
 */
function serializePosition(control, position) {
  if (control.kind !== "pointer") return String(control.values[position]);
  const columns = control.columns.length;
  return `${Math.floor(position / columns) + 1}.${(position % columns) + 1}`;
}

/**
 * The nearest allowed position; -1 for what cannot be read.
 * @param {Control} control
 * @param {string} text
 */
function parsePosition(control, text) {
  if (control.kind === "slider") {
    const value = text.trim() === "" ? NaN : Number(text);
    return Number.isNaN(value) ? -1 : nearest(control.values, value);
  }
  if (control.kind === "pointer") {
    const match = /^(\d{1,6})\.(\d{1,6})$/.exec(text);
    if (!match) return -1;
    const row = Math.max(1, Math.min(control.rows.length, Number(match[1])));
    const column = Math.max(1, Math.min(control.columns.length, Number(match[2])));
    return (row - 1) * control.columns.length + column - 1;
  }
  return control.values.indexOf(text);
}

/**
 * Positions named in the page's address, or in another query.
 * @param {Control[]} controls
 * @param {URLSearchParams} [search]
 * @returns {Record<string, number>}
 */
export function positionsIn(controls, search = new URLSearchParams(location.search)) {
  const found = controls.map((control) => [control.name, parsePosition(control, search.get(control.slug) ?? "")]);
  return Object.fromEntries(found.filter(([, position]) => Number(position) >= 0));
}

/**
 * Parameters named in the address.
 * @param {string[]} names
 * @returns {Record<string, string>}
 */
export function parametersIn(names) {
  const search = new URLSearchParams(location.search);
  return Object.fromEntries(names.filter((name) => search.has(name)).map((name) => [name, search.get(name) ?? ""]));
}

/**
 * Names of controls and parameters that the address takes away from the reader's hand: a teacher's link does that.
 * @returns {Set<string>}
 */
export function hiddenNames() {
  return new Set(hideParameter().split(",").map((name) => name.trim().toLowerCase()));
}

/** What takes the same away elsewhere: for another address's query. @returns {Record<string, string>} */
export function hideQuery() {
  const named = hideParameter();
  return named ? { [HIDE]: named } : {};
}

function hideParameter() {
  return new URLSearchParams(location.search).getAll(HIDE).join(",");
}

/**
 * A figure's state as it stands in an address. A cell is named while it is held: what the mouse happens to
 * pass is no state.
 * @param {import("./state.js").State} state
 * @returns {Record<string, string>}
 */
export function changedValues({ payload, positions, held }) {
  const moved = payload.controls.filter(({ kind, name, start }) =>
    kind === "pointer" ? held.has(name) : positions[name] !== start,
  );
  const changed = payload.parameters.filter(({ value, start }) => value !== start);
  return Object.fromEntries([
    ...moved.map((control) => [control.slug, serializePosition(control, positions[control.name])]),
    ...changed.map(({ name, value }) => [name, String(value)]),
  ]);
}

/**
 * Everything that an address can say of a state, what is at rest included.
 * @param {import("./state.js").State} state
 * @returns {Record<string, string>}
 */
export function allValues({ payload, positions, held }) {
  const named = payload.controls.filter(({ kind, name }) => kind !== "pointer" || held.has(name));
  return Object.fromEntries([
    ...named.map((control) => [control.slug, serializePosition(control, positions[control.name])]),
    ...payload.parameters.map(({ name, value }) => [name, String(value)]),
  ]);
}

/**
 * Puts a figure's state into the page's address, and leaves what is others' in it.
 * @param {import("./state.js").State} state
 * @param {string[]} parameters the names of all it can have
 */
export function writeAddress(state, parameters) {
  const search = new URLSearchParams(location.search);
  const own = changedValues(state);
  for (const name of [...state.payload.controls.map(({ slug }) => slug), ...parameters]) {
    if (name in own) search.set(name, own[name]);
    else search.delete(name);
  }
  const text = search.toString();
  const address = location.pathname + (text ? `?${text}` : "") + location.hash;
  if (address !== location.pathname + location.search + location.hash) {
    history.replaceState(history.state, "", address);
  }
  search.delete(HIDE); // that was the link's wish, and not the reader's
  setSession(`query ${location.pathname}`, search.toString());
}

/** The query with which a page was left last in this tab. @param {string} path */
export function lastQuery(path) {
  return getSession(`query ${path}`);
}
