// A page comes in parts, and is shown when it is whole: nothing pushes what a reader looks at.

import { NEVER_ABORTED, sleep } from "../engine/sleep.js";
import { comeBack } from "./scroll_restoration.js";

/** Stands for a part whose script is on its way. */
const PARTS = '[data-testid="stSkeleton"]';
/** Figures on their way. */
const FIGURES = ".stMain :is(.ln-place:empty, .ln[aria-busy='true']:not(:has(.row)))";
/** A part that takes longer comes into its place on a page that is there, as `frame.css` has it, too. */
const LATE_MS = 4000;
/** So does a figure. */
const PATIENCE_MS = 800;
const FRAME_MS = 16;

const root = document.documentElement;
/** The path of the page that is shown, or is on its way. */
let path = plain(location.pathname);

/** Whether a path is that of the page which is shown, or is on its way. @param {string} to */
export function isHere(to) {
  return plain(to) === path;
}

/** The page gives way to another one. @param {string} to */
export function leave(to) {
  if (isHere(to)) return;
  path = plain(to);
  root.dataset.arriving ??= "page";
}

/**
 * All parts of a page are there.
 * @param {string} there its path
 */
export async function arrive(there) {
  if (!isHere(there) || !root.dataset.arriving) return;
  const isStill = () => isHere(there);
  await document.fonts.ready;
  const until = async (/** @type {number} */ late, /** @type {() => unknown} */ isComing) => {
    while (isStill() && performance.now() < late && isComing()) await sleep(FRAME_MS, NEVER_ABORTED);
  };
  await until(performance.now() + LATE_MS, () => document.querySelector(PARTS));
  if (isStill()) comeBack();
  await until(performance.now() + PATIENCE_MS, isDrawing);
  if (isStill()) delete root.dataset.arriving;
}

/** Whether a figure of the first screen is on its way. */
function isDrawing() {
  const places = [...document.querySelectorAll(FIGURES)].map((place) => place.getBoundingClientRect());
  return places.some(({ top, height }) => height && top < innerHeight);
}

/** @param {string} address */
function plain(address) {
  return address.replace(/\/+$/, "");
}
