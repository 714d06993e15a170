// Panel of a phone that shows a slide: the projector's, or another one that the participant browses.

import { div, element } from "../engine/dom.js";
import { parseHtml } from "./deck.js";
import { PhoneFigure } from "./phone_figure.js";
import { PHONE } from "./strings.js";

/** Panel with a slide. @typedef {import("./deck.js").Screen} Screen */

export class BrowsePanel {
  /**
   * @param {Screen} screen
   * @param {boolean} isTeachers whether it is the slide on the projector, whose question may still be asked
   * @param {string} task the slide's task, shown instead of a slide without a figure; "" for none
   * @param {Partial<import("./slide_position.js").Stop>} stop the slide in the projector's plan
   */
  constructor(screen, isTeachers, task, { pose = {}, control = "" }) {
    this.line = element("div", "line");
    this.line.setAttribute("role", "status");
    this.line.hidden = true;
    const isTask = task !== "" && !screen.figure;
    // A question's heading is its number in the lesson, which says nothing here; a figure says itself what it shows.
    const heading = screen.heading && !isTask && !screen.asked && !screen.figure ? [element("h2")] : [];
    for (const each of heading) each.append(...parseHtml(screen.heading));
    const content = div("told", [...(isTask ? [] : parseHtml(screen.html)), ...(task ? [element("p", "task", task)] : questionNodes(screen, isTeachers))].filter((node) => node instanceof Element));
    /** What the room says. */
    this.status = "";
    this.figure = screen.figure ? new PhoneFigure(screen.figure, () => this.showStatus(), { leading: [control].filter(Boolean) }) : null;
    if (Object.keys(pose).length) this.figure?.apply(pose);
    const isGoal = screen.figure !== null && (task !== "" || screen.figure.goal !== null);
    const isFollowing = isTeachers && screen.figure !== null;
    this.element = div(["looked", ...(isGoal ? ["goal"] : []), ...(isFollowing ? ["following"] : [])].join(" "), [...heading, content, ...(this.figure ? [this.figure.element] : [])]);
    /** Whether the figure follows the projector's; null before a state of the room has come. @type {boolean | null} */
    this.follows = null;
    /** In the sticky bar: visible however high the figure is. */
    this.bar = this.line;
  }

  /** @param {string} sentence */
  setStatus(sentence) {
    this.status = sentence;
    this.showStatus();
  }

  /** Show what the room says, or that the figure is not the projector's any more. */
  showStatus() {
    const sentence = this.status || (this.figure?.isAway ? PHONE.own : "");
    this.line.hidden = !sentence;
    if (this.line.textContent !== sentence) this.line.textContent = sentence;
  }

  remove() {
    this.figure?.remove();
  }
}

/**
 * Return the question of a slide, as plain text.
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
