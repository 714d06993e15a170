// What can be done with a figure as a whole, below its views.

import { query } from "./address.js";
import { block, button, element } from "./dom.js";
import { Switch } from "./choices.js";

/** @typedef {import("./figure.js").Figure} Figure */

export class Actions {
  /**
   * @param {Figure} figure
   * @param {import("./controls.js").Widget[]} widgets
   * @param {import("./code.js").Code} code
   */
  constructor(figure, widgets, code) {
    this.figure = figure;
    this.element = block("actions", [
      button("Reset", () => figure.reset()),
      ...widgets.filter((widget) => widget instanceof Switch).map((widget) => widget.element),
    ]);
    if (figure.state.payload.code) this.element.append(code.toggle);
    this.element.append(button("Copy link", () => this.copy()));
    /** The figure alone, as it stands. */
    this.alone = element("a", "alone", "On a page of its own");
    if (figure.page) this.element.append(this.alone);
  }

  /** Follows the figure's state. */
  settle() {
    const text = new URLSearchParams(query(this.figure.state)).toString();
    this.alone.href = this.figure.page + (text ? `?${text}` : "");
  }

  async copy() {
    const { figure } = this;
    figure.settle();
    const link = new URL(location.href);
    if (figure.anchor) link.hash = figure.anchor;
    try {
      await navigator.clipboard.writeText(link.href);
      figure.say("Link copied.");
    } catch {
      // Browsers keep the clipboard from pages without https.
      figure.say(`Copy this link: ${link.href}`);
    }
  }
}
