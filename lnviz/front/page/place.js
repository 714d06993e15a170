// Which lesson was open last: remembered in this browser alone, and offered on the home page.

import { element } from "../engine/dom.js";
import { keepForGood, recallForGood } from "../engine/memory.js";

const NAME = "last lesson";

/** @param {string} slug */
export function remember(slug) {
  keepForGood(NAME, slug);
}

/**
 * Offers to go on with the lesson that was open last. What is remembered may be anything: only the name of a
 * lesson is taken.
 * @param {HTMLElement} place
 * @param {{base: string, lessons: Record<string, string>}} known where the lessons are, and their titles
 */
export function offer(place, { base, lessons }) {
  const slug = recallForGood(NAME);
  place.hidden = !Object.hasOwn(lessons, slug);
  if (place.hidden) return;
  const link = element("a", "", lessons[slug]);
  link.href = base + slug;
  place.replaceChildren("Go on with ", link);
}
