// Where a figure's controls stand, and what moves them. All that a control or a view of a figure knows of it.

/** @typedef {import("./state.js").State} State */

const SETTLE_MS = 250;

export class FigureController {
  /**
   * @param {() => void} draw draws what has moved; called once a frame at most
   * @param {() => void} onSettled called when a movement has ended
   */
  constructor(draw, onSettled) {
    this.draw = draw;
    this.onSettled = onSettled;
    this.frame = 0;
    this.timer = 0;
    /** What is shown; null before the first payload. @type {State | null} */
    this.currentState = null;
  }

  /** Where the controls of the shown figure stand. */
  get state() {
    if (!this.currentState) throw new Error("the figure has no payload yet");
    return this.currentState;
  }

  /**
   * Moves a control.
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
   * Holds a pointer where it is, or lets it go.
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

  /** Lets go of whatever is held. */
  releaseAll() {
    for (const name of [...(this.currentState?.held ?? [])]) this.hold(name, false);
  }

  scheduleSettle() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), SETTLE_MS);
  }

  /** Ends a movement, once it is drawn. */
  settle() {
    clearTimeout(this.timer);
    if (this.frame) this.scheduleSettle();
    else this.onSettled();
  }

  /** Ends a movement where it stands: for what is taken along now, with its address. */
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
