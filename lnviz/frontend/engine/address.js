// A figure's state in the page's URL: control positions by value, and parameters, where they differ from the defaults.

import { setSession, getSession } from "./memory.js";
import { nearest } from "./state.js";

/** @typedef {import("./payload").Control} Control */

const HIDE = "hide";
const ROUTE = "route";

/**
 * Return a control's position as text for the URL.
 * @param {Control} control
 * @param {number} position
 */
function serializePosition(control, position) {
  if (control.kind !== "pointer") return String(control.values[position]);
  const columns = control.columns.length;
  return `${Math.floor(position / columns) + 1}.${(position % columns) + 1}`;
}

/**
 * Return the position nearest to a text of the URL; -1 for an invalid text.
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
 * Return the control positions in the page's URL, or in another query.
 * @param {Control[]} controls
 * @param {URLSearchParams} [search]
 * @returns {Record<string, number>}
 */
export function positionsIn(controls, search = new URLSearchParams(location.search)) {
  const found = controls.map((control) => [control.name, parsePosition(control, search.get(control.slug) ?? "")]);
  return Object.fromEntries(found.filter(([, position]) => Number(position) >= 0));
}

/**
 * Return the parameters in the page's URL, or in another query.
 * @param {string[]} names
 * @param {URLSearchParams} [search]
 * @returns {Record<string, string>}
 */
export function parametersIn(names, search = new URLSearchParams(location.search)) {
  return Object.fromEntries(names.filter((name) => search.has(name)).map((name) => [name, search.get(name) ?? ""]));
}

/**
 * Return the names of controls and parameters hidden by the URL, as in a teacher's link.
 * @returns {Set<string>}
 */
export function hiddenNames() {
  return new Set(hideParameter().split(",").map((name) => name.trim().toLowerCase()));
}

/** Return the query parameter that hides the same controls in another URL. @returns {Record<string, string>} */
export function hideQuery() {
  const listed = hideParameter();
  return listed ? { [HIDE]: listed } : {};
}

/** Return the names that the URL hides, separated by commas. */
function hideParameter() {
  return new URLSearchParams(location.search).getAll(HIDE).join(",");
}

/**
 * Return the parts of a figure's state that differ from the defaults, for a URL. A cell is included only while pinned:
 * hovering is no state.
 * @param {import("./state.js").State} state
 * @returns {Record<string, string>}
 */
export function changedValues({ payload, positions, held }) {
  const changedControls = payload.controls.filter(({ kind, name, start }) =>
    kind === "pointer" ? held.has(name) : positions[name] !== start,
  );
  const changed = payload.parameters.filter(({ value, start }) => value !== start);
  return Object.fromEntries([
    ...changedControls.map((control) => [control.slug, serializePosition(control, positions[control.name])]),
    ...changed.map(({ name, value }) => [name, String(value)]),
  ]);
}

/**
 * Return a figure's whole state for a URL, defaults included.
 * @param {import("./state.js").State} state
 * @returns {Record<string, string>}
 */
export function allValues({ payload, positions, held }) {
  const listed = payload.controls.filter(({ kind, name }) => kind !== "pointer" || held.has(name));
  return Object.fromEntries([
    ...listed.map((control) => [control.slug, serializePosition(control, positions[control.name])]),
    ...payload.parameters.map(({ name, value }) => [name, String(value)]),
  ]);
}

/**
 * Write a figure's state into the page's URL, leaving other parameters unchanged.
 * @param {import("./state.js").State} state
 * @param {string[]} parameters names of all its parameters
 */
export function writeAddress(state, parameters) {
  const search = new URLSearchParams(location.search);
  const values = changedValues(state);
  for (const name of [...state.payload.controls.map(({ slug }) => slug), ...parameters]) {
    if (name in values) search.set(name, values[name]);
    else search.delete(name);
  }
  const text = search.toString();
  const address = location.pathname + (text ? `?${text}` : "") + location.hash;
  if (address !== location.pathname + location.search + location.hash) {
    history.replaceState(history.state, "", address);
  }
  for (const name of [HIDE, ROUTE]) search.delete(name); // properties of the link, not of the state
  setSession(`query ${location.pathname}`, search.toString());
}

/** Return the last query of a page in this tab. @param {string} path */
export function lastQuery(path) {
  return getSession(`query ${path}`);
}
