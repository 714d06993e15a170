// Optional sections: collapsed until opened, or until the URL refers to something inside.

import { findFigure, isRendered } from "../engine/dom.js";
import { savedState } from "./scroll_restoration.js";
import { keepInView } from "./scroll_into_view.js";

/** Sections that are hydrated already. @type {WeakSet<Element>} */
const hydrated = new WeakSet();
/** Sections opened only for printing. @type {Set<HTMLDetailsElement>} */
const printed = new Set();

/** Longest time for figures to be loaded before a page is printed. */
const PRINT_WAIT_MS = 15_000;

let isWatching = false;
/** The path of a page whose query was restored for a returning reader: the reader begins at its top. */
let restoredPath = "";

/**
 * Connect the sections below a node with the URL: it opens them, and names the one opened last.
 * @param {ParentNode} root
 */
export function hydrate(root) {
  listenOnce();
  for (const fold of allFolds(root)) {
    if (hydrated.has(fold)) continue;
    hydrated.add(fold);
    fold.querySelector("summary")?.addEventListener("click", () => {
      // The click toggles the section after its listeners have run.
      const hash = hashAfterToggle(location.hash, namesIn(fold), !fold.open);
      history.replaceState(history.state, "", location.pathname + location.search + hash);
    });
    if (namesIn(fold).includes(location.hash.slice(1))) revealHash();
    openIfNamed(fold);
  }
}

/** Open the sections of figures that a restored query has values for, without scrolling to them. */
export function openFromQuery() {
  restoredPath = location.pathname;
  allFolds(document).forEach(openIfNamed);
}

/** Open a section if the query has a value for a figure in it. @param {HTMLDetailsElement} fold */
function openIfNamed(fold) {
  const figures = JSON.parse(fold.dataset.figures ?? "{}");
  const anchor = figureInQuery(figures, new URLSearchParams(location.search));
  if (!anchor || savedState()) return;
  fold.open = true;
  if (!location.hash && location.pathname !== restoredPath) keepInView(() => findFigure(`#${anchor}`) ?? fold);
}

/** Listen to the URL and to printing, once. */
export function listenOnce() {
  if (isWatching) return;
  isWatching = true;
  // Back and Forward do not always fire `hashchange`.
  for (const change of ["hashchange", "popstate"]) addEventListener(change, revealHash);
  // A link to the current URL fires no event.
  addEventListener("click", ({ target }) => {
    const link = target instanceof Element && target.closest("a");
    if (link && link.hash && link.href === location.href) reveal(link.hash);
  });
  addEventListener("beforeprint", openForPrint);
  addEventListener("afterprint", () => {
    for (const fold of printed) fold.open = false;
    printed.clear();
  });
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "p" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void printWhole();
  });
}

/** Open all sections until the page is printed. */
function openForPrint() {
  for (const fold of allFolds(document)) {
    if (!fold.open) printed.add(fold);
    fold.open = true;
  }
}

/** Print once the figures of all sections are drawn, or after a while without them: a browser waits for nothing. */
async function printWhole() {
  openForPrint();
  const late = performance.now() + PRINT_WAIT_MS;
  while (performance.now() < late && !isDrawn(document)) await new Promise((done) => setTimeout(done, 100));
  print();
}

/** Return whether all visible figures are there, with their charts. @param {ParentNode} root */
function isDrawn(root) {
  const open = root.querySelectorAll('.ln-place:empty, .ln[aria-busy="true"], .ln .chart:not([hidden]) .plot:empty');
  return ![...open].some(isRendered);
}

/**
 * Return the URL's fragment after a section was opened or closed.
 * @param {string} hash the current one
 * @param {string[]} holds ids in the section, its own first
 * @param {boolean} isOpen
 */
export function hashAfterToggle(hash, holds, isOpen) {
  const isNamed = holds.includes(hash.slice(1));
  if (isOpen) return isNamed ? hash : `#${holds[0]}`;
  return isNamed ? "" : hash;
}

/**
 * Return the anchor of the first figure that the query has a value for; "" for none.
 * @param {Record<string, string[]>} figures the query parameters of each figure
 * @param {URLSearchParams} search
 */
export function figureInQuery(figures, search) {
  const found = Object.entries(figures).find(([, names]) => names.some((name) => search.has(name)));
  return found ? `figure-${found[0]}` : "";
}

/** Show the target of the fragment, except after Back or Forward: then the sections are restored. */
function revealHash() {
  if (!savedState()) reveal(location.hash);
}

/**
 * Open the section that contains the target of a fragment, and show it.
 * @param {string} hash
 */
function reveal(hash) {
  const fold = allFolds(document).find((each) => namesIn(each).includes(hash.slice(1)));
  if (!fold) return;
  fold.open = true;
  keepInView(() => findFigure(hash) ?? fold);
}

/**
 * Return all optional sections below a node.
 * @param {ParentNode} root
 * @returns {HTMLDetailsElement[]}
 */
function allFolds(root) {
  return [...root.querySelectorAll("details")].filter((each) => each.matches(".ln-deeper"));
}

/** Return the ids in a section, its own first. @param {HTMLDetailsElement} fold */
function namesIn(fold) {
  return (fold.dataset.holds ?? "").split(" ");
}
