// Where a figure's controls stand, and what moves them. All that a control or a view of a figure knows of it.

/** @typedef {import("./state.js").State} State */

const SETTLE_MS = 250;

export class Hand {
  /**
   * @param {() => void} draw draws what has moved; called once a frame at most
   * @param {() => void} settled called when a movement has ended
   */
  constructor(draw, settled) {
    this.draw = draw;
    this.settled = settled;
    this.frame = 0;
    this.timer = 0;
    /** What is shown; null before the first payload. @type {State | null} */
    this.shown = null;
  }

  /** Where the controls of the shown figure stand. */
  get state() {
    if (!this.shown) throw new Error("the figure has no payload yet");
    return this.shown;
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
    this.later();
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
    this.later();
  }

  /** Lets go of whatever is held. */
  letGo() {
    for (const name of [...(this.shown?.held ?? [])]) this.hold(name, false);
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), SETTLE_MS);
  }

  /** Ends a movement, once it is drawn. */
  settle() {
    clearTimeout(this.timer);
    if (this.frame) this.later();
    else this.settled();
  }

  /** Ends a movement where it stands: for what is taken along now, with its address. */
  finish() {
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
