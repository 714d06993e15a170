// Search over the book, with results in a panel over the page.

import { element } from "../engine/dom.js";
import { closePopup, isOpen, openPopup } from "./popups.js";
import { MAX_RESULTS, Ranking } from "./ranking.js";
import { tokenize } from "./tokenizer.js";

/** @typedef {import("./ranking.js").Section} Section */
/**
 * Hooks of the page around a search field.
 * @typedef {object} SearchHooks
 * @property {() => void} [enter] makes the field visible
 * @property {() => void} [leave] called when a result is on the current page
 */

/** Characters of an excerpt, and of those before the first match. */
const EXCERPT_LENGTH = 200;
const CONTEXT_BEFORE = 60;
/** Maximum length of a quoted query. */
const QUERY_SHOWN = 60;
/** Results are shown beside the field if there are this many pixels, otherwise below it. */
const BESIDE = 480;
const GAP = 16;
const WORD = /[\p{L}\p{N}]+/gu;

/** Forms that are attached already. @type {WeakSet<Element>} */
const attached = new WeakSet();

/**
 * Activate the search form below a node.
 * @param {ParentNode} place the parent of the HTML from the server
 * @param {() => Promise<Section[]>} load called when the field is first used
 * @param {SearchHooks} [hooks]
 */
export function attachSearch(place, load, hooks = {}) {
  const form = place.querySelector(".ln-search");
  if (!(form instanceof HTMLFormElement) || attached.has(form)) return;
  attached.add(form);
  new Search(form, load, hooks).listen();
}

/** A search form and its results panel. */
class Search {
  /**
   * @param {HTMLFormElement} form
   * @param {() => Promise<Section[]>} load
   * @param {SearchHooks} hooks
   */
  constructor(form, load, { enter, leave }) {
    this.form = form;
    this.load = load;
    this.enter = enter;
    this.leave = leave;
    this.field = /** @type {HTMLInputElement} */ (form.querySelector("input"));
    this.panel = /** @type {HTMLElement} */ (form.querySelector(".found"));
    this.status = /** @type {HTMLElement} */ (form.querySelector("p"));
    this.list = /** @type {HTMLElement} */ (form.querySelector("ol"));
    /** @type {Promise<Ranking> | null} */
    this.ranking = null;
  }

