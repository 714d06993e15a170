// Charts draw one after the other, each in a frame of its own: the first picture of a page waits for no other.

/** Ends when the last that waits has drawn, and has been shown. @type {Promise<unknown>} */
let tail = Promise.resolve();

/**
 * Draws once all that have asked before have drawn.
 * @template T
 * @param {() => Promise<T>} draw
 * @returns {Promise<T>} what comes of it; if it fails, the others draw all the same
 */
export function enqueueDraw(draw) {
  const drawn = tail.then(draw);
  tail = Promise.allSettled([drawn]).then(nextPaint);
  return drawn;
}

/** Waits until what is there has been painted, which a page that nobody sees never is. */
function nextPaint() {
  return new Promise((resolve) => {
    if (document.hidden) setTimeout(resolve);
    else requestAnimationFrame(() => setTimeout(resolve));
  });
}
