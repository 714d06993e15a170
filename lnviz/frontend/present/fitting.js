// Gives a screen the sizes with which all of it is in the window: words as large as they may be, and the charts of
// a figure as high as the room allows. Nothing gets smaller than the page's type.

import { button } from "../engine/dom.js";

/** Type of what is asked, in the page's own: the first that fits. */
const TYPE_SIZES = [1.9, 1.75, 1.6, 1.5, 1.4, 1.3, 1.2, 1.1, 1];
/** How high a chart may be, in the page's type. */
const [LOWEST, HIGHEST] = [7, 30];
/** What of a figure gives way, step by step, where charts alone cannot give enough. */
const LEVELS = ["", "tight", "tight tighter", "tight tighter tightest"];
/** What is worth a step: a chart would be lower than this. */
const COMFORTABLE = 11;
/** Text of pictures that lie within a figure; charts write their own. */
const LABELS = ".ln svg:not(.plot svg) text";
/** What has had to leave the screen for a while. */
const OFF = "off";

/**
 * What is left out while a screen shows one thing, and what it shows then.
 * @typedef {{without: Element[], name: string}} Face
 */

/**
 * Fits a screen, now and whenever something on it has changed.
 * @param {HTMLElement} screen
 */
export function autoFit(screen) {
  let frame = 0;
  const fit = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    if (!screen.hidden) fitScreen(screen);
  };
  const schedule = () => {
    frame ||= requestAnimationFrame(fit);
  };
  const watch = { subtree: true, childList: true, attributeFilter: ["aria-busy", "data-told", "hidden"] };
  new MutationObserver((seen) => seen.some(({ target }) => !(target instanceof SVGElement)) && schedule()).observe(screen, watch);
  addEventListener("resize", schedule);
  return fit;
}

/** Fits a screen as it is. @param {HTMLElement} screen */
export function fitScreen(screen) {
  const figure = screen.querySelector(".ln");
  if (!figure) {
    TYPE_SIZES.some((type) => {
      screen.style.setProperty("--type", String(type));
      return fitsInWindow(screen);
    });
  } else if (figure.querySelector(".row")) {
    const all = arrangements(screen);
    const arrangement = all.find((faces) => faces.every((face) => tryFace(screen, face))) ?? all[all.length - 1];
    const at = Number(screen.dataset.face ?? 0) % arrangement.length;
    tryFace(screen, arrangement[at]);
    offerNextFace(screen, arrangement, at);
  }
}

/**
 * How a screen can be shown: all of it at once, or else one thing after the other: what was handed in, then the figure,
 * whole, without what it was given, or a row of its views at a time.
 * @param {HTMLElement} screen
 * @returns {Face[][]}
 */
function arrangements(screen) {
  const settings = [...screen.querySelectorAll(":scope > .settings")];
  const places = [...screen.querySelectorAll(":scope > .ln-place")];
  const rows = [...screen.querySelectorAll(".ln .row:not(.words)")].filter((row) => row.querySelector(":scope > :not([hidden])"));
  const settingsFace = settings.length ? [{ without: places, name: "What was handed in" }] : [];
  /** @type {(shown: Element[]) => Face} */
  const face = (shown) => ({ without: [...settings, ...rows.filter((row) => !shown.includes(row))], name: "The rest of the figure" });
  // Maps of all there is come first, and last what a figure is given: its points.
  const [given, made] = [true, false].map((is) => rows.filter((row) => is === row.classList.contains("giving")));
  const maps = made.filter((row) => row.matches(":has(.panel)"));
  const ordered = [...new Set([...maps, ...made, ...given])];
  return [
    [{ without: [], name: "" }],
    ...(settings.length ? [[...settingsFace, { without: settings, name: "The figure" }]] : []),
    ...(given.length ? [[...settingsFace, face(made), face(given)]] : []),
    ...(rows.length > 1 ? [[...settingsFace, ...ordered.map((row) => face([row]))]] : []),
  ];
}

/**
 * Shows one thing, laid out as well as there is room.
 * @param {HTMLElement} screen
 * @param {Face} face
 * @returns {boolean} whether all of it is in the window, and can be read
 */
function tryFace(screen, { without }) {
  for (const each of screen.querySelectorAll(`.${OFF}`)) if (!without.includes(each)) each.classList.remove(OFF);
  for (const each of without) each.classList.add(OFF);
  return LEVELS.some((level) => layOutFigure(screen, level, COMFORTABLE)) || layOutFigure(screen, LEVELS[LEVELS.length - 1], LOWEST);
}

/**
 * Offers what is not shown: among the figure's controls, or above what was handed in.
 * @param {HTMLElement} screen
 * @param {Face[]} faces
 * @param {number} at the one that is shown
 */
function offerNextFace(screen, faces, at) {
  const there = screen.querySelector(".rest");
  if (faces.length < 2) {
    there?.remove();
    delete screen.dataset.face;
    return;
  }
  const turn = () => {
    screen.dataset.face = String(Number(screen.dataset.face ?? 0) + 1);
    fitScreen(screen);
  };
  const next = there ?? button("", turn, "rest");
  const { name } = faces[(at + 1) % faces.length];
  if (next.textContent !== name) next.textContent = name;
  const parent = screen.querySelector(":scope > .settings") ? screen : screen.querySelector(".ln .controls");
  if (next.parentElement !== parent) parent?.append(next);
}

/**
 * Lays a figure out with its charts as high as they may be.
 * @param {HTMLElement} screen
 * @param {string} level what gives way
 * @param {number} least how high charts are at least
 * @returns {boolean} whether all of it is in the window, and can be read
 */
function layOutFigure(screen, level, least) {
  const at = (/** @type {number} */ high) => {
    screen.style.setProperty("--high", `${high}rem`);
    return fitsInWindow(screen);
  };
  screen.dataset.level = level;
  if (!at(least)) return false;
  let [low, high] = [least, HIGHEST];
  while (high - low > 0.25) {
    const middle = (low + high) / 2;
    if (at(middle)) low = middle;
    else high = middle;
  }
  at(low);
  // What cannot be read here may be elsewhere: where words have given way to the picture.
  return enlargeLabels(screen) || level.endsWith("tightest");
}

/** Whether nothing of a screen is beyond its edges. @param {HTMLElement} screen */
function fitsInWindow({ scrollHeight, clientHeight, scrollWidth, clientWidth }) {
  return scrollHeight <= clientHeight && scrollWidth <= clientWidth;
}

/**
 * Has the words in pictures be as large as the page's type, where there is room; elsewhere they are left out, as
 * nobody could read them.
 * @param {HTMLElement} screen
 * @returns {boolean} whether there is room for all
 */
function enlargeLabels(screen) {
  const least = parseFloat(getComputedStyle(document.documentElement).fontSize);
  for (const svg of screen.querySelectorAll("svg.mute")) svg.classList.remove("mute");
  const texts = [...screen.querySelectorAll(LABELS)].filter((text) => text instanceof SVGTextElement);
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
