// What the presenter has to know of network and room: one message at a time, in the bar in place of title and count.

import { element } from "../engine/dom.js";

/** Sources of messages, the most important first. */
const SOURCES = /** @type {const} */ (["leave", "figure", "connection", "command"]);
export const MISSING_FIGURE = "The server can’t be reached. This figure appears when it is back.";

/** The message line. */
export class Trouble {
  /** @param {Element} bar */
  constructor(bar) {
    this.line = element("p", "trouble");
    this.line.setAttribute("role", "status");
    bar.prepend(this.line);
    /** Called after the message has changed. */
    this.onChange = () => {};
    /** @type {Partial<Record<typeof SOURCES[number], string>>} */
    this.messages = {};
    /** @type {Partial<Record<typeof SOURCES[number], ReturnType<typeof setTimeout>>>} */
    this.timers = {};
  }

  /**
   * Set the message of a source; "" for none.
   * @param {typeof SOURCES[number]} source
   * @param {string} text
   * @param {number} [milliseconds] after which it disappears; 0 for never
   */
  set(source, text, milliseconds = 0) {
    clearTimeout(this.timers[source]);
    if (milliseconds) this.timers[source] = setTimeout(() => this.set(source, ""), milliseconds);
    this.messages[source] = text;
    const shown = SOURCES.map((each) => this.messages[each]).find(Boolean) ?? "";
    if (this.line.textContent === shown) return;
    this.line.textContent = shown;
    this.onChange();
  }
}
