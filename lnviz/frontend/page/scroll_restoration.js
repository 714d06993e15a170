// Where on a page a reader was: Back and Forward lead there again, with the folds as they were. Browsers do not do that
// where a page scrolls in a box of its own, as the app's do, nor know of folds.

import { repeatOnResize } from "./scroll_into_view.js";

const MAIN = '[data-testid="stMain"]';
const FOLDS = "details.ln-deeper";

/** @typedef {{top: number, open: boolean[]}} ScrollState how far the page is scrolled, and which of its folds are open */

const scrollBox = () => document.querySelector(MAIN) ?? document.documentElement;
const folds = () => /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll(FOLDS));

/** The place that belongs to the present entry of the history. @returns {ScrollState | undefined} */
export function savedState() {
  return history.state?.place;
}

/** Has each entry of the history remember its place. */
export function trackScroll() {
  const save = () => {
    // What goes away, or is on its way, is at no place.
    if (document.documentElement.dataset.arriving) return;
    const place = { top: scrollBox().scrollTop, open: [...folds()].map(({ open }) => open) };
    history.replaceState({ ...history.state, place }, "");
  };
  // What opened while the page was on its way has said nothing.
  addEventListener("click", ({ target }) => target instanceof Element && target.closest("a") && save(), { capture: true });
  addEventListener("scrollend", ({ target }) => (target === document || target === scrollBox()) && save(), { capture: true });
  addEventListener("toggle", ({ target }) => target instanceof Element && target.matches(FOLDS) && save(), { capture: true });
}

/** Goes to the place of the present entry, if a reader has been there. */
export function restoreScroll() {
  const place = savedState();
  if (!place) return;
  folds().forEach((fold, i) => (fold.open = place.open[i] ?? false));
  repeatOnResize(() => scrollBox().scrollTo(0, place.top));
}
