// Stored answers to exercises, kept only in this browser.

import { setLocal, getLocal } from "../engine/memory.js";

/** Storage key: the app and the exported book have different URLs for the same lesson. */
function storageKey() {
  const page = location.pathname.split("/").pop() ?? "";
  return `answers ${page.replace(/\.html$/, "")}`;
}

/** Return all stored answers of this page; invalid data is ignored. @returns {Record<string, unknown>} */
function allAnswers() {
  const text = getLocal(storageKey());
  try {
    const found = text ? JSON.parse(text) : {};
    return typeof found === "object" && found !== null ? found : {};
  } catch {
    return {}; // not valid JSON
  }
}

/** Return the stored answer of a form; "" for none. @param {string} id of the form */
export function loadAnswer(id) {
  const answers = allAnswers();
  const found = Object.hasOwn(answers, id) ? answers[id] : "";
  return typeof found === "string" ? found : "";
}

/**
 * Store an answer.
 * @param {string} id
 * @param {string} answer
 */
export function saveAnswer(id, answer) {
  setLocal(storageKey(), JSON.stringify({ ...allAnswers(), [id]: answer }));
}

/** Delete a stored answer. @param {string} id */
export function clearAnswer(id) {
  const { [id]: _, ...others } = allAnswers();
  setLocal(storageKey(), JSON.stringify(others));
}
