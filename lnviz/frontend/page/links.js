// Links between pages: remembers the link being followed, and handles clicks while the server is away.

import { lastQuery } from "../engine/address.js";
import { isCurrent, startTransition } from "./page_transition.js";
import { closeContents, labelControls } from "./contents.js";
import { APP_SELECTOR, isConnected, showPendingPage, whenConnected } from "./connection.js";
import { restoreScroll, trackScroll } from "./scroll_restoration.js";

/** Links that Streamlit handles without reloading the page. */
const PAGES = '[data-testid="stPageLink"] a';
const CONTENTS = `[data-testid="stSidebar"] ${PAGES}`;
const MAIN = '[data-testid="stMain"]';

/** Path of the link being followed, until its page is reached. */
let targetPath = "";
/** Stops waiting for the server. */
let cancelWait = () => {};

let isWatching = false;

/** Start listening to links, once. */
export function interceptLinks() {
  if (isWatching) return;
  isWatching = true;
  labelControls();
  trackScroll();
  // Before Streamlit, which would ignore the click or open another tab.
  addEventListener("click", onClick, { capture: true });
  addEventListener("beforeprint", annotateForPrint);
  addEventListener("popstate", () => {
    targetPath = "";
    if (isCurrent(location.pathname)) restoreScroll();
    else if (isConnected()) startTransition(location.pathname);
  });
}

/** Return whether this page was reached by a link to it; true only once. */
export function cameByLink() {
  const isReached = targetPath === location.pathname;
  if (isReached) targetPath = "";
  return isReached;
}

/** Handle a click on a link. @param {MouseEvent} event */
function onClick(event) {
  const link = event.target instanceof Element && event.target.closest(`${APP_SELECTOR} a`);
  const opensElsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey;
  if (!(link instanceof HTMLAnchorElement) || opensElsewhere || link.origin !== location.origin) return;
  if (!link.matches(PAGES)) {
    followProseLink(event, link);
    return;
  }
  targetPath = link.pathname;
  if (isConnected()) {
    // Streamlit keeps the scroll position for the next page.
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
 * Follow a link in the text like the one in the contents; links to a state of a page reload it.
 * @param {MouseEvent} event
 * @param {HTMLAnchorElement} link
 */
function followProseLink(event, link) {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const contents = document.querySelectorAll(CONTENTS);
  const contentsLink = [...contents].find(({ pathname }) => pathname === link.pathname);
  if (!contentsLink || link.pathname === location.pathname) return;
  event.preventDefault();
  event.stopPropagation();
  if (link.search || link.hash) location.assign(link.href);
  else contentsLink.click();
}

/**
 * Announce that the server is away, and open the page when it is back.
 * @param {string} path
 * @param {string} title
 */
function openWhenConnected(path, title) {
  showPendingPage(title);
  cancelWait();
  cancelWait = whenConnected(() => {
    const savedQuery = lastQuery(path);
    location.assign(path + (savedQuery && `?${savedQuery}`));
  });
}

/** On paper, print the URLs of links in lists. */
function annotateForPrint() {
  for (const link of document.querySelectorAll(`${MAIN} li a[href*="#figure-"], ${MAIN} a[href*="present/"]`)) {
    if (link instanceof HTMLAnchorElement) link.dataset.address = link.href;
  }
}
