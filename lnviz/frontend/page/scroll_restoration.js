// Scroll restoration for Back and Forward, including open sections. Browsers restore neither a nested scroll container,
// such as the app's, nor sections.

import { repeatOnResize } from "./scroll_into_view.js";

const MAIN = '[data-testid="stMain"]';
const FOLDS = "details.ln-deeper";

/** @typedef {{top: number, open: boolean[]}} ScrollState scroll offset, and which optional sections are open */

const scrollBox = () => document.querySelector(MAIN) ?? document.documentElement;
const folds = () => /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll(FOLDS));

/** Return the state stored in the current history entry. @returns {ScrollState | undefined} */
export function savedState() {
  return history.state?.place;
}

/** Store the scroll state in each history entry as it changes. */
export function trackScroll() {
  const save = () => {
    // Not during a page transition.
    if (document.documentElement.dataset.arriving) return;
    const state = { top: scrollBox().scrollTop, open: [...folds()].map(({ open }) => open) };
    history.replaceState({ ...history.state, place: state }, "");
  };
  // Before a link is followed: sections opened during a transition were not stored.
  addEventListener("click", ({ target }) => target instanceof Element && target.closest("a") && save(), { capture: true });
  addEventListener("scrollend", ({ target }) => (target === document || target === scrollBox()) && save(), { capture: true });
  addEventListener("toggle", ({ target }) => target instanceof Element && target.matches(FOLDS) && save(), { capture: true });
}

/** Restore the state of the current history entry, if any. */
export function restoreScroll() {
  const state = savedState();
  if (!state) return;
  folds().forEach((fold, i) => (fold.open = state.open[i] ?? false));
  repeatOnResize(() => scrollBox().scrollTo(0, state.top));
}
