// A figure on paper: in light colors, and no wider than the page. Charts are drawn for a width and in colors, which
// style sheets alone cannot change.

const PRINT_ATTRIBUTE = "data-printed";

export class PrintLayout {
  /** @param {() => void} draw draws the figure for the width and the colors there are now */
  constructor(draw) {
    const listeners = (this.listeners = new AbortController());
    const { signal } = listeners;
    addEventListener("beforeprint", () => this.apply(true, draw), { signal });
    addEventListener("afterprint", () => this.apply(false, draw), { signal });
  }

  /**
   * @param {boolean} printing whether to paper, or back to the screen
   * @param {() => void} draw
   */
  apply(printing, draw) {
    document.documentElement.toggleAttribute(PRINT_ATTRIBUTE, printing);
    draw();
  }

  stop() {
    this.listeners.abort();
  }
}
