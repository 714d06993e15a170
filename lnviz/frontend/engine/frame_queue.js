// Queue of chart drawings, one per frame, so that the first picture of a page is not delayed by the others.

/** Settles when the last drawing in the queue has been painted. @type {Promise<unknown>} */
let tail = Promise.resolve();

/**
 * Draw once all earlier drawings in the queue are painted.
 * @template T
 * @param {() => Promise<T>} draw
 * @returns {Promise<T>} the result; a failure does not stop the queue
 */
export function enqueueDraw(draw) {
  const drawn = tail.then(draw);
  tail = Promise.allSettled([drawn]).then(nextPaint);
  return drawn;
}

/** Resolve after the next paint. Hidden pages never paint: there, resolve in the next task. */
function nextPaint() {
  return new Promise((resolve) => {
    if (document.hidden) setTimeout(resolve);
    else requestAnimationFrame(() => setTimeout(resolve));
  });
}
