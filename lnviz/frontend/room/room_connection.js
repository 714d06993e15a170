// Connection to a room's event stream, with polling as the fallback: for phones, projector and remote. Each message is
// the whole state, so that nothing has to be caught up with after a pause.

import { NEVER_ABORTED, sleep } from "../engine/sleep.js";
import { readEvents } from "./event_stream.js";

/** @typedef {"asking" | "closed" | "talking" | "shown"} Phase */
/** @typedef {Record<string, string>} Pose state of a figure, by URL parameters */
/** @typedef {number | Pose} Value index of an option, a number, or a setting */
/**
 * @typedef {object} Poll
 * @property {number} id
 * @property {"choice" | "number" | "setting"} kind
 * @property {number} round
 * @property {Phase} phase
 * @property {string[]} labels letters of the options
 * @property {number | null} deadline when the round closes by itself, in seconds since 1970 on the server's clock
 * @property {number} [endsAt] the same, in milliseconds on this device's clock
 * @property {string} text of the teacher's own question; "" for the slide's
 * @property {string[]} options texts of the options of the teacher's own question
 * @property {Pose} pose of the slide's figure when its setting was asked for; otherwise empty
 */
/** A question that was asked on the slide before; `text` as in `Poll`. @typedef {{id: number, kind: Poll["kind"], text: string}} Result */
/** @typedef {{number: number, admitted: boolean}} Remote another browser that leads, or asks to */
/** @typedef {{id: number, text: string}} FeaturedQuestion */
/**
 * @typedef {{counts?: number[][], values?: [Value, number][], more?: number, right: number | null, simulated: number[]}}
 * PollResults `more` counts answers that are not among `values`, `simulated` those of simulated students in each round
 */
/**
 * @typedef {object} Room
 * @property {number} rev
 * @property {string} code
 * @property {"led" | "free" | "paused" | "ended"} mode
 * @property {string} lesson
 * @property {number | string} screen
 * @property {Pose} pose
 * @property {string} task the teacher's task for the slide; "" for none
 * @property {number[]} counted number and count of slides on the projector, then of steps of the figure if it has some; empty if unknown
 * @property {string} plan name of the projector's plan; "" for none
 * @property {string} slide name of the slide in the projector's plan; "" without a plan
 * @property {string[]} [slides] names of the slides that the projector goes through
 * @property {boolean} locked
 * @property {Remote[]} [remotes] phones do not get them
 * @property {boolean} questions whether students may ask questions
 * @property {FeaturedQuestion | null} featured a student's question that the projector shows
 * @property {boolean} [card] whether the projector shows how to join; phones do not get it
 * @property {Poll | null} poll
 * @property {number | null} [right] index of its right option; phones get it with the results
 * @property {PollResults | null} shown
 * @property {Result[]} [results] earlier questions on the slide, the latest first; phones do not get them
 * @property {boolean} resolved whether the result of the slide's own question has been shown
 */
/** @typedef {{value: Value, attempt: number}} Answer */
/**
 * @typedef {object} Participant
 * @property {number} number
 * @property {Record<string, Record<string, Answer>>} answers by poll and round
 * @property {boolean} lost
 * @property {boolean} following
 * @property {number} removals number of times that the teacher has removed answers
 */
/**
 * @typedef {object} Tally
 * @property {number | null} poll
 * @property {number | null} round
 * @property {number[]} counts
 * @property {[Value, number][]} values with their counts
 * @property {number} answered
 * @property {number} here
 * @property {number} away
 * @property {number} lost
 * @property {number} simulated number of simulated students among those here
 * @property {number} questions number of students' questions
 * @property {boolean} projected whether a projector is connected
 */
/**
 * Participants and, of a poll's round, answers; `asked` counts who is here or has answered, `simulated` those among them.
 * @typedef {{here: number, poll: number | null, round: number | null, answered: number, asked: number, simulated: number}} HeadCounts
 */
