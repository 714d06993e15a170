// What of a page is before the reader's eyes.

/** Ends what keeps something in view. */
let leave = () => {};

/**
 * Keeps something in view while the page is still growing, until the reader takes over.
 * @param {() => Element} place
 */
export function bringIntoView(place) {
  stay(() => place().scrollIntoView());
}

/**
 * Goes to a place now, and again whenever the page has grown, until the reader takes over.
 * @param {() => void} go
 */
export function stay(go) {
  leave();
  const sizes = new ResizeObserver(go);
  leave = () => sizes.disconnect();
  sizes.observe(document.querySelector(".stMainBlockContainer") ?? document.body);
  for (const hand of ["wheel", "pointerdown", "keydown"]) {
    addEventListener(hand, () => sizes.disconnect(), { once: true, capture: true, passive: true });
  }
}

/**
 * Calls when a place is on the page: what lies in a closed fold is not.
 * @param {Element} place
 * @param {() => void} then
 * @returns {() => void} gives that up
 */
export function whenShown(place, then) {
  const look = () => {
    if (!place.checkVisibility()) return;
    sizes.disconnect();
    then();
  };
  const sizes = new ResizeObserver(look);
  sizes.observe(place);
  look();
  return () => sizes.disconnect();
}
