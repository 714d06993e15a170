// Whether a turn may put an open question away: not by mistake, nor by a key that bounces.

/** Milliseconds within which a second press leaves a question that is open. */
export const CONFIRM_MS = 3_000;
/** Milliseconds in which a second press is the same one: of a key that bounces, or of a clicker that is pressed twice. */
const BOUNCE_MS = 400;

export class LeaveConfirmation {
  constructor() {
    this.warnedAt = this.leftAt = -Infinity;
  }

  /**
   * What becomes of a turn.
   * @param {boolean} isOpen whether a question is open
   * @param {boolean} isRepeat whether the key is only held down
   * @param {number} now in milliseconds
   * @returns {"allowed" | "warned" | "ignored"}
   */
  check(isOpen, isRepeat, now) {
    if (now - this.leftAt < BOUNCE_MS) return "ignored";
    if (!isOpen) return "allowed";
    if (isRepeat) return "ignored";
    if (now - this.warnedAt < CONFIRM_MS) {
      this.leftAt = now;
      this.warnedAt = -Infinity;
      return "allowed";
    }
    this.warnedAt = now;
    return "warned";
  }
}
