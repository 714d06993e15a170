// What of a page is before the reader's eyes.

/** Ends what keeps something in view. */
let stopFollowing = () => {};

/**
 * Keeps something in view while the page is still growing, until the reader takes over.
 * @param {() => Element} place
 */
export function keepInView(place) {
  repeatOnResize(() => place().scrollIntoView());
}

/**
 * Goes to a place now, and again whenever the page has grown, until the reader takes over.
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
 * Calls when a place is on the page: what lies in a closed fold is not.
 * @param {Element} place
 * @param {() => void} then
 * @returns {() => void} gives that up
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
