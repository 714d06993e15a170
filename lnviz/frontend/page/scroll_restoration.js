// Scroll restoration for Back and Forward, including open sections. Browsers restore neither a nested scroll container,
// such as the app's, nor sections.

import { repeatOnResize } from "./scroll_into_view.js";

const MAIN = '[data-testid="stMain"]';
/** Without an event for the end of scrolling, this long without scrolling is the end. */
const REST_MS = 150;
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
  const onRest = (/** @type {Event} */ { target }) => void ((target === document || target === scrollBox()) && save());
  addEventListener("scrollend", onRest, { capture: true });
  if (!("onscrollend" in window)) addEventListener("scroll", afterRest(onRest), { capture: true }); // Safari before 26.2
  addEventListener("toggle", ({ target }) => target instanceof Element && target.matches(FOLDS) && save(), { capture: true });
}

/**
 * Return a listener that calls another once no event has come for a while.
 * @param {(event: Event) => void} listener
 * @returns {(event: Event) => void}
 */
function afterRest(listener) {
  let timer = 0;
  return (event) => {
    clearTimeout(timer);
    timer = setTimeout(() => listener(event), REST_MS);
  };
}

/** Restore the state of the current history entry, if any. */
export function restoreScroll() {
  const state = savedState();
  if (!state) return;
  folds().forEach((fold, i) => (fold.open = state.open[i] ?? false));
  repeatOnResize(() => scrollBox().scrollTo(0, state.top));
}
