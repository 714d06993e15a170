// What a reader has answered: remembered in this browser alone, until the question is asked again.

import { setLocal, getLocal } from "../engine/memory.js";

/** The same lesson has other addresses: in the app, in a folder of files. */
function name() {
  const page = location.pathname.split("/").pop() ?? "";
  return `answers ${page.replace(/\.html$/, "")}`;
}

/** All answers on this page. What is remembered may be anything. @returns {Record<string, unknown>} */
function all() {
  const text = getLocal(name());
  try {
    const found = text ? JSON.parse(text) : {};
    return typeof found === "object" && found !== null ? found : {};
  } catch {
    return {}; // not ours
  }
}

/** What has been answered; "" for nothing. @param {string} id of the form */
export function kept(id) {
  const answers = all();
  const found = Object.hasOwn(answers, id) ? answers[id] : "";
  return typeof found === "string" ? found : "";
}

/**
 * @param {string} id
 * @param {string} answer
 */
export function remember(id, answer) {
  setLocal(name(), JSON.stringify({ ...all(), [id]: answer }));
}

/** @param {string} id */
export function forget(id) {
  const { [id]: _, ...others } = all();
  setLocal(name(), JSON.stringify(others));
}
