// Search over the book: the sections in which the words that were typed begin a word.

import { element } from "../engine/dom.js";

/**
 * What stands below one heading.
 * @typedef {object} Section
 * @property {string} page the title of its page
 * @property {string} heading empty for what stands above the first
 * @property {string} address
 * @property {string} text
 */

const MOST = 8;
/** Letters of the text that are shown, and how many of them before the first word that was found. */
const SHOWN = 140;
const BEFORE = 40;
/** How much a word in a heading, in the title of the page and in the text speaks for a section. */
const WEIGHTS = { heading: 8, page: 4, text: 1 };
/** As often as this a word is counted in a text: more of the same is not more to the point. */
const OFTEN = 3;
/** A text of so many letters speaks half as much for itself: in a long one any word stands somewhere. */
const LONG = 2000;
/** Letters of what was asked that are said again. */
const SAID = 60;

/** Places that search already. @type {WeakSet<Element>} */
const searching = new WeakSet();

/**
 * Lets a reader search from a place.
 * @param {ParentNode} place the parent of the HTML that Python has written for it
 * @param {() => Promise<Section[]>} load called when somebody begins to search
 * @param {() => void} [leave] called when what was found is on this page
 */
export function searchable(place, load, leave = () => {}) {
  const form = place.querySelector(".ln-search");
  const field = form?.querySelector("input");
  const status = form?.querySelector("p");
  const list = form?.querySelector("ol");
  if (!form || !field || !status || !list || searching.has(form)) return;
  searching.add(form);
  /** @type {Promise<Section[]> | null} */
  let sections = null;
  const begin = () => (sections ??= load());
  const show = async () => {
    const asked = field.value;
    const words = wordsOf(asked);
    /** @type {Found} */
    let { sections: found, all } = { sections: [], all: true };
    let said = "";
    if (asked.trim()) {
      try {
        ({ sections: found, all } = best(await begin(), words));
        said = summary(asked.trim(), found.length, all);
      } catch {
        sections = null;
        said = "The search could not be loaded. Type on to try again.";
      }
    }
    if (asked !== field.value) return; // the answer to what was typed since is on its way
    status.textContent = said;
    list.replaceChildren(...found.map((section) => entry(section, words)));
  };
  field.addEventListener("focus", () => void begin().catch(() => (sections = null)));
  field.addEventListener("input", () => void show());
  list.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest("a");
    if (!link || link.pathname !== location.pathname) return;
    setTimeout(() => {
      leave();
      arrive(link.hash);
    });
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    field.value = "";
    void show();
  });
}

/** @param {string} text */
export function wordsOf(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Where a word begins that begins so. @param {string} word */
function beginning(word) {
  return new RegExp(`(?<![\\p{L}\\p{N}])${word}`, "giu");
}

/** @typedef {{sections: Section[], all: boolean}} Found the best first, and whether they hold all words */

/**
 * The sections that hold the most of the words.
 * @param {Section[]} sections
 * @param {string[]} words
 * @returns {Found}
 */
export function best(sections, words) {
  const patterns = words.map(beginning);
  const weighed = sections.map((section) => {
    const weights = patterns.map((pattern) => weigh(section, pattern)).filter((weight) => weight > 0);
    return { section, held: weights.length, weight: weights.reduce((sum, weight) => sum + weight, 0) };
  });
  const most = Math.max(1, ...weighed.map(({ held }) => held));
  const found = weighed
    .filter(({ held }) => held === most)
    .sort((one, other) => other.weight - one.weight)
    .slice(0, MOST)
    .map(({ section }) => section);
  return { sections: found, all: most === words.length };
}

/**
 * How much a word speaks for a section; nothing where it is not there.
 * @param {Section} section
 * @param {RegExp} pattern
 */
function weigh({ page, heading, text }, pattern) {
  const count = (/** @type {string} */ where) => Math.min(OFTEN, where.match(pattern)?.length ?? 0);
  const part = (WEIGHTS.text * count(text)) / (1 + text.length / LONG);
  return WEIGHTS.heading * count(heading) + WEIGHTS.page * count(page) + part;
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

/** The focus follows a link to a place on this page. @param {string} hash */
function arrive(hash) {
  const place = document.getElementById(hash.slice(1));
  place?.setAttribute("tabindex", "-1");
  place?.focus();
}

/**
 * @param {Section} section
 * @param {string[]} words
 */
function entry({ page, heading, address, text }, words) {
  const link = element("a");
  link.href = address;
  const title = element("b", "", heading || page);
  const place = element("span", "", heading ? page : "");
  const part = element("small");
  part.append(...marked(excerpt(text, words), words));
  link.append(title, place, part);
  const item = element("li");
  item.append(link);
  return item;
}

/**
 * @param {string} text
 * @param {string[]} words
 */
function excerpt(text, words) {
  const at = Math.min(...words.map((word) => text.search(beginning(word))).filter((found) => found >= 0));
  const from = at > BEFORE && at < Infinity ? text.indexOf(" ", at - BEFORE) + 1 : 0;
  const to = text.indexOf(" ", from + SHOWN);
  return `${from ? "… " : ""}${text.slice(from, to < 0 ? undefined : to)}${to < 0 ? "" : " …"}`;
}

/**
 * @param {string} text
 * @param {string[]} words
 * @returns {(string | Element)[]}
 */
function marked(text, words) {
  const pattern = new RegExp(`((?<![\\p{L}\\p{N}])(?:${words.join("|")}))`, "iu");
  return text.split(pattern).map((part, i) => (i % 2 ? element("mark", "", part) : part));
}
