// A figure on paper: in light colors, and no wider than the page. Charts are drawn for a width and in colors, which
// style sheets alone cannot change.

const MARK = "data-printed";

export class Paper {
  /** @param {() => void} draw draws the figure for the width and the colors there are now */
  constructor(draw) {
    const listening = (this.listening = new AbortController());
    const { signal } = listening;
    addEventListener("beforeprint", () => this.turn(true, draw), { signal });
    addEventListener("afterprint", () => this.turn(false, draw), { signal });
  }

  /**
   * @param {boolean} onto whether to paper, or back to the screen
   * @param {() => void} draw
   */
  turn(onto, draw) {
    document.documentElement.toggleAttribute(MARK, onto);
    draw();
  }

  stop() {
    this.listening.abort();
  }
}
