// Gives a screen the sizes with which all of it is in the window: words as large as they may be, and the charts of
// a figure as high as the room allows. Nothing gets smaller than the page's type.

import { button } from "../engine/dom.js";

/** Type of what is asked, in the page's own: the first that fits. */
const TYPE = [1.9, 1.75, 1.6, 1.5, 1.4, 1.3, 1.2, 1.1, 1];
/** How high a chart may be, in the page's type. */
const [LOWEST, HIGHEST] = [7, 30];
/** What of a figure gives way, step by step, where charts alone cannot give enough. */
const LEVELS = ["", "tight", "tight tighter", "tight tighter tightest", "tight tighter tightest apart"];
/** What is worth a step: a chart would be lower than this. */
const GOOD = 11;
/** Text of pictures that lie within a figure; charts write their own. */
const LETTERS = ".ln svg:not(.plot svg) text";

/**
 * Fits a screen, now and whenever something on it has changed.
 * @param {HTMLElement} screen
 */
export function fitting(screen) {
  let frame = 0;
  const fit = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    if (!screen.hidden) settle(screen);
  };
  const soon = () => {
    frame ||= requestAnimationFrame(fit);
  };
  const watch = { subtree: true, childList: true, attributeFilter: ["aria-busy", "data-told", "hidden"] };
  new MutationObserver((seen) => seen.some(({ target }) => !(target instanceof SVGElement)) && soon()).observe(screen, watch);
  addEventListener("resize", soon);
  return fit;
}

/** Fits a screen as it is. @param {HTMLElement} screen */
export function settle(screen) {
  const figure = screen.querySelector(".ln");
  if (!figure) {
    TYPE.some((type) => {
      screen.style.setProperty("--type", String(type));
      return fits(screen);
    });
  } else if (figure.querySelector(".row")) {
    const found = LEVELS.find((level) => lay(screen, level, GOOD)) ?? LEVELS.find((level) => lay(screen, level, LOWEST));
    if (found === undefined) lay(screen, LEVELS[LEVELS.length - 1], LOWEST);
  }
}

/**
 * Lays a figure out with its charts as high as they may be.
 * @param {HTMLElement} screen
 * @param {string} level what gives way
 * @param {number} least how high charts are at least
 * @returns {boolean} whether all of it is in the window, and can be read
 */
function lay(screen, level, least) {
  const at = (/** @type {number} */ high) => {
    screen.style.setProperty("--high", `${high}rem`);
    return fits(screen);
  };
  screen.dataset.level = level;
  part(screen, level.endsWith("apart"));
  if (!at(least)) return false;
  let [low, high] = [least, HIGHEST];
  while (high - low > 0.25) {
    const middle = (low + high) / 2;
    if (at(middle)) low = middle;
    else high = middle;
  }
  at(low);
  // What cannot be read here may be elsewhere: where words have given way to the picture.
  return letter(screen) || level.endsWith("tightest");
}

/** Whether nothing of a screen is beyond its edges. @param {HTMLElement} screen */
function fits({ scrollHeight, clientHeight, scrollWidth, clientWidth }) {
  return scrollHeight <= clientHeight && scrollWidth <= clientWidth;
}

/**
 * Has the words in pictures be as large as the page's type, where there is room; elsewhere they are left out, as
 * nobody could read them.
 * @param {HTMLElement} screen
 * @returns {boolean} whether there is room for all
 */
function letter(screen) {
  const least = parseFloat(getComputedStyle(document.documentElement).fontSize);
  for (const svg of screen.querySelectorAll("svg.mute")) svg.classList.remove("mute");
  const texts = [...screen.querySelectorAll(LETTERS)].filter((text) => text instanceof SVGTextElement);
  for (const text of texts) text.style.fontSize = "";
  const sizes = texts.map((text) => {
    const matrix = text.getScreenCTM();
    const scale = matrix ? Math.hypot(matrix.c, matrix.d) : 0;
    return scale && parseFloat(getComputedStyle(text).fontSize) * scale < least - 0.5 ? least / scale : 0;
  });
  texts.forEach((text, i) => {
    if (sizes[i]) text.style.fontSize = `${sizes[i]}px`;
  });
  const tight = texts.filter((text, i) => {
    const box = text.closest(".box")?.querySelector("rect");
    return sizes[i] && box && text.getComputedTextLength() > box.width.baseVal.value;
  });
  for (const text of tight) text.ownerSVGElement?.classList.add("mute");
  return !tight.length;
}

/**
 * Shows a figure's rows of views one after the other, where they do not fit together.
 * @param {HTMLElement} screen
 * @param {boolean} is
 */
function part(screen, is) {
  const rows = [...screen.querySelectorAll(".ln .row:not(.words)")].filter((row) => row.querySelector(":scope > :not([hidden])"));
  const there = screen.querySelector(".rest");
  if (!is || rows.length < 2) {
    there?.remove();
    for (const row of rows) row.classList.remove("off");
    return;
  }
  const show = (/** @type {number} */ at) => rows.forEach((row, i) => row.classList.toggle("off", i !== at));
  if (there) return;
  show(0);
  const next = button("The rest of the figure", () => {
    const at = rows.findIndex((row) => !row.classList.contains("off"));
    show((at + 1) % rows.length);
  }, "rest");
  screen.querySelector(".ln .controls")?.append(next);
}
