// Two buttons that walk a control's positions: one back, one on.

import { button } from "./dom.js";

export class Walk {
  /**
   * @param {import("./payload").Slider | import("./payload").Choice} spec
   * @param {import("./figure.js").Figure} figure
   * @param {() => void} begin called before a step is taken
   */
  constructor({ name, values }, figure, begin = () => {}) {
    this.position = () => figure.state.positions[name];
    this.ends = [0, values.length - 1];
    const [back, next] = /** @type {const} */ ([["back", -1], ["next", 1]]).map(([text, by]) => {
      const walker = button(text, () => {
        begin();
        const to = this.position() + by;
        if (to < 0 || to >= values.length) return;
        figure.set(name, to);
        figure.settle();
      }, "walker");
      walker.setAttribute("aria-label", `${text}: ${name}`);
      return walker;
    });
    this.back = back;
    this.next = next;
  }

  draw() {
    // A disabled button would drop the keyboard's focus; these stay and say so.
    [this.back, this.next].forEach((walker, i) => {
      walker.setAttribute("aria-disabled", String(this.position() === this.ends[i]));
    });
  }
}
