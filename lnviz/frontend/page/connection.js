// State of Streamlit's session connection, and the notice shown while it is lost.

import { element } from "../engine/dom.js";

/** Root element of Streamlit's page. */
export const APP_SELECTOR = '[data-testid="stApp"]';
const STATE = "data-test-connection-state";

/** The notice across the page. @type {HTMLElement | null} */
let notice = null;
let reason = "";
let pendingTitle = "";
/** Stops waiting for the connection. */
let stopWatching = () => {};

/** Return whether Streamlit's session is connected. */
export function isConnected() {
  return document.querySelector(APP_SELECTOR)?.getAttribute(STATE) === "CONNECTED";
}

/**
 * Call back each time the session is connected again.
 * @param {() => void} back
 * @returns {() => void} stops that
 */
export function whenConnected(back) {
  const watching = new MutationObserver(() => {
    if (isConnected()) back();
  });
  watching.observe(document.documentElement, { subtree: true, attributeFilter: [STATE] });
  return () => watching.disconnect();
}

/**
 * Show why there is no session until it is connected; "" hides the reason.
 * @param {string} sentence
 */
export function showReason(sentence) {
  reason = sentence;
  render();
  // Observe only while needed: each mark that a slider moves is a mutation, too.
  stopWatching();
  if (reason) stopWatching = whenConnected(() => showReason(""));
}

/**
 * Show which page opens after reconnecting.
 * @param {string} title
 */
export function showPendingPage(title) {
  pendingTitle = title;
  render();
}

/** Show or hide the notice. */
function render() {
  const opens = pendingTitle && `“${pendingTitle}” opens ${reason ? "then" : "when it is back"}.`;
  const sentence = [reason || (pendingTitle && "The server is not responding."), opens].filter(Boolean).join(" ");
  if (!sentence && !notice) return;
  notice ??= document.body.appendChild(element("p", "ln-away"));
  notice.setAttribute("role", "alert");
  // The notice is outside Streamlit's root, which alone knows whether the page is dark.
  const app = document.querySelector(APP_SELECTOR);
  if (app) notice.style.colorScheme = getComputedStyle(app).colorScheme;
  if (notice.textContent !== sentence) notice.textContent = sentence;
  notice.hidden = sentence === "";
}
