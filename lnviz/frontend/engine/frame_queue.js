// Charts draw one after the other, each in a frame of its own: the first picture of a page waits for no other.

/** Ends when the last that waits has drawn, and has been shown. @type {Promise<unknown>} */
let last = Promise.resolve();

/**
 * Draws once all that have asked before have drawn.
 * @template T
 * @param {() => Promise<T>} draw
 * @returns {Promise<T>} what comes of it; if it fails, the others draw all the same
 */
export function inTurn(draw) {
  const drawn = last.then(draw);
  last = Promise.allSettled([drawn]).then(painted);
  return drawn;
}

/** Waits until what is there has been painted, which a page that nobody sees never is. */
function painted() {
  return new Promise((resolve) => {
    if (document.hidden) setTimeout(resolve);
    else requestAnimationFrame(() => setTimeout(resolve));
  });
}
