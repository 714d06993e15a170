// Whether Streamlit's page has its session with the server, and what the reader hears while it has not.

import { element } from "./dom.js";

/** All of Streamlit's page. */
export const APP = '[data-testid="stApp"]';
const STATE = "data-test-connection-state";

/** @type {HTMLElement | null} */
let notice = null;

export function isConnected() {
  return document.querySelector(APP)?.getAttribute(STATE) === "CONNECTED";
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

/** Shows a sentence across the page, or none. @param {string} sentence */
export function say(sentence) {
  notice ??= document.body.appendChild(element("p", "ln-away"));
  notice.setAttribute("role", "alert");
  // It stands beside Streamlit's page, which alone is told whether it is dark.
  const app = document.querySelector(APP);
  if (app) notice.style.colorScheme = getComputedStyle(app).colorScheme;
  if (notice.textContent !== sentence) notice.textContent = sentence;
  notice.hidden = sentence === "";
}
