// What the wall tells its room, one thing after the other: each is told with the revision that the one before has made.

import { ask } from "./requests.js";

/** @typedef {import("./room_connection.js").Room} Room */
/**
 * @typedef {object} Told
 * @property {boolean} isDone
 * @property {string | null} trouble what the server says against it; null where it says nothing
 */

export class Commands {
  /**
   * @param {string} address of the room
   * @param {(state: Room) => void} take
   */
  constructor(address, take) {
    this.address = address;
    this.take = take;
    /** The revision before which a state does not know of the last command. */
    this.since = 0;
    /** Commands that are on their way. */
    this.waiting = 0;
    /** The last turn by hand, until the server has it. @type {Record<string, unknown> | null} */
    this.owed = null;
    /** @type {Promise<unknown>} */
    this.queue = Promise.resolve();
  }

  /** Whether this wall's own turn counts, and not yet what the room says. */
  get isAhead() {
    return this.waiting > 0 || this.owed !== null;
  }

  /** Tells where the wall has been turned to. @param {Record<string, unknown>} there */
  go(there) {
    this.owed = there;
    return this.again();
  }

  /** Tells the last turn by hand once more, if the server does not have it. */
  async again() {
    const there = this.owed;
    if (!there) return { isDone: true, trouble: null };
    return this.tell("go", there, () => this.owed === there);
  }

  /**
   * @param {string} verb
   * @param {Record<string, unknown>} [more]
   * @param {() => boolean} [isMeant] whether it still is when its turn has come
   * @returns {Promise<Told>}
   */
  tell(verb, more = {}, isMeant = () => true) {
    this.waiting += 1;
    const told = this.queue.then(() => this.send(verb, more, isMeant)).finally(() => (this.waiting -= 1));
    this.queue = told.catch(() => {});
    return told;
  }

  /**
   * @param {string} verb
   * @param {Record<string, unknown>} more
   * @param {() => boolean} isMeant
   * @returns {Promise<Told>}
   */
  async send(verb, more, isMeant) {
    if (!isMeant()) return { isDone: true, trouble: null };
    const post = () => ask(`${this.address}/do`, "POST", { verb, ...more, rev: this.since });
    let { status, body } = await post();
    // A turn at the wall is somebody's wish now, whatever has been done elsewhere a moment ago.
    if (status === 409 && body?.state && ["go", "pose"].includes(verb) && isMeant()) {
      this.since = Math.max(this.since, body.state.rev);
      ({ status, body } = await post());
    }
    // Nobody has heard a turn that was not answered, or was put off: it is told again.
    if (verb === "go" && this.owed === more && status > 0 && status < 500 && status !== 429) this.owed = null;
    if (body?.rev) this.since = Math.max(this.since, body.rev);
    if (body?.state) this.take(body.state);
    return { isDone: status === 200, trouble: status === 200 ? null : (body?.detail ?? null) };
  }
}
