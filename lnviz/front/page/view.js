// Keeps what a link has named before the reader's eyes.

/**
 * Keeps a figure in view while what is above it is still growing, until the reader takes over.
 * @param {Element} parent of the figure
 * @param {Element} page what grows
 */
export function bringIntoView(parent, page) {
  const sizes = new ResizeObserver(() => parent.querySelector(".ln")?.scrollIntoView());
  sizes.observe(page);
  for (const hand of ["wheel", "pointerdown", "keydown"]) {
    addEventListener(hand, () => sizes.disconnect(), { once: true, capture: true, passive: true });
  }
}
