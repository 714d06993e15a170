// A figure of a lesson, between its text, and the way from lesson to lesson.

import { lastQuery } from "../engine/address.js";
import { mount as show, unmount as remove } from "../engine/mount.js";
import { openAllNamed } from "./folds.js";
import { arrived } from "./links.js";
import { placeLeft } from "./scroll_restoration.js";
import { fromServer } from "./server.js";
import { bringIntoView, whenShown } from "./scroll_into_view.js";

/** What gives up waiting for a place to be shown, by the place. @type {WeakMap<Element, () => void>} */
const waiting = new WeakMap();

/**
 * @param {HTMLElement} parent
 * @param {{source: string, parameters: string[]}} figure as the server's side of the page gives it
 */
export function mount(parent, { source, parameters }) {
  const left = lastQuery(location.pathname);
  // A lesson that is returned to stands as it was left; Back has an address of its own.
  if (arrived() && left && !location.search) {
    history.replaceState(history.state, "", `${location.pathname}?${left}${location.hash}`);
    openAllNamed();
  }
  if (waiting.has(parent)) return;
  const name = /([^/]+)\.json$/.exec(source)?.[1];
  const anchor = `figure-${name}`;
  const page = source.replace(/json$/, "html");
  const server = fromServer(source);
  parent.dataset.figure = name;
  const isSought = location.hash === `#${anchor}` && !placeLeft();
  const open = () => {
    show(parent, { name: source, ...server, parameters, page, anchor });
    if (isSought) bringIntoView(() => parent.firstElementChild ?? parent);
  };
  waiting.set(parent, whenShown(parent, open));
}

/** Removes the figure of an element. @param {Element} parent */
export function unmount(parent) {
  waiting.get(parent)?.();
  waiting.delete(parent);
  remove(parent);
}