  listen() {
    const { form, field, list } = this;
    field.addEventListener("focus", () => void this.loadRanking().catch(() => (this.ranking = null)));
    field.addEventListener("click", () => this.open());
    field.addEventListener("input", () => void this.update());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      list.querySelector("a")?.click();
    });
    form.addEventListener("keydown", (event) => this.onKeydown(event));
    const listeners = new AbortController();
    // A page that handles links itself may stop the event's propagation.
    const onChoose = (/** @type {Event} */ { target }) => {
      const link = target instanceof Element && list.contains(target) && target.closest("a");
      if (!link) return;
      this.close();
      if (link.pathname === location.pathname) this.focusTarget(link.hash);
    };
    addEventListener("click", onChoose, { capture: true, signal: listeners.signal });
    /** @type {(event: Event) => void} */
    const outside = ({ target }) => {
      if (!form.isConnected) listeners.abort();
      else if (target instanceof Node && !form.contains(target)) this.close();
    };
    for (const type of ["pointerdown", "focusin"]) document.addEventListener(type, outside, { signal: listeners.signal });
    document.addEventListener("keydown", (event) => this.onGlobalKeydown(event), { signal: listeners.signal });
    if (field.matches(":focus")) void this.update(); // a reader may have typed before this script ran
  }

  loadRanking() {
    return (this.ranking ??= this.load().then((sections) => new Ranking(sections)));
  }

  async update() {
    const query = this.field.value;
    /** @type {import("./ranking.js").SearchResult} */
    let { sections, all } = { sections: [], all: true };
    let status = "";
    if (query.trim()) {
      try {
        ({ sections, all } = (await this.loadRanking()).search(query));
        status = statusText(query.trim(), sections.length, all);
      } catch {
        this.ranking = null;
        status = "The search could not be loaded. Keep typing to try again.";
      }
    }
    if (query !== this.field.value) return; // a newer query is in progress
    this.status.textContent = status;
    this.list.replaceChildren(...sections.map((section) => resultItem(section, query)));
    this.open();
  }

  /** Open the results panel, beside the field or below it. */
  open() {
    const { panel } = this;
    if (!this.status.textContent) return this.close();
    const { top, right, bottom } = this.field.getBoundingClientRect();
    const isBeside = innerWidth - right > BESIDE;
    const start = isBeside ? top : bottom + GAP / 2;
    panel.style.left = `${isBeside ? right + GAP : GAP}px`;
    panel.style.top = `${start}px`;
    panel.style.maxHeight = `${innerHeight - start - GAP}px`;
    openPopup(panel);
  }

  close() {
    closePopup(this.panel);
  }

  /**
   * Handle keys: Escape closes, and clears a closed search; arrows move through the results.
   * @param {KeyboardEvent} event
   */
  onKeydown(event) {
    const stops = [this.field, ...this.list.querySelectorAll("a")];
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      event.preventDefault();
      this.open();
      const at = stops.findIndex((stop) => stop === document.activeElement);
      stops[Math.max(0, Math.min(stops.length - 1, at + by))].focus();
    }
    if (event.key !== "Escape") return;
    if (!isOpen(this.panel)) {
      this.field.value = "";
      void this.update();
    }
    this.field.focus();
    this.close();
  }

  /** Focus the field on "/", unless the reader is typing. @param {KeyboardEvent} event */
  onGlobalKeydown(event) {
    const { target } = event;
    const isTyped = target instanceof Element && target.matches("input:not([type=range], [type=radio]), textarea, select");
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyped) return;
    event.preventDefault();
    this.enter?.();
    this.field.focus();
    this.field.select();
    this.open();
  }

  /** Move the focus to the target of a link on this page. @param {string} hash */
  focusTarget(hash) {
    setTimeout(() => {
      this.leave?.();
      const place = document.getElementById(hash.slice(1));
      place?.setAttribute("tabindex", "-1");
      place?.focus();
    });
  }
}

/**
 * Return the line above the results.
 * @param {string} query
 * @param {number} count
 * @param {boolean} all
 */
export function statusText(query, count, all) {
  const shown = query.length > QUERY_SHOWN ? `${query.slice(0, QUERY_SHOWN)}…` : query;
  if (!count) return `Nothing in the book matches “${shown}”. Try one word, or the beginning of one.`;
  if (!all) return `Nothing matches all of these words. Closest: ${count}`;
  return count === MAX_RESULTS ? `Top ${count}` : `Found: ${count}`;
}

/**
 * Return a result as a list item.
 * @param {Section} section
 * @param {string} query
 */
function resultItem({ page, heading, address, text }, query) {
  const link = element("a");
  link.href = address;
  const title = element("b", "", heading || page);
  const place = element("span", "", heading ? page : "");
  const part = element("small");
  part.append(...highlightedExcerpt(text, query));
  link.append(title, place, part);
  const item = element("li");
  item.append(link);
  return item;
}

/**
 * Return an excerpt around the first match, with matches highlighted.
 * @param {string} text
 * @param {string} query
 * @returns {(string | Element)[]}
 */
function highlightedExcerpt(text, query) {
  const words = new Set(tokenize(query));
  const found = [...text.matchAll(WORD)].filter(([word]) => tokenize(word).some((each) => words.has(each)));
  const at = found[0]?.index ?? 0;
  const from = at > CONTEXT_BEFORE ? text.indexOf(" ", at - CONTEXT_BEFORE) + 1 : 0;
  const end = text.indexOf(" ", from + EXCERPT_LENGTH);
  const to = end < 0 ? text.length : end;
  /** @type {(string | Element)[]} */
  const parts = [from ? "… " : ""];
  let written = from;
  for (const { 0: word, index } of found.filter(({ index }) => index < to)) {
    parts.push(text.slice(written, index), element("mark", "", word));
    written = index + word.length;
  }
  return [...parts, text.slice(written, to), end < 0 ? "" : " …"];
}
