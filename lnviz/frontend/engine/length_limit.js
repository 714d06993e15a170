// Maximum length of a text field: a longer text stays, to be shortened, and cannot be sent.

import { element, setText } from "./dom.js";

/** Fraction of the length from which on it is shown. */
const SHOWN_FROM = 0.75;

/** Return the length of a text as a reader is told it; "" while it is short. @param {number} length @param {number} most */
export function lengthNote(length, most) {
  if (length < SHOWN_FROM * most) return "";
  return length > most ? `${length} of ${most} characters: ${length - most} too many` : `${length} of ${most} characters`;
}

/**
 * Limit the length of a field.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @param {number} most
 * @returns {{element: Element, check: () => boolean}} shows the length; `check` returns whether the text is short enough
 */
export function limitLength(field, most) {
  const note = element("small", "length");
  note.setAttribute("role", "status");
  const check = () => {
    const { length } = field.value.trim();
    setText(note, lengthNote(length, most));
    field.ariaInvalid = String(length > most);
    return length <= most;
  };
  field.addEventListener("input", check);
  return { element: note, check };
}
