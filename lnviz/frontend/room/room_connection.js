// What a room's server says, as it says it: the connection of a phone, of the projector and of the remote. Every message
// is the whole state of the room, so that nothing has to be caught up with after a nap.

import { NEVER_ABORTED, sleep } from "../engine/sleep.js";
import { read } from "./stream.js";

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
/** @typedef {{counts?: number[][], values?: [Value, number][], more?: number, right: number | null}} Shown `more` gave what is not among `values` */
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
 * @property {Shown | null} shown
 */
/** @typedef {{value: Value, n: number}} Answer */
/**
 * @typedef {object} You
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
/** @typedef {{here: number, answered: number}} Heads */
/** @typedef {"connected" | "offline" | "away"} Connection */
/** @typedef {{status: number, detail: string}} Gone */
/**
 * @typedef {object} Options
 * @property {string} code six digits
 * @property {"seat" | "screen" | "remote"} as
 * @property {string} base the address of the app, without a slash at its end
 * @property {(state: Room) => void} [onState] called with states that are newer than all before
 * @property {(you: You) => void} [onYou]
 * @property {(tally: Tally) => void} [onTally]
 * @property {(heads: Heads) => void} [onHeads]
 * @property {(connection: Connection, seconds: number) => void} [onConnection] seconds until it tries again
 * @property {(gone: Gone) => void} [onGone] the room is no longer there, or not for us; nothing more is asked
 */

/** Milliseconds. */
const TIMES = {
  /** Until the first byte of a stream: somebody on the way may hold it back. */
  first: 4_000,
  /** Without a byte: the server sends a comment four times a minute. */
  silence: 40_000,
  /** Without a byte, after which a phone that wakes up asks anew. */
  nap: 17_000,
  poll: 3_000,
  /** Of asking again and again, before a stream is tried once more. */
  polling: 60_000,
  /** Between two attempts. */
  least: 500,
  most: 8_000,
  /** In which those who wake up together come back. */
  waking: 300,
};
const POLLING_MOST = 16 * TIMES.polling;
const LATER_MOST_S = 60;
/** The room is over, was never, or is not for us. */
const GONE = [401, 403, 404, 410];

/** Nobody has sent a byte for too long. */
const LATE = "late";
/** There is a reason to ask at once. */
const WOKEN = "woken";
/** The server has said goodbye, and when to come back. */
const BYE = "bye";

/**
 * Opens a connection.
 * @param {Options} options
 */
export function open(options) {
  const link = new Link(options);
  link.run();
  return link;
}

