// Panel with the figure's code at the present positions, collapsed at first.

import { div, button, element, setText } from "./dom.js";
import { copyText } from "./files.js";

/** Panel with the figure's code. */
export class CodePanel {
  /**
   * @param {import("./controller.js").FigureController} controller
   * @param {(sentence: string) => void} announce
   */
  constructor(controller, announce) {
    this.controller = controller;
    this.announce = announce;
    this.text = element("pre");
    this.text.tabIndex = 0;
    this.text.setAttribute("aria-label", "Code for this figure");
    this.element = div("code", [button("Copy code", () => this.copy()), this.text]);
    this.toggle = button("Code for this figure", () => this.setHidden(!this.element.hidden));
    this.setHidden(true);
  }

  /** @param {boolean} hidden */
  setHidden(hidden) {
    this.element.hidden = hidden;
    this.toggle.setAttribute("aria-expanded", String(!hidden));
    this.draw();
  }

  draw() {
    if (this.element.hidden) return;
    const text = this.controller.state.code();
    setText(this.text, text);
  }

  async copy() {
    const copied = await copyText(this.controller.state.code());
    this.announce(copied ? "Code copied." : "The browser blocks the clipboard for this page. Select the code and copy it.");
    if (!copied) getSelection()?.selectAllChildren(this.text);
  }
}
