// Links to pages of the book: which one was followed last, and what happens to one while the server is away.

import { lastQuery } from "../engine/address.js";
import { isHere, leave } from "./page_transition.js";
import { close, name } from "./contents.js";
import { APP, isConnected, sayNext, whenConnected } from "./connection.js";
import { comeBack, remember } from "./scroll_restoration.js";

/** Links that Streamlit follows itself, without loading the page anew. */
const PAGES = '[data-testid="stPageLink"] a';
const CONTENTS = `[data-testid="stSidebar"] ${PAGES}`;
const MAIN = '[data-testid="stMain"]';

/** The path of the link that was followed last, until it is reached. */
let followed = "";
/** Gives up waiting for the server. */
let forget = () => {};

let isWatching = false;

/** Listens to links, from the first call on. */
export function watch() {
  if (isWatching) return;
  isWatching = true;
  name();
  remember();
  // Before Streamlit, which would take the click and do nothing, or open another tab.
  addEventListener("click", follow, { capture: true });
  addEventListener("beforeprint", address);
  addEventListener("popstate", () => {
    followed = "";
    if (isHere(location.pathname)) comeBack();
    else if (isConnected()) leave(location.pathname);
  });
}

/** Whether this page was reached by a link to it; the first to ask is told. */
export function arrived() {
  const there = followed === location.pathname;
  if (there) followed = "";
  return there;
}

/** @param {MouseEvent} event */
function follow(event) {
  const link = event.target instanceof Element && event.target.closest(`${APP} a`);
  const elsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey;
  if (!(link instanceof HTMLAnchorElement) || elsewhere || link.origin !== location.origin) return;
  if (!link.matches(PAGES)) {
    inProse(event, link);
    return;
  }
  followed = link.pathname;
  if (isConnected()) {
    // Streamlit leaves the next page where this one was scrolled to.
    if (link.pathname !== location.pathname) document.querySelector(MAIN)?.scrollTo(0, 0);
    leave(link.pathname);
    if (link.matches(CONTENTS)) close();
    return;
  }
  event.preventDefault();
  event.stopPropagation();
  wait(link.pathname, link.textContent ?? "");
}

/**
 * A link in the text leads where the one in the contents does; to a state of a page, the page is loaded anew.
 * @param {MouseEvent} event
 * @param {HTMLAnchorElement} link
 */
function inProse(event, link) {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const contents = document.querySelectorAll(CONTENTS);
  const same = [...contents].find(({ pathname }) => pathname === link.pathname);
  if (!same || link.pathname === location.pathname) return;
  event.preventDefault();
  event.stopPropagation();
  if (link.search || link.hash) location.assign(link.href);
  else same.click();
}

/**
 * Says that the server is away, and opens a page when it is back.
 * @param {string} path
 * @param {string} title
 */
function wait(path, title) {
  sayNext(title);
  forget();
  forget = whenConnected(() => {
    const left = lastQuery(path);
    location.assign(path + (left && `?${left}`));
  });
}

/** On paper the links of a list of links say where they lead. */
function address() {
  for (const link of document.querySelectorAll(`${MAIN} li a[href*="#figure-"], ${MAIN} a[href*="present/"]`)) {
    if (link instanceof HTMLAnchorElement) link.dataset.address = link.href;
  }
}
