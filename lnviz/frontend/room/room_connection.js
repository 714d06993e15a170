// What a room's server says, as it says it: the connection of a phone, of the projector and of the remote. Every message
// is the whole state of the room, so that nothing has to be caught up with after a nap.

import { NEVER_ABORTED, sleep } from "../engine/sleep.js";
import { readEvents } from "./event_stream.js";

/** @typedef {"asking" | "closed" | "talking" | "shown"} Phase */
/** @typedef {Record<string, string>} Pose positions of a figure, by the names of its address */
/** @typedef {number | Pose} Value an option's place from 0, a number, or a setting */
/**
 * @typedef {object} Poll
 * @property {number} id
 * @property {"choice" | "number" | "setting"} kind
 * @property {number} round
 * @property {Phase} phase
 * @property {string[]} labels the letters of the options
 */
/** @typedef {{counts?: number[][], values?: [Value, number][], more?: number, right: number | null}} PollResults `more` gave what is not among `values` */
/**
 * @typedef {object} Room
 * @property {number} rev
 * @property {string} code
 * @property {"led" | "free" | "paused" | "ended"} mode
 * @property {string} lesson
 * @property {number | string} screen
 * @property {Pose} pose
 * @property {string} task what the teacher has the figure do, in a sentence of the teacher's; "" for nothing
 * @property {number[]} counted which of how many screens the wall shows; empty where nobody has said so
 * @property {boolean} locked
 * @property {Poll | null} poll
 * @property {PollResults | null} shown
 */
/** @typedef {{value: Value, n: number}} Answer */
/**
 * @typedef {object} Participant
 * @property {number} number
 * @property {Record<string, Record<string, Answer>>} answers by poll and round
 * @property {boolean} lost
 * @property {boolean} following
 */
/**
 * @typedef {object} Tally
 * @property {number | null} poll
 * @property {number | null} round
 * @property {number[]} counts
 * @property {[Value, number][]} values each with how many gave it
 * @property {number} answered
 * @property {number} here
 * @property {number} away
 * @property {number} lost
 * @property {number} pretend how many of those who are here are none
 */
/** @typedef {{here: number, answered: number}} HeadCounts */
/** @typedef {"connected" | "offline" | "away"} Connection */
/** @typedef {{status: number, detail: string}} RoomGone */
/**
 * @typedef {object} ConnectionOptions
 * @property {string} code six digits
 * @property {"seat" | "screen" | "remote"} as
 * @property {string} base the address of the app, without a slash at its end
 * @property {(state: Room) => void} [onState] called with states that are newer than all before
 * @property {(you: Participant) => void} [onYou]
 * @property {(tally: Tally) => void} [onTally]
 * @property {(heads: HeadCounts) => void} [onHeads]
 * @property {(connection: Connection, seconds: number) => void} [onConnection] seconds until it tries again
 * @property {(gone: RoomGone) => void} [onGone] the room is no longer there, or not for us; nothing more is asked
 */

/** Milliseconds. */
const TIMES = {
  /** Until the first byte of a stream: somebody on the way may hold it back. */
  firstByte: 4_000,
  /** Without a byte: the server sends a comment four times a minute. */
  silence: 40_000,
  /** Without a byte, after which a phone that wakes up asks anew. */
  nap: 17_000,
  poll: 3_000,
  /** Of asking again and again, before a stream is tried once more. */
  polling: 60_000,
  /** Between two attempts. */
  minWait: 500,
  maxWait: 8_000,
  /** In which those who wake up together come back. */
  waking: 300,
};
const MAX_POLLING = 16 * TIMES.polling;
const MAX_RETRY_AFTER_S = 60;
/** The room is over, was never, or is not for us. */
const FINAL_STATUSES = [401, 403, 404, 410];

/** Nobody has sent a byte for too long. */
const LATE = "late";
/** There is a reason to ask at once. */
const WOKEN = "woken";
/** The server has said goodbye, and when to come back. */
const BYE = "bye";

/**
 * Opens a connection.
 * @param {ConnectionOptions} options
 */
