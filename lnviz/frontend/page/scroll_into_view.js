// Scrolling to an element, and waiting until one is visible.

/** Stops following. */
let stopFollowing = () => {};

/**
 * Keep an element in view while the page is still growing, until the reader scrolls or presses a key.
 * @param {() => Element} place
 */
export function keepInView(place) {
  repeatOnResize(() => place().scrollIntoView());
}

/**
 * Run a scroll now and after each change of the page's height, until the reader scrolls or presses a key.
 * @param {() => void} go
 */
export function repeatOnResize(go) {
  stopFollowing();
  const sizes = new ResizeObserver(go);
  stopFollowing = () => sizes.disconnect();
  sizes.observe(document.querySelector(".stMainBlockContainer") ?? document.body);
  for (const type of ["wheel", "pointerdown", "keydown"]) {
    addEventListener(type, () => sizes.disconnect(), { once: true, capture: true, passive: true });
  }
}

/**
 * Call once an element is rendered: inside a closed section it is not.
 * @param {Element} place
 * @param {() => void} then
 * @returns {() => void} cancels that
 */
export function onceVisible(place, then) {
  const check = () => {
    if (!place.checkVisibility()) return;
    sizes.disconnect();
    then();
  };
  const sizes = new ResizeObserver(check);
  sizes.observe(place);
  check();
  return () => sizes.disconnect();
}
