// Mounts figures in elements of a page.

import { Figure } from "./figure.js";

/** @typedef {import("./figure.js").Options} Options */

/** @type {WeakMap<Element, Figure>} */
const figures = new WeakMap();

/**
 * Mount a figure in an element, unless it is mounted already.
 * @param {Element} parent
 * @param {Options} options
 */
export function mount(parent, options) {
  const existing = figures.get(parent);
  if (existing?.name === options.name) return;
  existing?.unmount();
  const figure = new Figure(parent, options);
  figures.set(parent, figure);
  figure.open();
}

/** Unmount the figure of an element. @param {Element} parent */
export function unmount(parent) {
  figures.get(parent)?.unmount();
  figures.delete(parent);
}

/** Return the figure mounted in an element, if any. @param {Element} parent */
export function figureIn(parent) {
  return figures.get(parent);
}
