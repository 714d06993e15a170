// A figure of a lesson, between its text, and the way from lesson to lesson.

import { leftWith } from "./address.js";
import { mount as show } from "./explorable.js";
import { overHttp, sendOverHttp } from "./http.js";
import { arrived, watch } from "./sidebar.js";

export { unmount } from "./explorable.js";

/** Places whose figure a link has named already. @type {WeakSet<Element>} */
const reached = new WeakSet();

watch();

/**
 * @param {Element} parent
 * @param {{source: string, parameters: string[]}} figure as the server's side of the page gives it
 */
export function mount(parent, { source, parameters }) {
  const left = leftWith(location.pathname);
  // A lesson that is returned to stands as it was left; Back has an address of its own.
  if (arrived() && left && !location.search) {
    history.replaceState(history.state, "", `${location.pathname}?${left}${location.hash}`);
  }
  const anchor = `figure-${/([^/]+)\.json$/.exec(source)?.[1]}`;
  const page = source.replace(/json$/, "html");
  show(parent, { name: source, load: overHttp(source), send: sendOverHttp(source), parameters, page, anchor });
  if (location.hash === `#${anchor}` && !reached.has(parent)) bringIntoView(parent);
  reached.add(parent);
}

/**
 * Keeps a figure in view while what is above it is still growing, until the reader takes over.
 * @param {Element} parent
 */
function bringIntoView(parent) {
  const sizes = new ResizeObserver(() => parent.querySelector(".ln")?.scrollIntoView());
  const main = parent.closest(".stMainBlockContainer") ?? document.body;
  sizes.observe(main);
  for (const hand of ["wheel", "pointerdown", "keydown"]) {
    addEventListener(hand, () => sizes.disconnect(), { once: true, capture: true, passive: true });
  }
}
