// Form to enter a room's code.

import { div, element, labeledField } from "../engine/dom.js";
import { PHONE, spacedCode } from "./strings.js";

const DIGITS = 6;

/**
 * Return the code in a typed text; "" if there is none.
 * @param {string} text
 */
export function parseCode(text) {
  const digits = text.replace(/\D/g, "");
  return digits.length === DIGITS && /^[\d\s.-]*$/.test(text) ? digits : "";
}

/**
 * Return the form.
 * @param {(code: string) => void} enter
 * @param {string} code typed before, to be corrected
 * @param {Element} line element that says why it is asked again
 */
export function joinForm(enter, code, line) {
  const input = element("input", "code");
  Object.assign(input, { type: "text", inputMode: "numeric", autocomplete: "off", enterKeyHint: "go", value: code && spacedCode(code) });
  const form = element("form", "joining");
  form.noValidate = true;
  form.append(element("h2", "", PHONE.join), labeledField(PHONE.code, input), element("button", "main", PHONE.enter), line, element("p", "soft", PHONE.private));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const found = parseCode(input.value);
    input.ariaInvalid = String(!found);
    if (found) enter(found);
    else line.replaceChildren(PHONE.unfinished);
  });
  return div("asked", [form]);
}
