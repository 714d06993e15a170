// What a reader has answered: remembered in this browser alone, until the question is asked again.

import { setLocal, getLocal } from "../engine/memory.js";

/** The same lesson has other addresses: in the app, in a folder of files. */
function storageKey() {
  const page = location.pathname.split("/").pop() ?? "";
  return `answers ${page.replace(/\.html$/, "")}`;
}

/** All answers on this page. What is remembered may be anything. @returns {Record<string, unknown>} */
function allAnswers() {
  const text = getLocal(storageKey());
  try {
    const found = text ? JSON.parse(text) : {};
    return typeof found === "object" && found !== null ? found : {};
  } catch {
    return {}; // not ours
  }
}

/** What has been answered; "" for nothing. @param {string} id of the form */
export function loadAnswer(id) {
  const answers = allAnswers();
  const found = Object.hasOwn(answers, id) ? answers[id] : "";
  return typeof found === "string" ? found : "";
}

/**
 * @param {string} id
 * @param {string} answer
 */
export function saveAnswer(id, answer) {
  setLocal(storageKey(), JSON.stringify({ ...allAnswers(), [id]: answer }));
}

/** @param {string} id */
export function clearAnswer(id) {
  const { [id]: _, ...others } = allAnswers();
  setLocal(storageKey(), JSON.stringify(others));
}
