// The page's address holds what differs from a figure's start: positions by value, and parameters.

import { nearest } from "./controls.js";

/** @param {any} control @param {number} position */
function written(control, position) {
  if (control.kind !== "pointer") return String(control.values[position]);
  const columns = control.columns.length;
  return `${Math.floor(position / columns) + 1}.${(position % columns) + 1}`;
}

/** The nearest allowed position; null for what cannot be read. */
function read(control, text) {
  if (control.kind === "slider") {
    const value = text.trim() === "" ? NaN : Number(text);
    return Number.isNaN(value) ? null : nearest(control.values, value);
  }
  if (control.kind === "pointer") {
    const match = /^(\d{1,6})\.(\d{1,6})$/.exec(text);
    if (!match) return null;
    const row = Math.max(1, Math.min(control.rows.length, Number(match[1])));
    const column = Math.max(1, Math.min(control.columns.length, Number(match[2])));
    return (row - 1) * control.columns.length + column - 1;
  }
  const position = control.values.indexOf(text);
  return position < 0 ? null : position;
}

/** @returns {Record<string, number>} positions named in the address */
export function positionsIn(controls) {
  const search = new URLSearchParams(location.search);
  const named = controls.filter((control) => search.has(control.slug));
  const found = named.map((control) => [control.name, read(control, search.get(control.slug))]);
  return Object.fromEntries(found.filter(([, position]) => position !== null));
}

/** @returns {Record<string, string>} parameters named in the address */
export function parametersIn(names) {
  const search = new URLSearchParams(location.search);
  return Object.fromEntries(names.filter((name) => search.has(name)).map((name) => [name, search.get(name)]));
}

/**
 * Puts a figure's state into the address, and leaves what is others' in it. A cell is named while it is
 * held: what the mouse happens to pass is no state.
 */
export function write(controls, positions, parameters, held) {
  const search = new URLSearchParams(location.search);
  for (const control of controls) {
    const passing = control.kind === "pointer" && !held.has(control.name);
    if (passing || positions[control.name] === control.start) search.delete(control.slug);
    else search.set(control.slug, written(control, positions[control.name]));
  }
  for (const { name, value, start } of parameters) {
    if (String(value) === String(start)) search.delete(name);
    else search.set(name, value);
  }
  const query = search.toString();
  const address = location.pathname + (query ? `?${query}` : "") + location.hash;
  if (address !== location.pathname + location.search + location.hash) {
    history.replaceState(history.state, "", address);
  }
}