export class Link {
  /** @param {Options} options */
  constructor(options) {
    this.options = options;
    this.address = `${options.base}/rooms/${options.code}`;
    /** The revision of the last state. */
    this.rev = -1;
    this.isOver = false;
    /** Whether bytes come, as far as we know. */
    this.isUp = false;
    /** Failed attempts in a row. */
    this.failures = 0;
    /** When the last byte came, and the present attempt began. */
    this.heard = this.begun = 0;
    /** Whether streams are held back on the way, and until when that is taken for granted. */
    this.polls = false;
    this.until = 0;
    this.polling = TIMES.polling;
    /** What the last answer is called. */
    this.tag = "";
    /** When to come back, if the server has said so. */
    this.back = 0;
    /** Ends the present attempt, or the wait for the next one. */
    this.turn = new AbortController();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.watch = undefined;
    this.listening = new AbortController();
    const { signal } = this.listening;
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.look(), { signal });
    addEventListener("pageshow", ({ persisted }) => persisted && this.look(), { signal });
    addEventListener("online", () => this.wake(), { signal });
    addEventListener("offline", () => this.say(0), { signal });
  }

  async run() {
    while (!this.isOver) {
      this.turn = new AbortController();
      this.begun = Date.now();
      this.polls &&= Date.now() < this.until;
      const wait = await this.attempt(this.turn.signal);
      clearTimeout(this.watch);
      if (this.isOver) return;
      this.turn = new AbortController();
      await sleep(wait, this.turn.signal).catch(() => sleep(waking(), NEVER_ABORTED));
    }
  }

  /**
   * Asks once, and listens while there is something to hear.
   * @param {AbortSignal} signal
   * @returns {Promise<number>} the milliseconds until it is asked again
   */
  async attempt(signal) {
    try {
      const response = await (this.polls ? this.poll(signal) : this.stream(signal));
      if (response && response.status !== 304) return this.refused(response);
      return this.polls ? TIMES.poll * (0.75 + Math.random() / 2) : this.failed();
    } catch {
      if (this.isOver) return 0;
      if (signal.reason === WOKEN) return waking();
      if (signal.reason === BYE) return this.back;
      // A poll that is late is an absent server; a stream that is may be held back on the way.
      if (signal.reason !== LATE || this.polls) return this.failed();
      this.polls = true;
      this.until = Date.now() + this.polling;
      this.polling = Math.min(POLLING_MOST, 2 * this.polling);
      return 0;
    }
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<Response | void>} what is no stream
   */
  async stream(signal) {
    this.await(TIMES.first);
    const response = await fetch(`${this.address}/events?as=${this.options.as}`, { signal, cache: "no-store" });
    const type = response.headers.get("Content-Type") ?? "";
    if (!response.ok || !response.body || !type.startsWith("text/event-stream")) return response;
    const heard = () => {
      this.await(TIMES.silence);
      this.reached();
    };
    await read(response.body, heard, (event, data) => this.hear(event, data));
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<Response | void>} what is no state
   */
  async poll(signal) {
    this.await(TIMES.first);
    /** @type {Record<string, string>} */
    const headers = this.tag ? { "If-None-Match": this.tag } : {};
    const response = await fetch(`${this.address}/state?as=${this.options.as}`, { signal, cache: "no-store", headers });
    if (response.status === 304) this.reached();
    if (!response.ok) return response;
    const { room, you, tally, ...heads } = await response.json();
    this.tag = response.headers.get("ETag") ?? "";
    this.reached();
    if (you) this.hear("you", you);
    this.hear("room", room);
    if (tally) this.hear("tally", tally);
    if ("here" in heads) this.hear("heads", heads);
  }

  /**
   * @param {string} event
   * @param {any} data
   */
  hear(event, data) {
    const { onYou, onTally, onHeads } = this.options;
    if (event === "room") this.take(data);
    if (event === "you") onYou?.(data);
    if (event === "tally") onTally?.(data);
    if (event === "heads") onHeads?.(data);
    if (event !== "bye") return;
    this.back = Math.min(TIMES.most, Number(data.retry) || scattered(0));
    this.lose(this.back);
    this.turn.abort(BYE);
  }

  /** Takes a state, from whatever answer, unless there was a newer one. @param {Room} state */
  take(state) {
    if (state.rev <= this.rev) return;
    this.rev = state.rev;
    this.options.onState?.(state);
  }

  /** Asks at once, for whoever has a reason to believe that the connection is broken, or is not any more. */
  wake() {
    // Reasons come in twos and threes.
    if (this.isOver || this.turn.signal.aborted || (!this.isUp && Date.now() - this.begun < TIMES.least)) return;
    this.failures = 0;
    this.turn.abort(WOKEN);
  }

  close() {
    this.isOver = true;
    clearTimeout(this.watch);
    this.listening.abort();
    this.turn.abort();
  }

  /** Somebody looks at the page again: has it slept? */
  look() {
    if (!this.isUp || Date.now() - this.heard > TIMES.nap) this.wake();
  }

  /** Has the attempt end where no byte comes for a while. @param {number} milliseconds */
  await(milliseconds) {
    const { turn } = this;
    const due = Date.now() + milliseconds;
    clearTimeout(this.watch);
    // A timer that comes late itself has slept with its phone: it says nothing of who is on the way.
    this.watch = setTimeout(() => turn.abort(Date.now() - due > TIMES.first ? WOKEN : LATE), milliseconds);
  }

  /** Bytes have come. */
  reached() {
    this.heard = Date.now();
    this.failures = 0;
    if (this.isUp) return;
    this.isUp = true;
    this.options.onConnection?.("connected", 0);
  }

  /**
   * The server has not answered, or has ended what it said.
   * @returns {number} the milliseconds until it is asked again
   */
  failed() {
    this.failures += 1;
    const wait = scattered(this.failures);
    this.lose(wait);
    return wait;
  }

  /**
   * Says that there is no connection, unless it may be back before anybody has read that.
   * @param {number} wait milliseconds until the next attempt
   */
  lose(wait) {
    if (this.failures > 1 || wait > 2 * TIMES.least || !this.isUp) this.say(wait);
  }

  /** @param {number} wait milliseconds until the next attempt */
  say(wait) {
    this.isUp = false;
    this.options.onConnection?.(navigator.onLine ? "away" : "offline", Math.ceil(wait / 1000));
  }

  /**
   * @param {Response} response
   * @returns {Promise<number>} the milliseconds until it is asked again
   */
  async refused(response) {
    const { status } = response;
    if (GONE.includes(status)) {
      const { detail = "" } = await response.json().catch(() => ({}));
      this.close();
      this.options.onGone?.({ status, detail });
      return 0;
    }
    const later = Number(response.headers.get("Retry-After"));
    if (!later) return this.failed();
    this.failures += 1;
    const wait = Math.min(LATER_MOST_S, later) * 1000 * (1 + Math.random() / 2);
    this.lose(wait);
    return wait;
  }
}

/**
 * The milliseconds until the next attempt; a whole class does not come back at once.
 * @param {number} failures so far, in a row
 */
export function scattered(failures) {
  return TIMES.least + Math.random() * Math.min(TIMES.most - TIMES.least, TIMES.least * 2 ** failures);
}

function waking() {
  return Math.random() * TIMES.waking;
}
