// Where one types the code that is on the wall.

import { div, element, labeledField } from "../engine/dom.js";
import { PHONE, spacedCode } from "./strings.js";

const DIGITS = 6;

/**
 * The code in what somebody has typed; "" where it is none.
 * @param {string} text
 */
export function parseCode(text) {
  const digits = text.replace(/\D/g, "");
  return digits.length === DIGITS && /^[\d\s.-]*$/.test(text) ? digits : "";
}

/**
 * A box for the code.
 * @param {(code: string) => void} enter
 * @param {string} code that was typed before, to be mended
 * @param {Element} line what says why it is asked for again
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
