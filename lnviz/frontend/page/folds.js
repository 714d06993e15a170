// Parts for some readers: closed until they are opened, or something in them is named.

import { findFigure } from "../engine/dom.js";
import { savedState } from "./scroll_restoration.js";
import { keepInView } from "./scroll_into_view.js";

/** Folds that are known already. @type {WeakSet<Element>} */
const hydrated = new WeakSet();
/** Folds that are open on paper alone. @type {Set<HTMLDetailsElement>} */
const printed = new Set();

let isWatching = false;

/**
 * Lets the address open the folds in a place, and say which one was opened last.
 * @param {ParentNode} place
 */
export function hydrate(place) {
  listenOnce();
  for (const fold of allFolds(place)) {
    if (hydrated.has(fold)) continue;
    hydrated.add(fold);
    fold.querySelector("summary")?.addEventListener("click", () => {
      // What a click does to the fold comes after those who listen.
      const hash = hashAfterToggle(location.hash, namesIn(fold), !fold.open);
      history.replaceState(history.state, "", location.pathname + location.search + hash);
    });
    if (namesIn(fold).includes(location.hash.slice(1))) revealHash();
    openIfNamed(fold);
  }
}

/** Opens what the address has values for, once more where its values have come later. */
export function openFromQuery() {
  allFolds(document).forEach(openIfNamed);
}

/** Opens a fold if the address has a value for a figure in it. @param {HTMLDetailsElement} fold */
function openIfNamed(fold) {
  const figures = JSON.parse(fold.dataset.figures ?? "{}");
  const anchor = figureInQuery(figures, new URLSearchParams(location.search));
  if (!anchor || savedState()) return;
  fold.open = true;
  if (!location.hash) keepInView(() => findFigure(`#${anchor}`) ?? fold);
}

/** Listens to the address and to the printer, from the first call on. */
export function listenOnce() {
  if (isWatching) return;
  isWatching = true;
  // Back and Forward do not always say that the fragment has changed.
  for (const change of ["hashchange", "popstate"]) addEventListener(change, revealHash);
  // A link to where the address is already changes nothing of it.
  addEventListener("click", ({ target }) => {
    const link = target instanceof Element && target.closest("a");
    if (link && link.hash && link.href === location.href) reveal(link.hash);
  });
  addEventListener("beforeprint", () => {
    for (const fold of allFolds(document)) {
      if (!fold.open) printed.add(fold);
      fold.open = true;
    }
  });
  addEventListener("afterprint", () => {
    for (const fold of printed) fold.open = false;
    printed.clear();
  });
}

/**
 * The fragment of the address when a reader has opened a fold, or closed it.
 * @param {string} hash the one there is
 * @param {string[]} holds the names of all that is in the fold, its own before them
 * @param {boolean} isOpen
 */
export function hashAfterToggle(hash, holds, isOpen) {
  const isNamed = holds.includes(hash.slice(1));
  if (isOpen) return isNamed ? hash : `#${holds[0]}`;
  return isNamed ? "" : hash;
}

/**
 * The anchor of the first figure that an address has a value for; "" where there is none.
 * @param {Record<string, string[]>} figures what an address may give each
 * @param {URLSearchParams} search
 */
export function figureInQuery(figures, search) {
  const found = Object.entries(figures).find(([, names]) => names.some((name) => search.has(name)));
  return found ? `figure-${found[0]}` : "";
}

/** Shows what the address names, but to a reader who comes back: for them the folds are as they were. */
function revealHash() {
  if (!savedState()) reveal(location.hash);
}

/**
 * Opens what holds the place that a fragment names, and shows it.
 * @param {string} hash
 */
function reveal(hash) {
  const fold = allFolds(document).find((each) => namesIn(each).includes(hash.slice(1)));
  if (!fold) return;
  fold.open = true;
  keepInView(() => findFigure(hash) ?? fold);
}

/**
 * @param {ParentNode} place
 * @returns {HTMLDetailsElement[]}
 */
function allFolds(place) {
  return [...place.querySelectorAll("details")].filter((each) => each.matches(".ln-deeper"));
}

/** The names of all that is in a fold, its own before them. @param {HTMLDetailsElement} fold */
function namesIn(fold) {
  return (fold.dataset.holds ?? "").split(" ");
}
