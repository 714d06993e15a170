// Two buttons that walk a control's positions: one back, one on.

import { button } from "./dom.js";

export class Walk {
  /**
   * @param {{spec: import("./payload.js").Slider | import("./payload.js").Choice}} owner
   * @param {import("./controller.js").Hand} hand
   * @param {() => void} begin called before a step is taken
   */
  constructor(owner, hand, begin = () => {}) {
    const { name } = owner.spec;
    this.owner = owner;
    this.position = () => hand.state.positions[name];
    const [back, next] = /** @type {const} */ ([["back", -1], ["next", 1]]).map(([text, by]) => {
      const walker = button(text, () => {
        begin();
        const to = this.position() + by;
        if (to < 0 || to > this.last) return;
        hand.set(name, to);
        hand.settle();
      }, "walker");
      walker.setAttribute("aria-label", `${text}: ${name}`);
      return walker;
    });
    this.back = back;
    this.next = next;
  }

  /** A slider's may move. */
  get last() {
    return this.owner.spec.values.length - 1;
  }

  draw() {
    const ends = [0, this.last];
    // A disabled button would drop the keyboard's focus; these stay and say so.
    [this.back, this.next].forEach((walker, i) => {
      walker.setAttribute("aria-disabled", String(this.position() === ends[i]));
    });
  }
}
