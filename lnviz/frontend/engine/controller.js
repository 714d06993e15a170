// The positions of a figure's controls, and what moves them: the only interface between controls, views and a figure.

/** @typedef {import("./state.js").State} State */

const SETTLE_MS = 250;

/** Holds a figure's state, and schedules drawing and settling. */
export class FigureController {
  /**
   * @param {() => void} draw draws the new positions; called at most once per frame
   * @param {() => void} onSettled called when a movement has ended
   */
  constructor(draw, onSettled) {
    this.draw = draw;
    this.onSettled = onSettled;
    this.frame = 0;
    this.timer = 0;
    /** The state on screen; null before the first payload. @type {State | null} */
    this.currentState = null;
  }

  /** The state on screen. Throws before the first payload. */
  get state() {
    if (!this.currentState) throw new Error("the figure has no payload yet");
    return this.currentState;
  }

  /**
   * Move a control to a position.
   * @param {string} name
   * @param {number} position
   */
  set(name, position) {
    const { positions } = this.state;
    if (positions[name] === position) return;
    positions[name] = position;
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
    this.scheduleSettle();
  }

  /**
   * Pin a pointer at its position, or unpin it.
   * @param {string} name
   * @param {boolean} held
   */
  hold(name, held) {
    const { held: names } = this.state;
    if (names.has(name) === held) return;
    if (held) names.add(name);
    else names.delete(name);
    this.draw();
    this.scheduleSettle();
  }

  /** Unpin all pointers. */
  releaseAll() {
    for (const name of [...(this.currentState?.held ?? [])]) this.hold(name, false);
  }

  scheduleSettle() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), SETTLE_MS);
  }

  /** End a movement as soon as it is drawn. */
  settle() {
    clearTimeout(this.timer);
    if (this.frame) this.scheduleSettle();
    else this.onSettled();
  }

  /** Draw pending movements and end them now, for exports that need the current address. */
  flush() {
    if (this.frame) {
      this.stop();
      this.draw();
    }
    this.settle();
  }

  stop() {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }
}
