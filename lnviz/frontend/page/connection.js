// Whether Streamlit's page has its session with the server, and what the reader hears while it has not.

import { element } from "../engine/dom.js";

/** All of Streamlit's page. */
export const APP = '[data-testid="stApp"]';
const STATE = "data-test-connection-state";

/** Says across the page what is known. @type {HTMLElement | null} */
let notice = null;
let why = "";
let next = "";
/** Ends the watching for what `why` says. */
let forget = () => {};

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

/**
 * Says why there is no session, until there is one, or nothing more of it.
 * @param {string} sentence
 */
export function sayWhy(sentence) {
  why = sentence;
  show();
  // Watched no longer than that: every mark that a slider moves is a change of the page, too.
  forget();
  if (why) forget = whenConnected(() => sayWhy(""));
}

/**
 * Says which page opens when there is one.
 * @param {string} title
 */
export function sayNext(title) {
  next = title;
  show();
}

function show() {
  const opens = next && `“${next}” opens ${why ? "then" : "when it is back"}.`;
  const sentence = [why || (next && "The server does not answer."), opens].filter(Boolean).join(" ");
  if (!sentence && !notice) return;
  notice ??= document.body.appendChild(element("p", "ln-away"));
  notice.setAttribute("role", "alert");
  // It stands beside Streamlit's page, which alone is told whether it is dark.
  const app = document.querySelector(APP);
  if (app) notice.style.colorScheme = getComputedStyle(app).colorScheme;
  if (notice.textContent !== sentence) notice.textContent = sentence;
  notice.hidden = sentence === "";
}
