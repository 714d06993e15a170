// Links between pages: remembers the link being followed, and handles clicks while the server is away.

import { lastQuery } from "../engine/address.js";
import { isCurrent, startTransition } from "./page_transition.js";
import { closeContents, labelControls } from "./contents.js";
import { APP_SELECTOR, isConnected, showPendingPage, whenConnected } from "./connection.js";
import { restoreScroll, trackScroll } from "./scroll_restoration.js";

/** Links to the pages before and after, which Streamlit follows without reloading the page. */
const NEIGHBORS = '[data-testid="stPageLink"] a';
const CONTENTS = ".contents a";
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
  if (link.matches(NEIGHBORS) && isConnected()) {
    targetPath = link.pathname;
    leavePage(link);
  } else if (link.matches(NEIGHBORS) || link.matches(CONTENTS) || (isPage(link) && link.pathname !== location.pathname)) {
    event.preventDefault();
    event.stopPropagation();
    openPage(link);
  }
}

/** Return whether a link leads to a page of the book. @param {HTMLAnchorElement} link */
function isPage(link) {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const contents = document.querySelectorAll(CONTENTS);
  return [...contents].some(({ pathname }) => pathname === link.pathname);
}

/** Open a page without reloading this one; a link to a state of a page reloads it. @param {HTMLAnchorElement} link */
function openPage(link) {
  if (!isConnected()) return openWhenConnected(link);
  if (link.search || link.hash) return location.assign(link.href);
  leavePage(link);
  if (link.matches(CONTENTS)) closeContents();
  if (link.pathname === location.pathname) return;
  // Streamlit follows the browser's history, but has no function that opens a page.
  history.pushState(null, "", link.href);
  dispatchEvent(new PopStateEvent("popstate"));
  targetPath = link.pathname;
}

/** Begin to leave the page by a link. @param {HTMLAnchorElement} link */
function leavePage({ pathname }) {
  // Streamlit keeps the scroll position for the next page.
  document.querySelector(MAIN)?.scrollTo(0, 0);
  startTransition(pathname);
}

/** Announce that the server is away, and follow a link when it is back. @param {HTMLAnchorElement} link */
function openWhenConnected({ pathname, search, hash, textContent }) {
  showPendingPage(textContent ?? "");
  cancelWait();
  cancelWait = whenConnected(() => {
    const savedQuery = lastQuery(pathname);
    location.assign(pathname + (search || (savedQuery && `?${savedQuery}`)) + hash);
  });
}

/** On paper, print the URLs of links in lists. */
function annotateForPrint() {
  for (const link of document.querySelectorAll(`${MAIN} li a[href*="#figure-"], ${MAIN} a[href*="present/"]`)) {
    if (link instanceof HTMLAnchorElement) link.dataset.address = link.href;
  }
}
