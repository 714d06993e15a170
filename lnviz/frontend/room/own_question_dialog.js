// Dialog of the remote for a question of the teacher's own: a choice or a number. The draft stays in this browser.

import { div, button, element, labeledField } from "../engine/dom.js";
import { limitLength } from "../engine/length_limit.js";
import { getLocal, setLocal } from "../engine/memory.js";
import { dialog } from "./dialog.js";
import { REMOTE } from "./remote_strings.js";

/** @typedef {{text: string, options?: string[], right?: number}} OwnQuestion */

const LETTERS = [..."ABCDEF"];
const MAX_TEXT = 200;
const MAX_OPTION = 80;
const DRAFT = "own-question";

export class OwnQuestionDialog {
  /** @param {(own: OwnQuestion) => Promise<boolean>} ask */
  constructor(ask) {
    this.ask = ask;
    this.element = dialog(REMOTE.own);
    this.text = element("textarea");
    this.text.rows = 2;
    this.options = LETTERS.map(() => element("input"));
    const limits = [limitLength(this.text, MAX_TEXT), ...this.options.map((input) => limitLength(input, MAX_OPTION))];
    /** Whether all texts are short enough. */
    this.isShort = () => limits.filter(({ check }) => !check()).length === 0;
    this.right = element("select");
    this.right.append(new Option(REMOTE.noRight, ""), ...LETTERS.map((letter, i) => new Option(letter, String(i))));
    /** A number has no right answer. */
    this.rightField = labeledField(REMOTE.ownRight, this.right);
    const fields = [
      labeledField(REMOTE.ownText, this.text),
      ...this.options.map((input, i) => labeledField(REMOTE.ownOption(LETTERS[i]), input)),
    ];
    fields.forEach((field, i) => field.append(limits[i].element));
    const form = (this.form = element("form", "own-question"));
    this.send = element("button", "main", REMOTE.ownAsk);
    form.append(element("p", "soft", REMOTE.ownHint), ...fields, this.rightField, div("choices", [this.send, button(REMOTE.ownCancel, () => this.element.close())]));
    form.addEventListener("input", () => {
      setLocal(DRAFT, JSON.stringify(this.draft()));
      this.showRight();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.element.append(form);
    this.restore();
    this.showRight();
  }

  showRight() {
    this.rightField.hidden = this.options.every(({ value }) => !value.trim());
  }

  /** @param {number} seconds time limit of the question; 0 for none */
  open(seconds) {
    this.send.textContent = REMOTE.withLimit(REMOTE.ownAsk, seconds);
    this.element.showModal();
  }

  draft() {
    return { text: this.text.value, options: this.options.map(({ value }) => value), right: this.right.value };
  }

  /** Fill in the draft that this browser keeps. */
  restore() {
    const kept = getLocal(DRAFT);
    if (!kept) return;
    const { text = "", options = [], right = "" } = JSON.parse(kept);
    this.text.value = text;
    this.options.forEach((input, i) => (input.value = options[i] ?? ""));
    this.right.value = right;
  }

  async submit() {
    if (!this.isShort()) return;
    const { text, options, right } = this.draft();
    const written = options.map((option, i) => ({ option: option.trim(), i })).filter(({ option }) => option);
    const place = written.findIndex(({ i }) => String(i) === right);
    const own = { text: text.trim().replace(/\s+/g, " "), ...(written.length && { options: written.map(({ option }) => option) }), ...(place >= 0 && { right: place }) };
    if (!(await this.ask(own))) return;
    this.element.close();
    this.form.reset();
    setLocal(DRAFT, "");
    this.isShort(); // says how long the texts are now
    this.showRight();
  }
}
