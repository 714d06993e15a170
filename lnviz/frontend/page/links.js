// Links to pages of the book: which one was followed last, and what happens to one while the server is away.

import { lastQuery } from "../engine/address.js";
import { isCurrent, startTransition } from "./page_transition.js";
import { closeContents, labelControls } from "./contents.js";
import { APP_SELECTOR, isConnected, showPendingPage, whenConnected } from "./connection.js";
import { restoreScroll, trackScroll } from "./scroll_restoration.js";

/** Links that Streamlit follows itself, without loading the page anew. */
const PAGES = '[data-testid="stPageLink"] a';
const CONTENTS = `[data-testid="stSidebar"] ${PAGES}`;
const MAIN = '[data-testid="stMain"]';

/** The path of the link that was followed last, until it is reached. */
let targetPath = "";
/** Gives up waiting for the server. */
let cancelWait = () => {};

let isWatching = false;

/** Listens to links, from the first call on. */
export function interceptLinks() {
  if (isWatching) return;
  isWatching = true;
  labelControls();
  trackScroll();
  // Before Streamlit, which would take the click and do nothing, or open another tab.
  addEventListener("click", onClick, { capture: true });
  addEventListener("beforeprint", annotateForPrint);
  addEventListener("popstate", () => {
    targetPath = "";
    if (isCurrent(location.pathname)) restoreScroll();
    else if (isConnected()) startTransition(location.pathname);
  });
}

/** Whether this page was reached by a link to it; the first to ask is told. */
export function cameByLink() {
  const there = targetPath === location.pathname;
  if (there) targetPath = "";
  return there;
}

/** @param {MouseEvent} event */
function onClick(event) {
  const link = event.target instanceof Element && event.target.closest(`${APP_SELECTOR} a`);
  const elsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey;
  if (!(link instanceof HTMLAnchorElement) || elsewhere || link.origin !== location.origin) return;
  if (!link.matches(PAGES)) {
    followProseLink(event, link);
    return;
  }
  targetPath = link.pathname;
  if (isConnected()) {
    // Streamlit leaves the next page where this one was scrolled to.
    if (link.pathname !== location.pathname) document.querySelector(MAIN)?.scrollTo(0, 0);
    startTransition(link.pathname);
    if (link.matches(CONTENTS)) closeContents();
    return;
  }
  event.preventDefault();
  event.stopPropagation();
  openWhenConnected(link.pathname, link.textContent ?? "");
}

/**
 * A link in the text leads where the one in the contents does; to a state of a page, the page is loaded anew.
 * @param {MouseEvent} event
 * @param {HTMLAnchorElement} link
 */
function followProseLink(event, link) {
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
function openWhenConnected(path, title) {
  showPendingPage(title);
  cancelWait();
  cancelWait = whenConnected(() => {
    const left = lastQuery(path);
    location.assign(path + (left && `?${left}`));
  });
}

/** On paper the links of a list of links say where they lead. */
function annotateForPrint() {
  for (const link of document.querySelectorAll(`${MAIN} li a[href*="#figure-"], ${MAIN} a[href*="present/"]`)) {
    if (link instanceof HTMLAnchorElement) link.dataset.address = link.href;
  }
}
