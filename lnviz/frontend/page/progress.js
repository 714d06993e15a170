// Reading progress, stored only in this browser until the reader deletes it.

import { element } from "../engine/dom.js";
import { setLocal, getLocal } from "../engine/memory.js";

const NAME = "progress";
/** Milliseconds for which the end of a lesson must be visible before it counts as finished. */
const READ_DELAY_MS = 500;
/** Mark after a lesson's name, and its spoken form. */
const MARKS = { read: '"\\2713" / " (finished)"', begun: '"\\25D0" / " (begun)"' };

/**
 * Stored progress, by lesson slugs.
 * @typedef {{last: string, begun: string[], read: string[]}} Progress
 */

/**
 * A lesson as listed on the page.
 * @typedef {{slug: string, title: string, href: string, time: string}} Lesson
 */

/** Return the stored progress; invalid data is ignored. @returns {Progress} */
function loadProgress() {
  /** @type {any} */
  let stored = null;
  try {
    stored = JSON.parse(getLocal(NAME));
  } catch {
    // Empty, or not valid JSON.
  }
  const names = (/** @type {any} */ value) => (Array.isArray(value) ? value.filter((slug) => /^[a-z-]+$/.test(slug)) : []);
  return { last: String(stored?.last ?? ""), begun: names(stored?.begun), read: names(stored?.read) };
}

/** Store the progress and update the marks. @param {Progress} progress */
function saveProgress(progress) {
  setLocal(NAME, JSON.stringify(progress));
  updateStyleSheet();
}

/** Mark a lesson as begun. @param {string} slug */
export function markBegun(slug) {
  const { begun, read } = loadProgress();
  saveProgress({ last: slug, begun: [...new Set([...begun, slug])], read });
}

/** Mark a lesson as read. @param {string} slug */
export function markRead(slug) {
  const { last, begun, read } = loadProgress();
  saveProgress({ last, begun, read: [...new Set([...read, slug])] });
}

/** Delete the stored progress. */
export function clearProgress() {
  saveProgress({ last: "", begun: [], read: [] });
}

/** @type {CSSStyleSheet | null} */
let sheet = null;

/** Mark lessons by a style sheet, which survives when Streamlit renders the page again. */
function updateStyleSheet() {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }
  sheet.replaceSync(markRules(loadProgress()));
}

/**
 * Return the CSS rules that mark the listed lessons.
 * @param {Progress} progress
 */
export function markRules({ begun, read }) {
  const rule = (/** @type {string} */ slug, /** @type {string} */ sign) => `[data-lesson="${slug}"] { --ln-tick: ${sign}; }`;
  const open = begun.filter((slug) => !read.includes(slug));
  const legend = read.length || open.length ? [":root { --ln-ticks: block; }"] : [];
  return [...read.map((slug) => rule(slug, MARKS.read)), ...open.map((slug) => rule(slug, MARKS.begun)), ...legend].join("\n");
}

/**
 * Return the lesson to continue with: the last one opened, or, if it is read, the next one that is not.
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
 * Connect the lists and buttons below a node with the stored progress.
 * @param {ParentNode} root
 */
export function hydrate(root) {
  updateStyleSheet();
  const continueBox = root.querySelector(".ln-ways");
  if (continueBox instanceof HTMLElement) renderContinue(continueBox);
  const container = root.querySelector(".ln-progress");
  if (container instanceof HTMLElement) renderCount(container);
  const end = root.querySelector(".ln-end");
  if (end instanceof HTMLElement) observeEnd(end);
}

/** Show how many lessons are read, with a button to delete that. @param {HTMLElement} container */
function renderCount(container) {
  const lessons = [...document.querySelectorAll(".ln-cards [data-lesson]")].map((link) => link.getAttribute("data-lesson"));
  const { begun, read } = loadProgress();
  const readCount = read.filter((slug) => lessons.includes(slug)).length;
  const bar = element("progress");
  Object.assign(bar, { max: lessons.length, value: readCount });
  const begunCount = begun.filter((slug) => lessons.includes(slug) && !read.includes(slug)).length;
  const text = element("span", "", `${readCount} of ${lessons.length} lessons finished (\u2713), ${begunCount} begun (\u25d0)`);
  bar.setAttribute("aria-hidden", "true");
  const button = element("button", "", "Clear my progress");
  button.type = "button";
  button.disabled = !begun.length && !read.length;
  button.addEventListener("click", () => {
    clearProgress();
    renderCount(container);
    const continueBox = document.querySelector(".ln-ways");
    if (continueBox instanceof HTMLElement) renderContinue(continueBox);
  });
  container.replaceChildren(text, bar, button);
}

/** Stops the present observation. */
let stopObserving = () => {};

/** Mark a lesson as begun, and as read once the end of its core was visible. @param {HTMLElement} end */
function observeEnd(end) {
  stopObserving();
  const { lesson = "" } = end.dataset;
  markBegun(lesson);
  let timer = 0;
  let wasVisible = false;
  const observer = new IntersectionObserver(([entry]) => {
    clearTimeout(timer);
    if (!end.isConnected) return stopObserving();
    if (entry.isIntersecting) timer = setTimeout(() => markRead(lesson), READ_DELAY_MS);
    // A fast reader scrolls on to the exercises.
    else if (wasVisible && entry.boundingClientRect.bottom < 0) markRead(lesson);
    wasVisible = entry.isIntersecting;
  });
  observer.observe(end);
  stopObserving = () => {
    clearTimeout(timer);
    observer.disconnect();
  };
}

/** Show where to continue. @param {HTMLElement} continueBox */
function renderContinue(continueBox) {
  /** @type {Lesson[]} */
  const lessons = JSON.parse(continueBox.dataset.lessons ?? "[]");
  const continued = nextLesson(lessons);
  const lesson = continued ?? lessons[0];
  const link = continueBox.querySelector("a");
  if (!lesson || !link) return;
  link.href = lesson.href;
  link.textContent = continued ? "Continue" : "Start";
  const [title, time] = continueBox.querySelectorAll(".start > span > span");
  title.textContent = lesson.title;
  time.textContent = lesson.time;
}
