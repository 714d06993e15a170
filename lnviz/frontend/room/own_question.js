// A question of the teacher's own, in the forms that phones, remote and projector use for a lesson's questions.

import { div, element } from "../engine/dom.js";

/** @typedef {import("./room_connection.js").Poll} Poll */
/** @typedef {import("./deck.js").Screen} Screen */

/** Return a text as HTML. @param {string} text */
function escapeText(text) {
  const node = element("span", "", text);
  return node.innerHTML;
}

/**
 * Return the slide with the question that is asked: the teacher's own, or the slide's.
 * @param {Poll | null} poll
 * @param {Screen | null} screen
 * @param {number | null} [right] index of the right option of the teacher's own question, as far as known
 * @returns {Screen | null}
 */
export function askedScreen(poll, screen, right = null) {
  if (!poll?.text) return screen;
  const { kind, text, options } = poll;
  const asked = { kind, text: `<p>${escapeText(text)}</p>`, labels: options.map(escapeText), right, why: "" };
  const around = screen ?? { lesson: "", title: "", place: 1, count: 1, name: "", called: text, heading: "", html: "" };
  return { ...around, asked, figure: null };
}

/**
 * Return the teacher's own question as an exercise's form, from which the projector takes its parts.
 * @param {Poll} poll
 */
export function questionForm({ id, text, options }) {
  const form = element("form", "ln-ask");
  form.id = `own-${id}`;
  const list = div("options", options.map((option) => element("button", "", option)));
  form.append(div("text", [element("p", "", text)]), list);
  return form;
}
