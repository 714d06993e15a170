// Confirmation before turning away from an open question, which ignores repeated and bouncing keys.

import { PROJECTOR } from "./projector_strings.js";

/** Milliseconds within which a second press confirms. */
export const CONFIRM_MS = 6_000;
/** Milliseconds within which a second press is a bounce of the first. */
const BOUNCE_MS = 400;

/** Return the warning before leaving a poll whose result is not shown. @param {import("./room_connection.js").Poll} poll */
export function leaveWarning({ phase }) {
  return phase === "asking" ? PROJECTOR.leave : PROJECTOR.leaveClosed;
}

/** Decides whether a turn may leave an open question. */
export class LeaveConfirmation {
  constructor() {
    this.warnedAt = this.leftAt = -Infinity;
    /** The direction of the press that was warned of. */
    this.warnedBy = 0;
  }

  /**
   * Decide on a turn.
   * @param {boolean} isOpen whether a question is open
   * @param {boolean} isRepeat whether the key is repeating
   * @param {number} now in milliseconds
   * @param {number} by the direction of the turn; the other one takes the first press back
   * @returns {"allowed" | "warned" | "ignored" | "taken back"}
   */
  check(isOpen, isRepeat, now, by) {
    if (now - Math.max(this.leftAt, this.warnedAt) < BOUNCE_MS) return "ignored";
    if (!isOpen) return "allowed";
    if (isRepeat) return "ignored";
    if (now - this.warnedAt < CONFIRM_MS) {
      if (by !== this.warnedBy) {
        this.warnedAt = -Infinity;
        return "taken back";
      }
      this.leftAt = now;
      this.warnedAt = -Infinity;
      return "allowed";
    }
    this.warnedAt = now;
    this.warnedBy = by;
    return "warned";
  }
}
