// Whether Streamlit's page has its session with the server, and what the reader hears while it has not.

import { element } from "../engine/dom.js";

/** All of Streamlit's page. */
export const APP_SELECTOR = '[data-testid="stApp"]';
const STATE = "data-test-connection-state";

/** Says across the page what is known. @type {HTMLElement | null} */
let notice = null;
let reason = "";
let pendingTitle = "";
/** Ends the watching for what `why` says. */
let stopWatching = () => {};

export function isConnected() {
  return document.querySelector(APP_SELECTOR)?.getAttribute(STATE) === "CONNECTED";
}

/**
 * Calls back each time that the page has its session again.
 * @param {() => void} back
 * @returns {() => void} ends that
 */
export function whenConnected(back) {
  const watching = new MutationObserver(() => {
    if (isConnected()) back();
  });
  watching.observe(document.documentElement, { subtree: true, attributeFilter: [STATE] });
  return () => watching.disconnect();
}

/**
 * Says why there is no session, until there is one, or nothing more of it.
 * @param {string} sentence
 */
export function showReason(sentence) {
  reason = sentence;
  render();
  // Watched no longer than that: every mark that a slider moves is a change of the page, too.
  stopWatching();
  if (reason) stopWatching = whenConnected(() => showReason(""));
}

/**
 * Says which page opens when there is one.
 * @param {string} title
 */
export function showPendingPage(title) {
  pendingTitle = title;
  render();
}

function render() {
  const opens = pendingTitle && `“${pendingTitle}” opens ${reason ? "then" : "when it is back"}.`;
  const sentence = [reason || (pendingTitle && "The server does not answer."), opens].filter(Boolean).join(" ");
  if (!sentence && !notice) return;
  notice ??= document.body.appendChild(element("p", "ln-away"));
  notice.setAttribute("role", "alert");
  // It stands beside Streamlit's page, which alone is told whether it is dark.
  const app = document.querySelector(APP_SELECTOR);
  if (app) notice.style.colorScheme = getComputedStyle(app).colorScheme;
  if (notice.textContent !== sentence) notice.textContent = sentence;
  notice.hidden = sentence === "";
}
