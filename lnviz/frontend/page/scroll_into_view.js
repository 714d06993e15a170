// Scrolling to an element, and waiting until one is visible.

import { isRendered } from "../engine/dom.js";

/** Stops following. */
let stopFollowing = () => {};

/**
 * Keep an element in view while the page is still growing, until the reader scrolls or presses a key.
 * @param {() => Element} element
 */
export function keepInView(element) {
  repeatOnResize(() => element().scrollIntoView());
}

/**
 * Run a scroll now and after each change of the page's height, until the reader scrolls or presses a key.
 * @param {() => void} scroll
 */
export function repeatOnResize(scroll) {
  stopFollowing();
  const sizes = new ResizeObserver(scroll);
  stopFollowing = () => sizes.disconnect();
  sizes.observe(document.querySelector(".stMainBlockContainer") ?? document.body);
  for (const type of ["wheel", "pointerdown", "keydown"]) {
    addEventListener(type, () => sizes.disconnect(), { once: true, capture: true, passive: true });
  }
}

/**
 * Call once an element is rendered: inside a closed section it is not.
 * @param {Element} element
 * @param {() => void} then
 * @returns {() => void} cancels that
 */
export function onceVisible(element, then) {
  const check = () => {
    if (!isRendered(element)) return;
    sizes.disconnect();
    then();
  };
  const sizes = new ResizeObserver(check);
  sizes.observe(element);
  check();
  return () => sizes.disconnect();
}
