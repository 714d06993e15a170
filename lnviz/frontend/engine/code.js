// The figure's code at the present positions, folded away at first.

import { block, button, element } from "./dom.js";
import { toClipboard } from "./files.js";

export class Code {
  /**
   * @param {import("./controller.js").Hand} hand
   * @param {(sentence: string) => void} say
   */
  constructor(hand, say) {
    this.hand = hand;
    this.say = say;
    this.text = element("pre");
    this.text.tabIndex = 0;
    this.text.setAttribute("aria-label", "The code for this");
    this.element = block("code", [button("Copy the code", () => this.copy()), this.text]);
    this.toggle = button("The code for this", () => this.fold(!this.element.hidden));
    this.fold(true);
  }

  /** @param {boolean} hidden */
  fold(hidden) {
    this.element.hidden = hidden;
    this.toggle.setAttribute("aria-expanded", String(!hidden));
    this.draw();
  }

  draw() {
    if (this.element.hidden) return;
    const text = this.hand.state.code();
    if (this.text.textContent !== text) this.text.textContent = text;
  }

  async copy() {
    const copied = await toClipboard(this.hand.state.code());
    this.say(copied ? "Code copied." : "The browser keeps the clipboard from this page. Mark the code and copy it.");
    if (!copied) getSelection()?.selectAllChildren(this.text);
  }
}
