// What lies over a screen: nothing at all, a pointer that the last row sees, the number that is being typed.

import { element } from "../engine/dom.js";

export class Overlay {
  constructor() {
    this.cover = element("div", "cover");
    this.cover.hidden = true;
    this.cover.addEventListener("click", () => this.toggleBlank());
    this.dot = element("div", "dot");
    this.dot.hidden = true;
    this.number = element("p", "typed");
    this.number.hidden = true;
    document.body.append(this.cover, this.dot, this.number);
    addEventListener("pointermove", ({ clientX, clientY }) => {
      this.dot.style.translate = `${clientX}px ${clientY}px`;
    });
  }

  /** Whether something lies over the screen. */
  get isActive() {
    return !this.cover.hidden || !this.dot.hidden;
  }

  /** Takes the picture away, or gives it back. */
  toggleBlank() {
    this.cover.hidden = !this.cover.hidden;
  }

  /** Shows a pointer that follows the hand, or takes it away. */
  togglePointer() {
    this.dot.hidden = !this.dot.hidden;
  }

  /** Takes everything away. */
  clear() {
    this.cover.hidden = true;
    this.dot.hidden = true;
  }

  /** @param {string} typed */
  showNumber(typed) {
    this.number.hidden = !typed;
    this.number.textContent = typed;
  }
}
