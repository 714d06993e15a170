// Question panels of a phone: options or a number field, with a status line below.

import { div, button, element, labeledField, uniqueId } from "../engine/dom.js";
import { formatNumber, parseNumber } from "../engine/numbers.js";
import { parseHtml } from "./deck.js";
import { isOpen, numberProblem, statusNote, optionMarks } from "./question_view.js";
import { PHONE, withoutPeriod, writeSentence } from "./strings.js";

/** @typedef {import("./question_view.js").Facts} Facts */
/** @typedef {import("./deck.js").Question} Question */
/** @typedef {import("./room_connection.js").Value} Value */
/** @typedef {import("./room_connection.js").Poll} Poll */
/** @typedef {(value: Value) => void} SubmitAnswer */

/** Maximum length of an option's text in a sentence; longer ones are named by their letter. */
const MAX_OPTION_TEXT = 32;

/** Status line below a question. */
export class StatusLine {
  /** @param {(value: Value, short: boolean) => Node} name returns an answer in words */
  constructor(name) {
    this.describe = name;
    this.element = element("div", "line");
    this.element.setAttribute("role", "status");
    this.current = "";
    /** Writes the current note. */
    this.write = () => {};
  }

  /**
   * Show a note, unless it is unchanged. The countdown changes silently: a screen reader would read each second.
   * @param {import("./question_view.js").Note} note
   * @param {() => Node[]} [more] returns nodes to append
   */
  show({ sentences, tone }, more) {
    const key = JSON.stringify([sentences, tone], (name, value) => (name === "seconds" ? 0 : value));
    const seconds = sentences.flatMap(({ named }) => named).find((each) => "seconds" in each)?.seconds;
    if (key !== this.current) {
      this.current = key;
      this.element.className = `line ${tone}`;
      this.write = () => {
        const written = sentences.flatMap(({ words, named }) => {
          const span = element("span");
          writeSentence(span, words, ...named.map((each) => this.nodeFor(each)));
          return [span, " "];
        });
        this.element.replaceChildren(...written, ...(more?.() ?? []));
      };
      this.write();
    }
    const clock = this.element.querySelector("[data-seconds]");
    if (clock && seconds !== undefined) clock.textContent = `${seconds} s`;
  }

  /** @param {import("./question_view.js").Placeholder} named */
  nodeFor(named) {
    if ("answer" in named) return this.describe(named.answer, named.short ?? false);
    if ("text" in named) return document.createTextNode(named.text);
    const clock = element("span");
    clock.dataset.seconds = "";
    clock.ariaHidden = "true";
    return clock;
  }
}

/** Panel of a choice: one large button per option. */
export class ChoicePanel {
  /**
   * @param {Poll} poll
   * @param {Question | null} question the question's text; null if not loaded
   * @param {SubmitAnswer} onSubmit
   */
  constructor(poll, question, onSubmit) {
    this.question = question;
    this.letters = poll.labels;
    this.isOpen = false;
    const text = div("ask", question ? parseHtml(question.text).filter((node) => node instanceof Element) : []);
    text.id = uniqueId();
    this.buttons = poll.labels.map((letter, index) => this.buildOption(letter, index, onSubmit));
    const group = div("answers", this.buttons);
    group.setAttribute("role", "group");
    group.setAttribute("aria-labelledby", text.id);
    this.line = new StatusLine((value, short) => this.describe(Number(value), short));
    this.element = div(poll.text ? "asked by-teacher" : "asked", [text, group, this.line.element]);
  }

  /** @param {string} letter @param {number} index @param {SubmitAnswer} onSubmit */
  buildOption(letter, index, onSubmit) {
    const option = button("", () => this.isOpen && onSubmit(index));
    const words = element("span", "words");
    words.append(...(this.question ? parseHtml(this.question.labels[index] ?? "") : []));
    option.append(element("span", "letter", letter), " ", words, " ", element("span", "mark"));
    return option;
  }

  /** @param {number} index @param {boolean} short */
  describe(index, short) {
    const named = document.createDocumentFragment();
    named.append(this.letters[index] ?? "");
    const words = this.question ? parseHtml(withoutPeriod(this.question.labels[index] ?? "")) : [];
    const length = words.reduce((sum, { textContent }) => sum + (textContent ?? "").length, 0);
    if (!short && length && length <= MAX_OPTION_TEXT) named.append(", ", ...words);
    return named;
  }

  /** @param {Facts} facts */
  show(facts) {
    this.isOpen = isOpen(facts.room);
    const shown = optionMarks(facts, this.buttons.length);
    this.buttons.forEach((option, index) => {
      const { mark, isMine, isRight } = shown[index];
      option.setAttribute("aria-pressed", String(isMine));
      // `aria-disabled`: a disabled button would lose the focus.
      option.setAttribute("aria-disabled", String(!this.isOpen));
      option.classList.toggle("right", isRight);
      const text = option.querySelector(".mark");
      if (text && text.textContent !== mark) text.textContent = mark;
    });
    const isShown = facts.room.poll?.phase === "shown" && facts.room.mode !== "paused";
    this.element.classList.toggle("over", isShown);
    this.line.show(statusNote(facts), isShown && this.question ? () => parseHtml(this.question?.why ?? "") : undefined);
  }
}

/** Panel of a number. */
export class NumberPanel {
  /**
   * @param {Poll} poll
   * @param {Question | null} question the question's text; null if not loaded
   * @param {SubmitAnswer} onSubmit
   */
  constructor(poll, question, onSubmit) {
    this.poll = poll.id;
    this.question = question;
    this.onSubmit = onSubmit;
    this.isOpen = false;
    const text = div("ask", question ? parseHtml(question.text).filter((node) => node instanceof Element) : []);
    this.input = element("input");
    Object.assign(this.input, { type: "text", inputMode: "decimal", autocomplete: "off", enterKeyHint: "send" });
    const field = labeledField(PHONE.number, this.input);
    const unit = parseHtml(question?.unit ?? "");
    field.append(...unit);
    this.unit = unit.map(({ textContent }) => textContent).join("").trim();
    this.send = element("button", "main", PHONE.send);
    const form = element("form", "number");
    form.noValidate = true;
    form.append(field, this.send);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.line = new StatusLine((value) => document.createTextNode(formatNumber(Number(value), "g")));
    this.element = div(poll.text ? "asked by-teacher" : "asked", [text, form, this.line.element]);
  }

  submit() {
    const text = this.input.value.trim();
    if (!this.isOpen || !text) return;
    const value = parseNumber(text, this.unit);
    const problem = numberProblem(value);
    this.input.ariaInvalid = String(problem !== "");
    if (problem) this.line.show({ sentences: [{ words: problem, named: [{ text }] }], tone: "warn" });
    else this.onSubmit(value);
  }

  /** @param {Facts} facts */
  show(facts) {
    this.isOpen = isOpen(facts.room);
    this.input.readOnly = !this.isOpen;
    this.send.setAttribute("aria-disabled", String(!this.isOpen));
    // Keep what is being typed; after a reload, fill in what was sent.
    if (facts.answer && this.input.value === "") this.input.value = String(facts.answer.value);
    const isShown = facts.room.poll?.phase === "shown" && facts.room.mode !== "paused";
    const state = statusNote(facts);
    if (isShown && this.question?.value !== undefined) state.sentences.unshift({ words: PHONE.right, named: [{ answer: this.question.value }] });
    this.line.show(state, isShown && this.question ? () => parseHtml(this.question?.why ?? "") : undefined);
  }
}
