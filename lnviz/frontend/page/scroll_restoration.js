// Where on a page a reader was: Back and Forward lead there again, with the folds as they were. Browsers do not do that
// where a page scrolls in a box of its own, as the app's do, nor know of folds.

import { stay } from "./scroll_into_view.js";

const MAIN = '[data-testid="stMain"]';
const FOLDS = "details.ln-deeper";

/** @typedef {{top: number, open: boolean[]}} Place how far the page is scrolled, and which of its folds are open */

const box = () => document.querySelector(MAIN) ?? document.documentElement;
const folds = () => /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll(FOLDS));

/** The place that belongs to the present entry of the history. @returns {Place | undefined} */
export function placeLeft() {
  return history.state?.place;
}

/** Has each entry of the history remember its place. */
export function remember() {
  const keep = () => {
    // What goes away, or is on its way, is at no place.
    if (document.documentElement.dataset.arriving) return;
    const place = { top: box().scrollTop, open: [...folds()].map(({ open }) => open) };
    history.replaceState({ ...history.state, place }, "");
  };
  // What opened while the page was on its way has said nothing.
  addEventListener("click", ({ target }) => target instanceof Element && target.closest("a") && keep(), { capture: true });
  addEventListener("scrollend", ({ target }) => (target === document || target === box()) && keep(), { capture: true });
  addEventListener("toggle", ({ target }) => target instanceof Element && target.matches(FOLDS) && keep(), { capture: true });
}

/** Goes to the place of the present entry, if a reader has been there. */
export function comeBack() {
  const place = placeLeft();
  if (!place) return;
  folds().forEach((fold, i) => (fold.open = place.open[i] ?? false));
  stay(() => box().scrollTo(0, place.top));
}
