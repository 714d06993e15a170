// A screen of the lesson on a phone: the projector's, or another that a student looks at.

import { div, element } from "../engine/dom.js";
import { nodes } from "./deck.js";
import { Mounted } from "./figures.js";
import { PHONE } from "./words.js";

/** @typedef {import("./deck.js").Screen} Screen */

export class Look {
  /**
   * @param {Screen} screen
   * @param {boolean} isTeachers whether the teacher may still ask what it asks
   * @param {string} task what the teacher has the class do, in place of a screen without a figure; "" for nothing
   */
  constructor(screen, isTeachers, task) {
    this.line = element("div", "line");
    this.line.setAttribute("role", "status");
    this.line.hidden = true;
    const isTask = task !== "" && !screen.figure;
    const heading = screen.heading && !isTask ? [element("h2")] : [];
    for (const each of heading) each.append(...nodes(screen.heading));
    const told = div("told", [...(isTask ? [] : nodes(screen.html)), ...(task ? [element("p", "task", task)] : asked(screen, isTeachers))].filter((node) => node instanceof Element));
    this.figure = screen.figure ? new Mounted(screen.figure) : null;
    this.element = div("looked", [...heading, told, ...(this.figure ? [this.figure.element] : [])]);
    /** Below the screen, where it is seen however high the figure is. */
    this.bar = this.line;
  }

  /** @param {string} sentence */
  say(sentence) {
    this.line.hidden = !sentence;
    if (this.line.textContent !== sentence) this.line.textContent = sentence;
  }

  remove() {
    this.figure?.remove();
  }
}

/**
 * What a screen asks, where nobody answers it.
 * @param {Screen} screen
 * @param {boolean} isTeachers
 */
function asked({ asked: question, figure }, isTeachers) {
  if (!question) return figure?.goal ? nodes(figure.goal.text) : [];
  const list = element("ol", "options");
  for (const label of question.labels) {
    const item = list.appendChild(element("li"));
    item.append(...nodes(label));
  }
  const unasked = isTeachers ? [element("p", "soft", PHONE.unasked)] : [];
  return [...nodes(question.text), ...(question.labels.length ? [list] : []), ...unasked];
}
