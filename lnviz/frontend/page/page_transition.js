// Page transitions: a new page is hidden until it is complete, so that nothing shifts while reading.

import { NEVER_ABORTED, sleep } from "../engine/sleep.js";
import { restoreScroll } from "./scroll_restoration.js";

/** Placeholders of parts that are still loading. */
const SKELETONS = '[data-testid="stSkeleton"]';
/** Figures that are still loading. */
const LOADING_FIGURES = ".stMain :is(.ln-place:empty, .ln[aria-busy='true']:not(:has(.row)))";
/** After this time the page is shown without the missing parts, as in `frame.css`. */
const PARTS_TIMEOUT_MS = 4000;
/** The same for figures. */
const FIGURES_TIMEOUT_MS = 800;
const FRAME_MS = 16;

const root = document.documentElement;
/** Path of the current page, or of the one being loaded. */
let currentPath = withoutTrailingSlash(location.pathname);

/** Return whether a path is the current page's, or of the one being loaded. @param {string} to */
export function isCurrent(to) {
  return withoutTrailingSlash(to) === currentPath;
}

/** Start the transition to another page. @param {string} to */
export function startTransition(to) {
  if (isCurrent(to)) return;
  currentPath = withoutTrailingSlash(to);
  root.dataset.arriving ??= "page";
}

/**
 * Show a page of which all parts have been sent.
 * @param {string} path its path
 */
export async function finishTransition(path) {
  if (!isCurrent(path) || !root.dataset.arriving) return;
  const isStillCurrent = () => isCurrent(path);
  await document.fonts.ready;
  const waitWhile = async (/** @type {number} */ late, /** @type {() => unknown} */ isComing) => {
    while (isStillCurrent() && performance.now() < late && isComing()) await sleep(FRAME_MS, NEVER_ABORTED);
  };
  await waitWhile(performance.now() + PARTS_TIMEOUT_MS, () => document.querySelector(SKELETONS));
  if (isStillCurrent()) restoreScroll();
  await waitWhile(performance.now() + FIGURES_TIMEOUT_MS, isFigureLoading);
  if (isStillCurrent()) delete root.dataset.arriving;
}

/** Return whether a figure in the viewport is still loading. */
function isFigureLoading() {
  const boxes = [...document.querySelectorAll(LOADING_FIGURES)].map((place) => place.getBoundingClientRect());
  return boxes.some(({ top, height }) => height && top < innerHeight);
}

/** Remove trailing slashes. @param {string} address */
function withoutTrailingSlash(address) {
  return address.replace(/\/+$/, "");
}
