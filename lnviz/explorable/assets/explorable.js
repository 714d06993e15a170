// Shows explorables in elements of a page.

import { Figure } from "./figure.js";

/** @typedef {import("./figure.js").Options} Options */

/** @type {WeakMap<Element, Figure>} */
const figures = new WeakMap();

/**
 * Shows an explorable in an element, or updates the one that is there.
 * @param {Element} parent
 * @param {Options & {set?: Record<string, string> | null}} options `set` are parameters that the page itself
 *   sets, once each
 */
export function mount(parent, { set = null, ...options }) {
  const there = figures.get(parent);
  if (there?.name === options.name) {
    there.receive(set);
    return;
  }
  there?.unmount();
  const figure = new Figure(parent, options);
  figures.set(parent, figure);
  figure.open(set);
}

/** Removes the explorable of an element. @param {Element} parent */
export function unmount(parent) {
  figures.get(parent)?.unmount();
  figures.delete(parent);
}
