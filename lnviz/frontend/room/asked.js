// What is asked, on a phone: options to choose from, a number to type, and the line below them that says what has become of it.

import { div, button, element, labeledField, uniqueId } from "../engine/dom.js";
import { formatNumber, parseNumber } from "../engine/numbers.js";
import { nodes } from "./deck.js";
import { isOpen, note, options } from "./question_view.js";
import { PHONE, write } from "./words.js";

/** @typedef {import("./question_view.js").Facts} Facts */
/** @typedef {import("./deck.js").Asked} Asked */
/** @typedef {import("./room_connection.js").Value} Value */
/** @typedef {import("./room_connection.js").Poll} Poll */
/** @typedef {(value: Value) => void} Give */

/** Letters that the words of an option may have in a sentence; a longer one is named by its letter alone. */
const NAMED = 32;

/** The line that says how things stand. */
export class Line {
  /** @param {(value: Value, short: boolean) => Node} name an answer in words */
  constructor(name) {
    this.name = name;
    this.element = element("div", "line");
    this.element.setAttribute("role", "status");
    this.said = "";
  }

  /**
   * Says it, unless it is what was said last. The seconds pass in silence: a screen reader would read each.
   * @param {import("./question_view.js").Note} note
   * @param {() => Node[]} [more] what stands behind it
   */
  say({ sentences, tone }, more) {
    const said = JSON.stringify([sentences, tone], (name, value) => (name === "seconds" ? 0 : value));
    const seconds = sentences.flatMap(({ named }) => named).find((each) => "seconds" in each)?.seconds;
    if (said !== this.said) {
      this.said = said;
      this.element.className = `line ${tone}`;
      const written = sentences.flatMap(({ words, named }) => {
        const span = element("span");
        write(span, words, ...named.map((each) => this.named(each)));
        return [span, " "];
      });
      this.element.replaceChildren(...written, ...(more?.() ?? []));
    }
    const clock = this.element.querySelector("[data-seconds]");
    if (clock && seconds !== undefined) clock.textContent = `${seconds} s`;
  }

  /** @param {import("./question_view.js").Named} named */
  named(named) {
    if ("answer" in named) return this.name(named.answer, named.short ?? false);
    if ("text" in named) return document.createTextNode(named.text);
    const clock = element("span");
    clock.dataset.seconds = "";
    clock.ariaHidden = "true";
    return clock;
  }
}

/** Options, each as large as a thumb. */
export class Choice {
  /**
   * @param {Poll} poll
   * @param {Asked | null} asked its words; null where they have not come
   * @param {Give} give
   */
  constructor(poll, asked, give) {
    this.asked = asked;
    this.letters = poll.labels;
    this.isOpen = false;
    const text = div("ask", asked ? nodes(asked.text).filter((node) => node instanceof Element) : []);
    text.id = uniqueId();
    this.buttons = poll.labels.map((letter, place) => this.option(letter, place, give));
    const group = div("answers", this.buttons);
    group.setAttribute("role", "group");
    group.setAttribute("aria-labelledby", text.id);
    this.line = new Line((value, short) => this.name(Number(value), short));
    this.element = div("asked", [text, group, this.line.element]);
  }

  /** @param {string} letter @param {number} place @param {Give} give */
  option(letter, place, give) {
    const option = button("", () => this.isOpen && give(place));
    const words = element("span", "words");
    words.append(...(this.asked ? nodes(this.asked.labels[place] ?? "") : []));
    option.append(element("span", "letter", letter), " ", words, " ", element("span", "mark"));
    return option;
  }

  /** @param {number} place @param {boolean} short */
  name(place, short) {
    const named = document.createDocumentFragment();
    named.append(this.letters[place] ?? "");
    const words = this.asked ? nodes(this.asked.labels[place] ?? "") : [];
    const length = words.reduce((sum, { textContent }) => sum + (textContent ?? "").length, 0);
    if (!short && length && length <= NAMED) named.append(", ", ...words);
    return named;
  }

  /** @param {Facts} facts */
  show(facts) {
    this.isOpen = isOpen(facts.room);
    const shown = options(facts, this.buttons.length);
    this.buttons.forEach((option, place) => {
      const { mark, isMine, isRight } = shown[place];
      option.setAttribute("aria-pressed", String(isMine));
      // A button that is disabled loses the focus.
      option.setAttribute("aria-disabled", String(!this.isOpen));
      option.classList.toggle("right", isRight);
      const text = option.querySelector(".mark");
      if (text && text.textContent !== mark) text.textContent = mark;
    });
    const isShown = facts.room.poll?.phase === "shown" && facts.room.mode !== "paused";
    this.element.classList.toggle("over", isShown);
    this.line.say(note(facts), isShown && this.asked ? () => nodes(this.asked?.why ?? "") : undefined);
  }
}

/** A number to type. */
export class NumberField {
  /**
   * @param {Poll} poll
   * @param {Asked | null} asked its words; null where they have not come
   * @param {Give} give
   */
  constructor(poll, asked, give) {
    this.poll = poll.id;
    this.asked = asked;
    this.give = give;
    this.isOpen = false;
    const text = div("ask", asked ? nodes(asked.text).filter((node) => node instanceof Element) : []);
    this.input = element("input");
    Object.assign(this.input, { type: "text", inputMode: "decimal", autocomplete: "off", enterKeyHint: "send" });
    const field = labeledField(PHONE.number, this.input);
    if (asked?.unit) field.append(...nodes(asked.unit));
    this.send = element("button", "main", PHONE.send);
    const form = element("form", "number");
    form.noValidate = true;
    form.append(field, this.send);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.hand();
    });
    this.line = new Line((value) => document.createTextNode(formatNumber(Number(value), "g")));
    this.element = div("asked", [text, form, this.line.element]);
  }

  hand() {
    const text = this.input.value.trim();
    if (!this.isOpen || !text) return;
    const value = parseNumber(text);
    const unread = { words: PHONE.unread, named: [{ text }] };
    this.input.ariaInvalid = String(Number.isNaN(value));
    if (Number.isNaN(value)) this.line.say({ sentences: [unread], tone: "warn" });
    else this.give(value);
  }

  /** @param {Facts} facts */
  show(facts) {
    this.isOpen = isOpen(facts.room);
    this.input.readOnly = !this.isOpen;
    this.send.setAttribute("aria-disabled", String(!this.isOpen));
    // What stands in a box that is in use is the student's; a page that was loaded anew has what was sent.
    if (facts.given && this.input.value === "") this.input.value = String(facts.given.value);
    const isShown = facts.room.poll?.phase === "shown" && facts.room.mode !== "paused";
    const said = note(facts);
    if (isShown && this.asked?.value !== undefined) said.sentences.unshift({ words: PHONE.right, named: [{ answer: this.asked.value }] });
    this.line.say(said, isShown && this.asked ? () => nodes(this.asked?.why ?? "") : undefined);
  }
}
