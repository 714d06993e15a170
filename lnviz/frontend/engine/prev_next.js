// Previous and next buttons of a control.

import { button } from "./dom.js";

/** Previous and next button of a slider or choice. */
export class PrevNextButtons {
  /**
   * @param {{spec: import("./payload.js").Slider | import("./payload.js").Choice}} owner
   * @param {import("./controller.js").FigureController} controller
   * @param {() => void} beforeStep called before each step
   */
  constructor(owner, controller, beforeStep = () => {}) {
    const { name } = owner.spec;
    this.owner = owner;
    this.position = () => controller.state.positions[name];
    const [back, next] = /** @type {const} */ ([["back", -1], ["next", 1]]).map(([text, by]) => {
      const node = button(text, () => {
        beforeStep();
        const to = this.position() + by;
        if (to < 0 || to > this.last) return;
        controller.set(name, to);
        controller.settle();
      }, "walker");
      node.setAttribute("aria-label", `${text}: ${name}`);
      return node;
    });
    this.back = back;
    this.next = next;
  }

  /** Computed, since a slider's range may change. */
  get last() {
    return this.owner.spec.values.length - 1;
  }

  draw() {
    const ends = [0, this.last];
    // `aria-disabled`: a disabled button would lose the keyboard's focus.
    [this.back, this.next].forEach((node, i) => {
      node.setAttribute("aria-disabled", String(this.position() === ends[i]));
    });
  }
}
