// Queue of chart drawings, one per frame, so that the first picture of a page is not delayed by the others.

/** Drawings that have not begun. @type {(() => Promise<void>)[]} */
const waiting = [];
let isRunning = false;

/**
 * Draw once all earlier drawings in the queue are painted.
 * @template T
 * @param {() => Promise<T>} draw
 * @returns {Promise<T>} the result; a failure does not stop the queue
 */
export function enqueueDraw(draw) {
  return new Promise((resolve, reject) => {
    waiting.push(() => draw().then(resolve, reject));
    if (!isRunning) void run();
  });
}

/** Begin all drawings at once: paper waits for no frame. */
export function drawAll() {
  for (const draw of waiting.splice(0)) void draw();
}

async function run() {
  isRunning = true;
  for (let draw = waiting.shift(); draw; draw = waiting.shift()) {
    await draw();
    await nextPaint();
  }
  isRunning = false;
}

/** Resolve after the next paint. Hidden pages never paint: there, resolve in the next task. */
function nextPaint() {
  return new Promise((resolve) => {
    if (document.hidden) setTimeout(resolve);
    else requestAnimationFrame(() => setTimeout(resolve));
  });
}
