// How far a reader has come: remembered in this browser alone.

import { keepForGood, recallForGood } from "../engine/memory.js";

const LAST = "last lesson";

/**
 * A lesson as the page lists it.
 * @typedef {{slug: string, title: string, href: string, time: string}} Lesson
 */

/** A lesson is open. @param {string} slug */
export function begin(slug) {
  keepForGood(LAST, slug);
}

/**
 * Where to go on, if a lesson has been open. What is remembered may be anything: only a lesson that there is counts.
 * @param {Lesson[]} lessons in reading order
 * @returns {Lesson | undefined}
 */
export function next(lessons) {
  const last = recallForGood(LAST);
  return lessons.find(({ slug }) => slug === last);
}

/**
 * Has the lists in a place follow what is remembered.
 * @param {ParentNode} place
 */
export function enliven(place) {
  const ways = place.querySelector(".ln-ways");
  if (ways instanceof HTMLElement) offer(ways);
}

/** Offers to go on where the reader was. @param {HTMLElement} ways */
function offer(ways) {
  const lesson = next(JSON.parse(ways.dataset.lessons ?? "[]"));
  const link = ways.querySelector("a");
  if (!lesson || !link) return;
  link.href = lesson.href;
  link.textContent = "Go on";
  const [title, time] = ways.querySelectorAll(".start > span > span");
  title.textContent = lesson.title;
  time.textContent = lesson.time;
}
