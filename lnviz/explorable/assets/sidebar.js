// Links of the sidebar: which one was followed last, and what happens to one while the server is away.

import { leftWith } from "./address.js";
import { element } from "./dom.js";

const LINKS = '[data-testid="stSidebar"] a';
const APP = '[data-testid="stApp"]';
const STATE = "data-test-connection-state";

/** The path of the link that was followed last, until it is reached. */
let followed = "";
/** Says that the server is away. @type {HTMLElement | null} */
let notice = null;
/** @type {MutationObserver | null} */
let waiting = null;

/** Listens to the sidebar; to be called once. */
export function watch() {
  // Before Streamlit, which would take the click and do nothing.
  addEventListener("click", follow, { capture: true });
  addEventListener("popstate", () => (followed = ""));
}

/** Whether this page was reached by a link of the sidebar; the first to ask is told. */
export function arrived() {
  const there = followed === location.pathname;
  if (there) followed = "";
  return there;
}

/** @param {MouseEvent} event */
function follow(event) {
  const link = event.target instanceof Element && event.target.closest(LINKS);
  const elsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey;
  if (!(link instanceof HTMLAnchorElement) || elsewhere) return;
  followed = link.pathname;
  if (isConnected()) return;
  event.preventDefault();
  event.stopPropagation();
  wait(link.pathname, link.textContent ?? "");
}

/**
 * Says that the server is away, and opens a page when it is back.
 * @param {string} path
 * @param {string} title
 */
function wait(path, title) {
  const app = document.querySelector(APP);
  if (!app) return;
  notice ??= document.body.appendChild(element("p", "ln-away"));
  notice.setAttribute("role", "alert");
  notice.textContent = `The server does not answer. “${title}” opens when it is back.`;
  waiting?.disconnect();
  waiting = new MutationObserver(() => {
    if (!isConnected()) return;
    const left = leftWith(path);
    location.assign(path + (left && `?${left}`));
  });
  waiting.observe(app, { attributeFilter: [STATE] });
}

function isConnected() {
  return document.querySelector(APP)?.getAttribute(STATE) === "CONNECTED";
}
