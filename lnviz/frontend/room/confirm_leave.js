// Whether a turn may put an open question away: not by mistake, nor by a key that bounces.

/** Milliseconds within which a second press leaves a question that is open. */
export const AGAIN_MS = 3_000;
/** Milliseconds in which a second press is the same one: of a key that bounces, or of a clicker that is pressed twice. */
const BOUNCE_MS = 400;

export class Leaving {
  constructor() {
    this.warned = this.left = -Infinity;
  }

  /**
   * What becomes of a turn.
   * @param {boolean} isOpen whether a question is open
   * @param {boolean} isRepeat whether the key is only held down
   * @param {number} now in milliseconds
   * @returns {"taken" | "warned" | "ignored"}
   */
  turn(isOpen, isRepeat, now) {
    if (now - this.left < BOUNCE_MS) return "ignored";
    if (!isOpen) return "taken";
    if (isRepeat) return "ignored";
    if (now - this.warned < AGAIN_MS) {
      this.left = now;
      this.warned = -Infinity;
      return "taken";
    }
    this.warned = now;
    return "warned";
  }
}
