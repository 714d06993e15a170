// Questions to the teacher on a phone: ask one without a name, and second those of others.

import { div, button, element, labeledField, setChildren } from "../engine/dom.js";
import { limitLength } from "../engine/length_limit.js";
import { dialog } from "./dialog.js";
import { request } from "./requests.js";
import { PHONE } from "./strings.js";

/** @typedef {import("./question_list.js").StudentQuestion} StudentQuestion */

const MAX_LENGTH = 140;
/** Milliseconds between two requests while the dialog is open. */
const REFRESH_MS = 4_000;

export class PhoneQuestions {
  /** @param {string} address URL of the room */
  constructor(address) {
    this.address = address;
    this.button = button(PHONE.questions, () => this.open());
    this.button.hidden = true;
    this.list = element("ul", "asked-questions");
    this.input = element("textarea");
    this.input.rows = 2;
    this.limit = limitLength(this.input, MAX_LENGTH);
    this.status = element("p", "unsent");
    this.status.setAttribute("role", "status");
    const form = element("form", "ask-teacher");
    const field = labeledField(PHONE.question, this.input);
    field.append(this.limit.element);
    form.append(field, element("p", "soft", PHONE.questionHint), element("button", "main", PHONE.sendQuestion));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    this.element = dialog(PHONE.questions);
    this.element.append(form, this.status, this.list, button(PHONE.questionsClose, () => this.element.close()));
    this.timer = 0;
  }

  /** @param {boolean} isOpen whether the room takes questions */
  show(isOpen) {
    this.button.hidden = !isOpen;
    if (!isOpen && this.element.open) this.element.close();
  }

  open() {
    this.status.textContent = "";
    this.element.showModal();
    this.load();
  }

  async load() {
    clearTimeout(this.timer);
    if (!this.element.open) return;
    const { status, body } = await request(`${this.address}/questions`);
    if (status === 200) this.draw(body.questions);
    this.timer = setTimeout(() => this.load(), REFRESH_MS * (0.75 + Math.random() / 2));
  }

  /** @param {StudentQuestion[]} questions */
  draw(questions) {
    const lines = questions.map((question) => this.line(question));
    setChildren(this.list, lines.length ? lines : [element("li", "soft", PHONE.noQuestions)]);
  }

  /** @param {StudentQuestion} question */
  line({ id, text, seconds, own, seconded }) {
    const item = element("li");
    item.append(div("asked-question", [element("p", "", text), own ? element("p", "soft", PHONE.ownQuestion(seconds)) : this.secondButton(id, seconds, seconded)]));
    return item;
  }

  /** @param {number} id @param {number} seconds @param {boolean} seconded */
  secondButton(id, seconds, seconded) {
    const second = button((seconded ? PHONE.seconded : PHONE.second)(seconds), () => this.change(`/questions/${id}/second`, "PUT", { second: !seconded }));
    second.setAttribute("aria-pressed", String(seconded));
    return second;
  }

  async send() {
    const text = this.input.value.trim().replace(/\s+/g, " ");
    if (!text || !this.limit.check() || !(await this.change("/questions", "POST", { text }))) return;
    this.input.value = "";
    this.limit.check();
  }

  /** @param {string} path @param {string} method @param {Record<string, unknown>} more */
  async change(path, method, more) {
    const { status, body } = await request(`${this.address}${path}`, method, more);
    const isDone = status >= 200 && status < 300;
    this.status.textContent = isDone ? "" : (body?.detail ?? PHONE.notSent);
    await this.load();
    return isDone;
  }
}