export function openConnection(options) {
  const connection = new RoomConnection(options);
  connection.run();
  return connection;
}

export class RoomConnection {
  /** @param {ConnectionOptions} options */
  constructor(options) {
    this.options = options;
    this.address = `${options.base}/rooms/${options.code}`;
    /** The revision of the last state. */
    this.rev = -1;
    this.isClosed = false;
    /** Whether bytes come, as far as we know. */
    this.isUp = false;
    /** Failed attempts in a row. */
    this.failures = 0;
    /** When the last byte came, and the present attempt began. */
    this.lastByteAt = this.attemptAt = 0;
    /** Whether streams are held back on the way, and until when that is taken for granted. */
    this.isPolling = false;
    this.pollUntil = 0;
    this.pollPeriod = TIMES.polling;
    /** What the last answer is called. */
    this.etag = "";
    /** When to come back, if the server has said so. */
    this.reconnectAfter = 0;
    /** Ends the present attempt, or the wait for the next one. */
    this.attemptAbort = new AbortController();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.deadline = undefined;
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.wakeIfAsleep(), { signal });
    addEventListener("pageshow", ({ persisted }) => persisted && this.wakeIfAsleep(), { signal });
    addEventListener("online", () => this.wake(), { signal });
    addEventListener("offline", () => this.reportDisconnected(0), { signal });
  }

  async run() {
    while (!this.isClosed) {
      this.attemptAbort = new AbortController();
      this.attemptAt = Date.now();
      this.isPolling &&= Date.now() < this.pollUntil;
      const wait = await this.attempt(this.attemptAbort.signal);
      clearTimeout(this.deadline);
      if (this.isClosed) return;
      this.attemptAbort = new AbortController();
      await sleep(wait, this.attemptAbort.signal).catch(() => sleep(wakeJitter(), NEVER_ABORTED));
    }
  }

  /**
   * Asks once, and listens while there is something to hear.
   * @param {AbortSignal} signal
   * @returns {Promise<number>} the milliseconds until it is asked again
   */
  async attempt(signal) {
    try {
      const response = await (this.isPolling ? this.poll(signal) : this.stream(signal));
      if (response && response.status !== 304) return this.onRefused(response);
      return this.isPolling ? TIMES.poll * (0.75 + Math.random() / 2) : this.onFailure();
    } catch {
      if (this.isClosed) return 0;
      if (signal.reason === WOKEN) return wakeJitter();
      if (signal.reason === BYE) return this.reconnectAfter;
      // A poll that is late is an absent server; a stream that is may be held back on the way.
      if (signal.reason !== LATE || this.isPolling) return this.onFailure();
      this.isPolling = true;
      this.pollUntil = Date.now() + this.pollPeriod;
      this.pollPeriod = Math.min(MAX_POLLING, 2 * this.pollPeriod);
      return 0;
    }
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<Response | void>} what is no stream
   */
  async stream(signal) {
    this.setDeadline(TIMES.firstByte);
    const response = await fetch(`${this.address}/events?as=${this.options.as}`, { signal, cache: "no-store" });
    const type = response.headers.get("Content-Type") ?? "";
    if (!response.ok || !response.body || !type.startsWith("text/event-stream")) return response;
    const heard = () => {
      this.setDeadline(TIMES.silence);
      this.onBytes();
    };
    await readEvents(response.body, heard, (event, data) => this.dispatch(event, data));
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<Response | void>} what is no state
   */
  async poll(signal) {
    this.setDeadline(TIMES.firstByte);
    /** @type {Record<string, string>} */
    const headers = this.etag ? { "If-None-Match": this.etag } : {};
    const response = await fetch(`${this.address}/state?as=${this.options.as}`, { signal, cache: "no-store", headers });
    if (response.status === 304) this.onBytes();
    if (!response.ok) return response;
    const { room, you, tally, ...heads } = await response.json();
    this.etag = response.headers.get("ETag") ?? "";
    this.onBytes();
    if (you) this.dispatch("you", you);
    this.dispatch("room", room);
    if (tally) this.dispatch("tally", tally);
    if ("here" in heads) this.dispatch("heads", heads);
  }

  /**
   * @param {string} event
   * @param {any} data
   */
  dispatch(event, data) {
    const { onYou, onTally, onHeads } = this.options;
    if (event === "room") this.applyState(data);
    if (event === "you") onYou?.(data);
    if (event === "tally") onTally?.(data);
    if (event === "heads") onHeads?.(data);
    if (event !== "bye") return;
    this.reconnectAfter = Math.min(TIMES.maxWait, Number(data.retry) || backoff(0));
    this.reportLost(this.reconnectAfter);
    this.attemptAbort.abort(BYE);
  }

  /** Takes a state, from whatever answer, unless there was a newer one. @param {Room} state */
  applyState(state) {
    if (state.rev <= this.rev) return;
    this.rev = state.rev;
    this.options.onState?.(state);
  }

  /** Asks at once, for whoever has a reason to believe that the connection is broken, or is not any more. */
  wake() {
    // Reasons come in twos and threes.
    if (this.isClosed || this.attemptAbort.signal.aborted || (!this.isUp && Date.now() - this.attemptAt < TIMES.minWait)) return;
    this.failures = 0;
    this.attemptAbort.abort(WOKEN);
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.deadline);
    this.listeners.abort();
    this.attemptAbort.abort();
  }

  /** Somebody looks at the page again: has it slept? */
  wakeIfAsleep() {
    if (!this.isUp || Date.now() - this.lastByteAt > TIMES.nap) this.wake();
  }

  /** Has the attempt end where no byte comes for a while. @param {number} milliseconds */
  setDeadline(milliseconds) {
    const { attemptAbort } = this;
    const due = Date.now() + milliseconds;
    clearTimeout(this.deadline);
    // A timer that comes late itself has slept with its phone: it says nothing of who is on the way.
    this.deadline = setTimeout(() => attemptAbort.abort(Date.now() - due > TIMES.firstByte ? WOKEN : LATE), milliseconds);
  }

  /** Bytes have come. */
  onBytes() {
    this.lastByteAt = Date.now();
    this.failures = 0;
    if (this.isUp) return;
    this.isUp = true;
    this.options.onConnection?.("connected", 0);
  }

  /**
   * The server has not answered, or has ended what it said.
   * @returns {number} the milliseconds until it is asked again
   */
  onFailure() {
    this.failures += 1;
    const wait = backoff(this.failures);
    this.reportLost(wait);
    return wait;
  }

  /**
   * Says that there is no connection, unless it may be back before anybody has read that.
   * @param {number} wait milliseconds until the next attempt
   */
  reportLost(wait) {
    if (this.failures > 1 || wait > 2 * TIMES.minWait || !this.isUp) this.reportDisconnected(wait);
  }

  /** @param {number} wait milliseconds until the next attempt */
  reportDisconnected(wait) {
    this.isUp = false;
    this.options.onConnection?.(navigator.onLine ? "away" : "offline", Math.ceil(wait / 1000));
  }

  /**
   * @param {Response} response
   * @returns {Promise<number>} the milliseconds until it is asked again
   */
  async onRefused(response) {
    const { status } = response;
    if (FINAL_STATUSES.includes(status)) {
      const { detail = "" } = await response.json().catch(() => ({}));
      this.close();
      this.options.onGone?.({ status, detail });
      return 0;
    }
    const retryAfter = Number(response.headers.get("Retry-After"));
    if (!retryAfter) return this.onFailure();
    this.failures += 1;
    const wait = Math.min(MAX_RETRY_AFTER_S, retryAfter) * 1000 * (1 + Math.random() / 2);
    this.reportLost(wait);
    return wait;
  }
}

/**
 * The milliseconds until the next attempt; a whole class does not come back at once.
 * @param {number} failures so far, in a row
 */
export function backoff(failures) {
  return TIMES.minWait + Math.random() * Math.min(TIMES.maxWait - TIMES.minWait, TIMES.minWait * 2 ** failures);
}

function wakeJitter() {
  return Math.random() * TIMES.waking;
}