/** @typedef {"connected" | "offline" | "away"} Connection */
/** @typedef {{status: number, detail: string}} RoomGone */
/**
 * @typedef {object} ConnectionOptions
 * @property {string} code six digits
 * @property {"seat" | "screen" | "remote"} as
 * @property {string} base URL of the app, without a trailing slash
 * @property {(state: Room) => void} [onState] called with each newer state
 * @property {(you: Participant) => void} [onYou] a remote has only a number
 * @property {(tally: Tally) => void} [onTally]
 * @property {(heads: HeadCounts) => void} [onHeads]
 * @property {(connection: Connection, seconds: number) => void} [onConnection] with the seconds until the next attempt
 * @property {(gone: RoomGone) => void} [onGone] the room has ended, or access is denied; the connection is closed
 */

/** In milliseconds. */
const TIMES = {
  /** Timeout of a stream's first byte: a proxy may buffer it. */
  firstByte: 4_000,
  /** Timeout between bytes: the server sends a comment every 15 seconds. */
  silence: 40_000,
  /** Silence after which a page that becomes visible reconnects. */
  nap: 17_000,
  poll: 3_000,
  /** Duration of polling before a stream is tried again. */
  polling: 60_000,
  /** Back-off between attempts. */
  minWait: 500,
  maxWait: 8_000,
  /** Jitter after waking up, since phones of a class wake up together. */
  waking: 300,
};
const MAX_POLLING = 16 * TIMES.polling;
const MAX_RETRY_AFTER_S = 60;
/** The room has ended, does not exist, or denies access. */
const FINAL_STATUSES = [401, 403, 404, 410];

/** Abort reason: timeout. */
const LATE = "late";
/** Abort reason: reconnect at once. */
const WOKEN = "woken";
/** Abort reason: the server closed the stream and said when to reconnect. */
const BYE = "bye";

/**
 * Open a connection.
 * @param {ConnectionOptions} options
 */
export function openConnection(options) {
  const connection = new RoomConnection(options);
  connection.run();
  return connection;
}

