// Search over the book: what answers a question, in a panel over the page.

import { element } from "../engine/dom.js";
import { MOST, Ranking } from "./ranking.js";
import { wordsOf } from "./words.js";

/** @typedef {import("./ranking.js").Section} Section */
/**
 * @typedef {object} Around what the page around a search does
 * @property {() => void} [enter] shows the place of the search, if it is out of sight
 * @property {() => void} [leave] called when what was found is on this page
 */

/** Letters of the text that are shown, and how many of them before the first word that was found. */
const SHOWN = 200;
const BEFORE = 60;
/** Letters of what was asked that are said again. */
const SAID = 60;
/** From so much room beside the field on what was found stands there, and below it otherwise. */
const BESIDE = 480;
const GAP = 16;
const WORD = /[\p{L}\p{N}]+/gu;

/** Places that search already. @type {WeakSet<Element>} */
const searching = new WeakSet();

/**
 * Lets a reader search from a place.
 * @param {ParentNode} place the parent of the HTML that Python has written for it
 * @param {() => Promise<Section[]>} load called when somebody begins to search
 * @param {Around} [around]
 */
export function searchable(place, load, around = {}) {
  const form = place.querySelector(".ln-search");
  if (!(form instanceof HTMLFormElement) || searching.has(form)) return;
  searching.add(form);
  new Search(form, load, around).listen();
}

class Search {
  /**
   * @param {HTMLFormElement} form
   * @param {() => Promise<Section[]>} load
   * @param {Around} around
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
    field.addEventListener("focus", () => void this.begin().catch(() => (this.ranking = null)));
    field.addEventListener("click", () => this.open());
    field.addEventListener("input", () => void this.show());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      list.querySelector("a")?.click();
    });
    form.addEventListener("keydown", (event) => this.press(event));
    const away = new AbortController();
    // A page that follows its links itself lets nobody below hear of it.
    const chosen = (/** @type {Event} */ { target }) => {
      const link = target instanceof Element && list.contains(target) && target.closest("a");
      if (!link) return;
      this.close();
      if (link.pathname === location.pathname) this.arrive(link.hash);
    };
    addEventListener("click", chosen, { capture: true, signal: away.signal });
    /** @type {(event: Event) => void} */
    const outside = ({ target }) => {
      if (!form.isConnected) away.abort();
      else if (target instanceof Node && !form.contains(target)) this.close();
    };
    for (const hand of ["pointerdown", "focusin"]) document.addEventListener(hand, outside, { signal: away.signal });
    document.addEventListener("keydown", (event) => this.call(event), { signal: away.signal });
  }

  begin() {
    return (this.ranking ??= this.load().then((sections) => new Ranking(sections)));
  }

  async show() {
    const asked = this.field.value;
    /** @type {import("./ranking.js").Found} */
    let { sections, all } = { sections: [], all: true };
    let said = "";
    if (asked.trim()) {
      try {
        ({ sections, all } = (await this.begin()).best(asked));
        said = summary(asked.trim(), sections.length, all);
      } catch {
        this.ranking = null;
        said = "The search could not be loaded. Type on to try again.";
      }
    }
    if (asked !== this.field.value) return; // the answer to what was typed since is on its way
    this.status.textContent = said;
    this.list.replaceChildren(...sections.map((section) => entry(section, asked)));
    this.open();
  }

  /** Shows what was found over the page, beside the field or below it. */
  open() {
    const { panel } = this;
    if (!this.status.textContent) return this.close();
    const { top, right, bottom } = this.field.getBoundingClientRect();
    const isBeside = innerWidth - right > BESIDE;
    const start = isBeside ? top : bottom + GAP / 2;
    panel.style.left = `${isBeside ? right + GAP : GAP}px`;
    panel.style.top = `${start}px`;
    panel.style.maxHeight = `${innerHeight - start - GAP}px`;
    if (!panel.matches(":popover-open")) panel.showPopover();
  }

  close() {
    if (this.panel.matches(":popover-open")) this.panel.hidePopover();
  }

  /** Escape closes, and empties what is closed; arrows go along what was found. @param {KeyboardEvent} event */
  press(event) {
    const stops = [this.field, ...this.list.querySelectorAll("a")];
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      event.preventDefault();
      this.open();
      const at = stops.findIndex((stop) => stop === document.activeElement);
      stops[Math.max(0, Math.min(stops.length - 1, at + by))].focus();
    }
    if (event.key !== "Escape") return;
    if (!this.panel.matches(":popover-open")) {
      this.field.value = "";
      void this.show();
    }
    this.field.focus();
    this.close();
  }

  /** "/" leads to the search, from wherever nothing is typed. @param {KeyboardEvent} event */
  call(event) {
    const { target } = event;
    const isTyped = target instanceof Element && target.matches("input:not([type=range], [type=radio]), textarea, select");
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyped) return;
    event.preventDefault();
    this.enter?.();
    this.field.focus();
    this.field.select();
    this.open();
  }

  /** The focus follows a link to a place on this page. @param {string} hash */
  arrive(hash) {
    setTimeout(() => {
      this.leave?.();
      const place = document.getElementById(hash.slice(1));
      place?.setAttribute("tabindex", "-1");
      place?.focus();
    });
  }
}

/**
 * @param {string} asked
 * @param {number} count
 * @param {boolean} all
 */
export function summary(asked, count, all) {
  const shown = asked.length > SAID ? `${asked.slice(0, SAID)}…` : asked;
  if (!count) return `Nothing in the book holds “${shown}”. Try one word, or its beginning.`;
  if (!all) return `Nothing holds all of these words. The nearest: ${count}`;
  return count === MOST ? `The best ${count}` : `Found: ${count}`;
}

/**
 * @param {Section} section
 * @param {string} asked
 */
function entry({ page, heading, address, text }, asked) {
  const link = element("a");
  link.href = address;
  const title = element("b", "", heading || page);
  const place = element("span", "", heading ? page : "");
  const part = element("small");
  part.append(...marked(text, asked));
  link.append(title, place, part);
  const item = element("li");
  item.append(link);
  return item;
}

/**
 * What a text says around the first word that was asked for, and these words marked.
 * @param {string} text
 * @param {string} asked
 * @returns {(string | Element)[]}
 */
function marked(text, asked) {
  const words = new Set(wordsOf(asked));
  const found = [...text.matchAll(WORD)].filter(([word]) => wordsOf(word).some((each) => words.has(each)));
  const at = found[0]?.index ?? 0;
  const from = at > BEFORE ? text.indexOf(" ", at - BEFORE) + 1 : 0;
  const end = text.indexOf(" ", from + SHOWN);
  const to = end < 0 ? text.length : end;
  /** @type {(string | Element)[]} */
  const parts = [from ? "… " : ""];
  let said = from;
  for (const { 0: word, index } of found.filter(({ index }) => index < to)) {
    parts.push(text.slice(said, index), element("mark", "", word));
    said = index + word.length;
  }
  return [...parts, text.slice(said, to), end < 0 ? "" : " …"];
}
