// A screen of the lesson on a phone: the projector's, or another that a student looks at.

import { div, element } from "../engine/dom.js";
import { parseHtml } from "./deck.js";
import { PhoneFigure } from "./phone_figure.js";
import { PHONE } from "./strings.js";

/** @typedef {import("./deck.js").Screen} Screen */

export class BrowsePanel {
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
    for (const each of heading) each.append(...parseHtml(screen.heading));
    const told = div("told", [...(isTask ? [] : parseHtml(screen.html)), ...(task ? [element("p", "task", task)] : questionNodes(screen, isTeachers))].filter((node) => node instanceof Element));
    this.figure = screen.figure ? new PhoneFigure(screen.figure) : null;
    this.element = div("looked", [...heading, told, ...(this.figure ? [this.figure.element] : [])]);
    /** Below the screen, where it is seen however high the figure is. */
    this.bar = this.line;
  }

  /** @param {string} sentence */
  setStatus(sentence) {
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
function questionNodes({ asked: question, figure }, isTeachers) {
  if (!question) return figure?.goal ? parseHtml(figure.goal.text) : [];
  const list = element("ol", "options");
  for (const label of question.labels) {
    const item = list.appendChild(element("li"));
    item.append(...parseHtml(label));
  }
  const unasked = isTeachers ? [element("p", "soft", PHONE.unasked)] : [];
  return [...parseHtml(question.text), ...(question.labels.length ? [list] : []), ...unasked];
}
