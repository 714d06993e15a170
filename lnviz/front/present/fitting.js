// Gives the charts of a screen the height that keeps all of its figure in the window, above the bar.

/** How high a chart may be, in percent of the window: the first that fits. */
const AMPLE = [45, 40, 36, 33, 30];
const LOW = [27, 24, 22, 20];

const ALL = ".row > :not([hidden])";
const VIEWS = ".row:not(.words) > :not([hidden])";

/**
 * Fits the figure of a screen, now and whenever it has come anew.
 * @param {HTMLElement} screen
 * @param {HTMLElement} bar what lies over the lower end of the window
 */
export function fitting(screen, bar) {
  const fit = () => {
    if (!screen.hidden) settle(screen, innerHeight - bar.offsetHeight);
  };
  new MutationObserver(fit).observe(screen, { subtree: true, attributeFilter: ["aria-busy"] });
  addEventListener("resize", fit);
  return fit;
}

/**
 * @param {HTMLElement} screen
 * @param {number} room pixels that it may be high
 */
function settle(screen, room) {
  const fit = (/** @type {string} */ shown, /** @type {number[]} */ heights) =>
    heights.some((height) => fits(screen, shown, room, height));
  screen.classList.remove("tight");
  if (fit(ALL, AMPLE) || fit(VIEWS, AMPLE)) return;
  screen.classList.add("tight");
  fit(VIEWS, [...AMPLE, ...LOW]);
}

/**
 * Whether a screen has something in the room there is, once charts are this high.
 * @param {HTMLElement} screen
 * @param {string} shown what must be there
 * @param {number} room
 * @param {number} height
 */
function fits(screen, shown, room, height) {
  screen.style.setProperty("--high", `${height}vh`);
  const top = screen.getBoundingClientRect().top;
  return [...screen.querySelectorAll(shown)].every((view) => view.getBoundingClientRect().bottom - top <= room);
}
