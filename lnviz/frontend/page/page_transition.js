// A page comes in parts, and is shown when it is whole: nothing pushes what a reader looks at.

import { NEVER_ABORTED, sleep } from "../engine/sleep.js";
import { restoreScroll } from "./scroll_restoration.js";

/** Stands for a part whose script is on its way. */
const SKELETONS = '[data-testid="stSkeleton"]';
/** Figures on their way. */
const LOADING_FIGURES = ".stMain :is(.ln-place:empty, .ln[aria-busy='true']:not(:has(.row)))";
/** A part that takes longer comes into its place on a page that is there, as `frame.css` has it, too. */
const PARTS_TIMEOUT_MS = 4000;
/** So does a figure. */
const FIGURES_TIMEOUT_MS = 800;
const FRAME_MS = 16;

const root = document.documentElement;
/** The path of the page that is shown, or is on its way. */
let currentPath = withoutTrailingSlash(location.pathname);

/** Whether a path is that of the page which is shown, or is on its way. @param {string} to */
export function isCurrent(to) {
  return withoutTrailingSlash(to) === currentPath;
}

/** The page gives way to another one. @param {string} to */
export function startTransition(to) {
  if (isCurrent(to)) return;
  currentPath = withoutTrailingSlash(to);
  root.dataset.arriving ??= "page";
}

/**
 * All parts of a page are there.
 * @param {string} there its path
 */
export async function finishTransition(there) {
  if (!isCurrent(there) || !root.dataset.arriving) return;
  const isStill = () => isCurrent(there);
  await document.fonts.ready;
  const until = async (/** @type {number} */ late, /** @type {() => unknown} */ isComing) => {
    while (isStill() && performance.now() < late && isComing()) await sleep(FRAME_MS, NEVER_ABORTED);
  };
  await until(performance.now() + PARTS_TIMEOUT_MS, () => document.querySelector(SKELETONS));
  if (isStill()) restoreScroll();
  await until(performance.now() + FIGURES_TIMEOUT_MS, isFigureLoading);
  if (isStill()) delete root.dataset.arriving;
}

/** Whether a figure of the first screen is on its way. */
function isFigureLoading() {
  const places = [...document.querySelectorAll(LOADING_FIGURES)].map((place) => place.getBoundingClientRect());
  return places.some(({ top, height }) => height && top < innerHeight);
}

/** @param {string} address */
function withoutTrailingSlash(address) {
  return address.replace(/\/+$/, "");
}
