// Overlays of a slide: blank cover, large pointer, and the number being typed.

import { element } from "../engine/dom.js";

/** Overlays of the presentation view. */
export class Overlay {
  constructor() {
    this.cover = element("div", "cover");
    this.cover.hidden = true;
    this.cover.addEventListener("click", () => this.toggleBlank());
    this.dot = element("div", "dot");
    this.dot.hidden = true;
    this.number = element("p", "typed-number");
    this.number.hidden = true;
    document.body.append(this.cover, this.dot, this.number);
    addEventListener("pointermove", ({ clientX, clientY }) => {
      this.dot.style.translate = `${clientX}px ${clientY}px`;
    });
  }

  /** Whether the cover or the pointer is shown. */
  get isActive() {
    return !this.cover.hidden || !this.dot.hidden;
  }

  /** Show or hide the blank cover. */
  toggleBlank() {
    this.cover.hidden = !this.cover.hidden;
  }

  /** Show or hide the large pointer. */
  togglePointer() {
    this.dot.hidden = !this.dot.hidden;
  }

  /** Hide both. */
  clear() {
    this.cover.hidden = true;
    this.dot.hidden = true;
  }

  /** Show a number being typed; "" hides it. @param {string} typed */
  showNumber(typed) {
    this.number.hidden = !typed;
    this.number.textContent = typed;
  }
}
