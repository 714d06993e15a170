// How far a reader has come: remembered in this browser alone, until it is to be forgotten.

import { element } from "../engine/dom.js";
import { setLocal, getLocal } from "../engine/memory.js";

const NAME = "progress";
/** Milliseconds for which the end of a lesson is looked at before the lesson counts as read. */
const READ_DELAY_MS = 1000;
/** What stands beside a lesson's name, and how it is read out. */
const MARKS = { read: '"\\2713" / " (read)"', begun: '"\\25D0" / " (begun)"' };

/**
 * What is remembered of the lessons, by their slugs.
 * @typedef {{last: string, begun: string[], read: string[]}} Progress
 */

/**
 * A lesson as the page lists it.
 * @typedef {{slug: string, title: string, href: string, time: string}} Lesson
 */

/** What is remembered, which may have been anything. @returns {Progress} */
function loadProgress() {
  /** @type {any} */
  let stored = null;
  try {
    stored = JSON.parse(getLocal(NAME));
  } catch {
    // Nothing, or not ours.
  }
  const names = (/** @type {any} */ value) => (Array.isArray(value) ? value.filter((slug) => /^[a-z-]+$/.test(slug)) : []);
  return { last: String(stored?.last ?? ""), begun: names(stored?.begun), read: names(stored?.read) };
}

/** @param {Progress} progress */
function saveProgress(progress) {
  setLocal(NAME, JSON.stringify(progress));
  updateStyleSheet();
}

/** A lesson is open. @param {string} slug */
export function markBegun(slug) {
  const { begun, read } = loadProgress();
  saveProgress({ last: slug, begun: [...new Set([...begun, slug])], read });
}

/** A lesson has been read to its end. @param {string} slug */
export function markRead(slug) {
  const { last, begun, read } = loadProgress();
  saveProgress({ last, begun, read: [...new Set([...read, slug])] });
}

/** Nothing is remembered any more. */
export function clearProgress() {
  saveProgress({ last: "", begun: [], read: [] });
}

/** @type {CSSStyleSheet | null} */
let sheet = null;

/** Marks the lessons wherever the page lists them: the page may be drawn anew, a style sheet stays. */
function updateStyleSheet() {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }
  sheet.replaceSync(markRules(loadProgress()));
}

/**
 * The rules that give each listed lesson its mark.
 * @param {Progress} progress
 */
export function markRules({ begun, read }) {
  const links = (/** @type {string} */ slug) => `:is([data-lesson="${slug}"], [data-testid="stSidebar"] a:is([href="${slug}"], [href$="/${slug}"]))`;
  const rule = (/** @type {string} */ slug, /** @type {string} */ sign) => `${links(slug)} { --ln-tick: ${sign}; }`;
  const open = begun.filter((slug) => !read.includes(slug));
  return [...read.map((slug) => rule(slug, MARKS.read)), ...open.map((slug) => rule(slug, MARKS.begun))].join("\n");
}

/**
 * Where to go on, if a lesson has been open: there, or, once it is read, with the first one after it that is not.
 * @param {Lesson[]} lessons in reading order
 * @returns {Lesson | undefined}
 */
export function nextLesson(lessons) {
  const { last, read } = loadProgress();
  const at = lessons.findIndex(({ slug }) => slug === last);
  if (at < 0) return undefined;
  return lessons.slice(at).find(({ slug }) => !read.includes(slug)) ?? lessons[at];
}

/**
 * Has the lists in a place follow what is remembered.
 * @param {ParentNode} place
 */
export function hydrate(place) {
  updateStyleSheet();
  const continueBox = place.querySelector(".ln-ways");
  if (continueBox instanceof HTMLElement) renderContinue(continueBox);
  const sum = place.querySelector(".ln-progress");
  if (sum instanceof HTMLElement) renderCount(sum);
  const end = place.querySelector(".ln-end");
  if (end instanceof HTMLElement) observeEnd(end);
}

/** Says how many lessons are read, and offers to forget it. @param {HTMLElement} sum */
function renderCount(sum) {
  const lessons = [...document.querySelectorAll(".ln-cards [data-lesson]")].map((link) => link.getAttribute("data-lesson"));
  const { begun, read } = loadProgress();
  const known = read.filter((slug) => lessons.includes(slug)).length;
  const bar = element("progress");
  Object.assign(bar, { max: lessons.length, value: known });
  const text = element("span", "", `${known} of ${lessons.length} read`);
  bar.setAttribute("aria-hidden", "true");
  const button = element("button", "", "Forget this");
  button.type = "button";
  button.disabled = !begun.length && !read.length;
  button.addEventListener("click", () => {
    clearProgress();
    renderCount(sum);
    const continueBox = document.querySelector(".ln-ways");
    if (continueBox instanceof HTMLElement) renderContinue(continueBox);
  });
  sum.replaceChildren(text, bar, button);
}

/** Ends with what is watched now. */
let stopObserving = () => {};

/** Takes a lesson for begun, and for read when the end of its core has been looked at. @param {HTMLElement} end */
function observeEnd(end) {
  stopObserving();
  const { lesson = "" } = end.dataset;
  markBegun(lesson);
  let timer = 0;
  const seen = new IntersectionObserver(([entry]) => {
    clearTimeout(timer);
    if (!end.isConnected) return stopObserving();
    if (entry.isIntersecting) timer = setTimeout(() => markRead(lesson), READ_DELAY_MS);
  });
  seen.observe(end);
  stopObserving = () => {
    clearTimeout(timer);
    seen.disconnect();
  };
}

/** Offers to go on where the reader was. @param {HTMLElement} continueBox */
function renderContinue(continueBox) {
  /** @type {Lesson[]} */
  const lessons = JSON.parse(continueBox.dataset.lessons ?? "[]");
  const there = nextLesson(lessons);
  const lesson = there ?? lessons[0];
  const link = continueBox.querySelector("a");
  if (!lesson || !link) return;
  link.href = lesson.href;
  link.textContent = there ? "Go on" : "Start";
  const [title, time] = continueBox.querySelectorAll(".start > span > span");
  title.textContent = lesson.title;
  time.textContent = lesson.time;
}
