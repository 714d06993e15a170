// Mounts a lesson's figures between its text, and restores their state when a reader returns.

import { lastQuery } from "../engine/address.js";
import { mount as show, unmount as remove } from "../engine/mount.js";
import { openFromQuery } from "./folds.js";
import { cameByLink } from "./links.js";
import { savedState } from "./scroll_restoration.js";
import { serverOptions } from "./server.js";
import { keepInView, onceVisible } from "./scroll_into_view.js";

/** Cancels mounts that wait until their element is visible. @type {WeakMap<Element, () => void>} */
const pendingMounts = new WeakMap();

/**
 * Mount a figure once its element is visible.
 * @param {HTMLElement} parent
 * @param {{source: string, parameters: string[]}} figure from the server
 */
export function mount(parent, { source, parameters }) {
  const savedQuery = lastQuery(location.pathname);
  // A lesson reached by a link is restored as it was left; Back has its own URL.
  if (cameByLink() && savedQuery && !location.search) {
    history.replaceState(history.state, "", `${location.pathname}?${savedQuery}${location.hash}`);
    openFromQuery();
  }
  if (pendingMounts.has(parent)) return;
  const name = /([^/]+)\.json$/.exec(source)?.[1];
  const anchor = `figure-${name}`;
  const page = source.replace(/json$/, "html");
  const server = serverOptions(source);
  parent.dataset.figure = name;
  const isTarget = location.hash === `#${anchor}` && !savedState();
  const open = () => {
    show(parent, { name: source, ...server, parameters, page, anchor });
    if (isTarget) keepInView(() => parent.firstElementChild ?? parent);
  };
  pendingMounts.set(parent, onceVisible(parent, open));
}

/** Unmount the figure of an element. @param {Element} parent */
export function unmount(parent) {
  pendingMounts.get(parent)?.();
  pendingMounts.delete(parent);
  remove(parent);
}
