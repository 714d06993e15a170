// A list on the remote that is up to date while it is open, and whose buttons never change under a finger.

import { setChildren } from "../engine/dom.js";

/** Milliseconds between two requests while a list is open. */
const REFRESH_MS = 3_000;
/** Milliseconds for which buttons ignore presses after a change: the second one of a double tap, or one meant for another. */
export const PRESS_GUARD_MS = 500;

/**
 * @template {{id: string | number}} Item
 * @typedef {object} LiveListOptions
 * @property {HTMLElement} list
 * @property {() => boolean} isOpen
 * @property {() => Promise<Item[] | null>} load resolves to null if the server did not answer
 * @property {(item: Item) => string} describe returns everything that an item's line shows
 * @property {(item: Item, number: number) => HTMLElement} line the number of an item, from 1, stays while the list is open
 */

/** @template {{id: string | number}} Item */
export class LiveList {
  /** @param {LiveListOptions<Item>} options */
  constructor(options) {
    this.options = options;
    /** @type {Item[]} */
    this.items = [];
    /** Numbers of the items, in the order in which they came. @type {Map<Item["id"], number>} */
    this.numbers = new Map();
    /** The lines by what they show. @type {Map<string, HTMLElement>} */
    this.lines = new Map();
    this.requests = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.guardTimer = undefined;
    const ignore = (/** @type {Event} */ event) => this.guardTimer !== undefined && event.stopImmediatePropagation();
    options.list.addEventListener("click", ignore, { capture: true });
  }

  /** Load the items now, and again while the list is open; return them. @returns {Promise<Item[]>} */
  async refresh() {
    clearTimeout(this.timer);
    if (!this.options.isOpen()) {
      this.numbers.clear();
      return [];
    }
    const request = (this.requests += 1);
    const items = await this.options.load();
    if (request !== this.requests) return this.items; // a later one has what the last command has changed
    if (items) this.items = items;
    this.draw();
    this.timer = setTimeout(() => this.refresh(), REFRESH_MS);
    return this.items;
  }

  /** Draw the items, each where it was, while the list is open. */
  draw() {
    const { list, describe, line, isOpen } = this.options;
    if (!isOpen()) return;
    for (const { id } of this.items) if (!this.numbers.has(id)) this.numbers.set(id, this.numbers.size + 1);
    const numberOf = (/** @type {Item} */ { id }) => this.numbers.get(id) ?? 0;
    const before = [...this.lines.keys()];
    const lines = this.items.toSorted((one, other) => numberOf(one) - numberOf(other)).map((item) => {
      const key = `${numberOf(item)} ${describe(item)}`;
      return /** @type {const} */ ([key, this.lines.get(key) ?? line(item, numberOf(item))]);
    });
    this.lines = new Map(lines);
    const keys = [...this.lines.keys()];
    if (before.join("\n") === keys.join("\n")) return;
    setChildren(list, [...this.lines.values()]);
    if (before.some((key, i) => key !== keys[i])) this.guard();
  }

  /** Ignore presses for a moment. */
  guard() {
    clearTimeout(this.guardTimer);
    this.guardTimer = setTimeout(() => (this.guardTimer = undefined), PRESS_GUARD_MS);
  }
}
