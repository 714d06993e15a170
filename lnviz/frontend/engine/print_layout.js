// A figure on paper: light colors, page width. Charts have to be redrawn for these; style sheets alone cannot do it.

import { drawAll } from "./frame_queue.js";

const PRINT_ATTRIBUTE = "data-printed";

/** Redraws a figure for printing, and back. */
export class PrintLayout {
  /** @param {() => void} draw redraws the figure for the current width and colors */
  constructor(draw) {
    const listeners = (this.listeners = new AbortController());
    const { signal } = listeners;
    addEventListener("beforeprint", () => this.apply(true, draw), { signal });
    addEventListener("afterprint", () => this.apply(false, draw), { signal });
  }

  /**
   * @param {boolean} printing whether to switch to paper, or back to the screen
   * @param {() => void} draw
   */
  apply(printing, draw) {
    document.documentElement.toggleAttribute(PRINT_ATTRIBUTE, printing);
    if (printing) drawAll();
    draw();
  }

  stop() {
    this.listeners.abort();
  }
}
