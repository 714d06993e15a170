// A figure of a lesson, between its text, and the way from lesson to lesson.

import { leftWith } from "../engine/address.js";
import { mount as show } from "../engine/mount.js";
import { arrived } from "./links.js";
import { remember } from "./place.js";
import { fromServer } from "./server.js";
import { bringIntoView } from "./view.js";

export { unmount } from "../engine/mount.js";

/** Places whose figure a link has named already. @type {WeakSet<Element>} */
const reached = new WeakSet();

/**
 * @param {Element} parent
 * @param {{source: string, parameters: string[], lesson: string}} figure as the server's side of the page gives it;
 *   `lesson` is the name of the lesson it is in, if it is in one
 */
export function mount(parent, { source, parameters, lesson }) {
  if (lesson) remember(lesson);
  const left = leftWith(location.pathname);
  // A lesson that is returned to stands as it was left; Back has an address of its own.
  if (arrived() && left && !location.search) {
    history.replaceState(history.state, "", `${location.pathname}?${left}${location.hash}`);
  }
  const anchor = `figure-${/([^/]+)\.json$/.exec(source)?.[1]}`;
  const page = source.replace(/json$/, "html");
  show(parent, { name: source, ...fromServer(source), parameters, page, anchor });
  if (location.hash === `#${anchor}` && !reached.has(parent)) bringIntoView(parent, parent.closest(".stMainBlockContainer") ?? document.body);
  reached.add(parent);
}