/** Connection to a room, by event stream or polling. */
export class RoomConnection {
  /** @param {ConnectionOptions} options */
  constructor(options) {
    this.options = options;
    this.address = `${options.base}/rooms/${options.code}`;
    /** Revision of the last state. */
    this.rev = -1;
    this.isClosed = false;
    /** Whether the connection is believed to be up. */
    this.isUp = false;
    /** Consecutive failures. */
    this.failures = 0;
    /** Times of the last byte and of the present attempt's start. */
    this.lastByteAt = this.attemptAt = 0;
    /** Whether to poll since a proxy buffers streams, and until when. */
    this.isPolling = false;
    this.pollUntil = 0;
    this.pollPeriod = TIMES.polling;
    /** The last state, and the timer of its round's end. @type {Room | null} */
    this.state = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.roundTimer = undefined;
    /** Milliseconds by which the server's clock is ahead. */
    this.clockOffset = 0;
    /** ETag of the last state. */
    this.etag = "";
    /** Delay that the server asked for. */
    this.reconnectAfter = 0;
    /** Aborts the present attempt or wait. */
    this.attemptAbort = new AbortController();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.deadline = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.wakeTimer = undefined;
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
   * Make one attempt, and listen while the stream lasts.
   * @param {AbortSignal} signal
   * @returns {Promise<number>} milliseconds until the next attempt
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
      // A slow poll means an unreachable server; a slow stream may be buffered by a proxy.
      if (signal.reason !== LATE || this.isPolling) return this.onFailure();
      this.isPolling = true;
      this.pollUntil = Date.now() + this.pollPeriod;
      this.pollPeriod = Math.min(MAX_POLLING, 2 * this.pollPeriod);
      return 0;
    }
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<Response | void>} a response that is no stream
   */
  async stream(signal) {
    this.setDeadline(TIMES.firstByte);
    const response = await fetch(`${this.address}/events?as=${this.options.as}`, { signal, cache: "no-store" });
    this.readClock(response);
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
   * @returns {Promise<Response | void>} a response that is no state
   */
  async poll(signal) {
    this.setDeadline(TIMES.firstByte);
    /** @type {Record<string, string>} */
    const headers = this.etag ? { "If-None-Match": this.etag } : {};
    const response = await fetch(`${this.address}/state?as=${this.options.as}`, { signal, cache: "no-store", headers });
    this.readClock(response);
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

  /** Apply a state, unless a newer one is known, or the room was left. @param {Room} state */
  applyState(state) {
    if (this.isClosed || state.rev <= this.rev) return;
    this.rev = state.rev;
    this.state = state;
    this.reportState();
  }

  /** Report the last state, and again when its round's time limit has passed. */
  reportState() {
    const { state } = this;
    clearTimeout(this.roundTimer);
    if (!state) return;
    const { poll } = state;
    if (!poll?.deadline || poll.phase !== "asking") return this.options.onState?.(state);
    const endsAt = poll.deadline * 1000 - this.clockOffset;
    const left = endsAt - Date.now();
    // The server accepts no answers any more, and closes the round with the next command.
    if (left <= 0) return this.options.onState?.({ ...state, poll: { ...poll, phase: "closed" } });
    this.roundTimer = setTimeout(() => this.reportState(), left);
    this.options.onState?.({ ...state, poll: { ...poll, endsAt } });
  }

  /** Compare the server's clock with this device's. @param {Response} response */
  readClock(response) {
    const date = Date.parse(response.headers.get("Date") ?? "");
    // The header has whole seconds, and a server may renew it only once a second: at least half of one has passed on average.
    if (date) this.clockOffset = date + 500 - Date.now();
  }

  /** Reconnect at once, since the connection may be broken or possible again. */
  wake() {
    if (this.isClosed || this.attemptAbort.signal.aborted) return;
    this.failures = 0;
    clearTimeout(this.wakeTimer);
    if (this.isUp || Date.now() - this.attemptAt >= TIMES.minWait) {
      this.attemptAbort.abort(WOKEN);
      return;
    }
    // Reasons often come together. The attempt that has just begun may still fail as those before.
    this.wakeTimer = setTimeout(() => !this.isUp && this.wake(), TIMES.minWait);
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.wakeTimer);
    clearTimeout(this.deadline);
    clearTimeout(this.roundTimer);
    this.listeners.abort();
    this.attemptAbort.abort();
  }

  /** Reconnect after a pause if the page has been asleep. */
  wakeIfAsleep() {
    if (!this.isUp || Date.now() - this.lastByteAt > TIMES.nap) this.wake();
  }

  /** Abort the attempt if no byte arrives in time. @param {number} milliseconds */
  setDeadline(milliseconds) {
    const { attemptAbort } = this;
    const due = Date.now() + milliseconds;
    clearTimeout(this.deadline);
    // A late timer means that the device was asleep: that says nothing about the server.
    this.deadline = setTimeout(() => attemptAbort.abort(Date.now() - due > TIMES.firstByte ? WOKEN : LATE), milliseconds);
  }

  /** Handle received bytes. */
  onBytes() {
    this.lastByteAt = Date.now();
    this.failures = 0;
    if (this.isUp) return;
    this.isUp = true;
    this.options.onConnection?.("connected", 0);
  }

  /**
   * Handle a failed attempt or an ended stream.
   * @returns {number} milliseconds until the next attempt
   */
  onFailure() {
    this.failures += 1;
    const wait = backoff(this.failures);
    this.reportLost(wait);
    return wait;
  }

  /**
   * Report a lost connection, unless it is likely to be back at once.
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
   * @returns {Promise<number>} milliseconds until the next attempt
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
 * Return an exponential back-off with jitter, in milliseconds: a class does not reconnect all at once.
 * @param {number} failures consecutive failures so far
 */
export function backoff(failures) {
  return TIMES.minWait + Math.random() * Math.min(TIMES.maxWait - TIMES.minWait, TIMES.minWait * 2 ** failures);
}

/** Return a random delay after waking up. */
function wakeJitter() {
  return Math.random() * TIMES.waking;
}
