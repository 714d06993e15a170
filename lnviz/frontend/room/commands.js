// Queue of the projector's commands to its room: each is sent with the revision that the previous one has created.

import { PROJECTOR } from "./projector_strings.js";
import { request } from "./requests.js";

/** @typedef {import("./room_connection.js").Room} Room */
/**
 * Queue of commands to a room.
 * @typedef {object} CommandResult
 * @property {boolean} isDone
 * @property {boolean} isFinal whether the same result is to be expected of another attempt
 * @property {string | null} error the server's message; null if none
 */

/**
 * Returns whether a command is still wanted when it can be sent, and in a newer state of the room, if there is one.
 * @typedef {(room?: Room) => boolean} IsCurrent
 */

/** @type {CommandResult} */
const DONE = { isDone: true, isFinal: true, error: null };

export class CommandQueue {
  /**
   * @param {string} address of the room
   * @param {(state: Room) => void} onState
   */
  constructor(address, onState) {
    this.address = address;
    this.onState = onState;
    /** States older than this revision do not include the last command. */
    this.revision = 0;
    /** Number of commands waiting or being sent. */
    this.pendingCount = 0;
    /** The last turn in this window, until the server confirms it. @type {Record<string, unknown> | null} */
    this.unsentTurn = null;
    /** @type {Promise<unknown>} */
    this.queue = Promise.resolve();
  }

  /** Whether the projector's own turn takes precedence over the room's state. */
  get isAhead() {
    return this.pendingCount > 0 || this.unsentTurn !== null;
  }

  /** Send the slide that was turned to. @param {Record<string, unknown>} slide */
  turn(slide) {
    this.unsentTurn = slide;
    return this.enqueue("go", slide, () => this.unsentTurn === slide);
  }

  /**
   * Send the last turn again if the server has not confirmed it, unless others have turned the room meanwhile: the class
   * is there.
   * @param {IsCurrent} isCurrent whether the room is where it was before the turn
   */
  async retryTurn(isCurrent) {
    const slide = this.unsentTurn;
    if (!slide) return DONE;
    const isWanted = (/** @type {Room | undefined} */ state = undefined) => this.unsentTurn === slide && isCurrent(state);
    if (isWanted()) return this.enqueue("go", slide, isWanted);
    this.unsentTurn = null;
    return { isDone: false, isFinal: true, error: PROJECTOR.overtaken };
  }

  /**
   * Add a command to the queue.
   * @param {string} verb
   * @param {Record<string, unknown>} [more]
   * @param {IsCurrent} [isCurrent]
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
   * @param {IsCurrent} isCurrent
   * @returns {Promise<CommandResult>}
   */
  async send(verb, more, isCurrent) {
    if (!isCurrent()) return DONE;
    let rev = 0;
    const post = () => request(`${this.address}/do`, "POST", { verb, ...more, rev: (rev = this.revision) });
    let { status, body } = await post();
    // A turn in this window is the latest intention: it overrides concurrent changes, however many there are.
    while (status === 409 && body?.state && body.state.rev > rev && ["go", "pose", "count", "card"].includes(verb) && isCurrent(body.state)) {
      this.revision = Math.max(this.revision, body.state.rev);
      ({ status, body } = await post());
    }
    // Without a response, or if it was deferred, it can be sent again, as a turn is.
    const isFinal = status > 0 && status < 500 && status !== 429;
    if (verb === "go" && this.unsentTurn === more && isFinal) this.unsentTurn = null;
    if (body?.state) {
      this.revision = Math.max(this.revision, body.state.rev);
      this.onState(body.state);
    }
    return { isDone: status === 200, isFinal, error: status === 200 ? null : (body?.detail ?? null) };
  }
}
