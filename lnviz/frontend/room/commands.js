// What the wall tells its room, one thing after the other: each is told with the revision that the one before has made.

import { request } from "./requests.js";

/** @typedef {import("./room_connection.js").Room} Room */
/**
 * @typedef {object} CommandResult
 * @property {boolean} isDone
 * @property {string | null} error what the server says against it; null where it says nothing
 */

export class CommandQueue {
  /**
   * @param {string} address of the room
   * @param {(state: Room) => void} onState
   */
  constructor(address, onState) {
    this.address = address;
    this.onState = onState;
    /** The revision before which a state does not know of the last command. */
    this.revision = 0;
    /** Commands that are on their way. */
    this.pendingCount = 0;
    /** The last turn by hand, until the server has it. @type {Record<string, unknown> | null} */
    this.unsentTurn = null;
    /** @type {Promise<unknown>} */
    this.queue = Promise.resolve();
  }

  /** Whether this wall's own turn counts, and not yet what the room says. */
  get isAhead() {
    return this.pendingCount > 0 || this.unsentTurn !== null;
  }

  /** Tells where the wall has been turned to. @param {Record<string, unknown>} there */
  turn(there) {
    this.unsentTurn = there;
    return this.retryTurn();
  }

  /** Tells the last turn by hand once more, if the server does not have it. */
  async retryTurn() {
    const there = this.unsentTurn;
    if (!there) return { isDone: true, error: null };
    return this.enqueue("go", there, () => this.unsentTurn === there);
  }

  /**
   * @param {string} verb
   * @param {Record<string, unknown>} [more]
   * @param {() => boolean} [isCurrent] whether it still is when its turn has come
   * @returns {Promise<CommandResult>}
   */
  enqueue(verb, more = {}, isCurrent = () => true) {
    this.pendingCount += 1;
    const result = this.queue.then(() => this.send(verb, more, isCurrent)).finally(() => (this.pendingCount -= 1));
    this.queue = result.catch(() => {});
    return result;
  }

  /**
   * @param {string} verb
   * @param {Record<string, unknown>} more
   * @param {() => boolean} isCurrent
   * @returns {Promise<CommandResult>}
   */
  async send(verb, more, isCurrent) {
    if (!isCurrent()) return { isDone: true, error: null };
    const post = () => request(`${this.address}/do`, "POST", { verb, ...more, rev: this.revision });
    let { status, body } = await post();
    // A turn at the wall is somebody's wish now, whatever has been done elsewhere a moment ago.
    if (status === 409 && body?.state && ["go", "pose"].includes(verb) && isCurrent()) {
      this.revision = Math.max(this.revision, body.state.rev);
      ({ status, body } = await post());
    }
    // Nobody has heard a turn that was not answered, or was put off: it is told again.
    if (verb === "go" && this.unsentTurn === more && status > 0 && status < 500 && status !== 429) this.unsentTurn = null;
    if (body?.rev) this.revision = Math.max(this.revision, body.rev);
    if (body?.state) this.onState(body.state);
    return { isDone: status === 200, error: status === 200 ? null : (body?.detail ?? null) };
  }
}
