// Outbox of a participant's answers: an answer that has not reached the server is kept in the browser and retried. Each
// attempt has a higher number than all before, and the server keeps the highest, so that repeats and double taps do no
// harm.

import { setLocal, getLocal } from "../engine/memory.js";
import { backoff } from "./room_connection.js";

/** @typedef {import("./room_connection.js").Value} Value */
/** @typedef {import("./requests.js").Reply} Reply */
/**
 * @typedef {object} StoredAnswer
 * @property {number} poll
 * @property {number} round
 * @property {Value} value
 * @property {number} attempt
 * @property {boolean} kept whether the server has confirmed it
 * @property {number} [keptAt] number of times that the teacher had removed answers by then
 */
/**
 * @typedef {object} OutboxOptions
 * @property {string} code of the room
 * @property {(answer: StoredAnswer, signal: AbortSignal) => Promise<Reply>} put
 * @property {() => void} onChange
 * @property {(answer: StoredAnswer, reply: Reply) => void} onRejected the server rejected an answer, for example after
 * the round was closed
 * @property {(answer: StoredAnswer) => void} onRemoved the teacher has removed an answer, and the seat stays
 * @property {() => void} onDoubt the server has to be asked what it has: a request got no response, or the participant or
 * an answer may have been removed
 */

const MAX_RETRY_AFTER_S = 60;
/** Status code for a participant without a seat. */
const NO_SEAT = 401;

/** Outbox of a participant's answers. */
export class AnswerOutbox {
  /** @param {OutboxOptions} options */
  constructor(options) {
    this.options = options;
    this.name = `room ${options.code}`;
    /** Number of the participant's seat; "" before the first answer of the server. */
    this.seat = getLocal(`${this.name} seat`);
    /** By poll and round. @type {Map<string, StoredAnswer>} */
    this.answers = new Map();
    /** Number of times that the teacher has removed answers, as far as known. */
    this.removals = 0;
    /** Attempts of removed answers, by poll and round. @type {Map<string, number>} */
    this.removed = new Map();
    this.failures = 0;
    /** The request in progress. @type {{answer: StoredAnswer, controller: AbortController} | null} */
    this.inFlight = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.reload();
    // Another tab of this browser is the same participant.
    addEventListener("storage", () => {
      this.reload();
      options.onChange();
    });
  }

  /**
   * Return the answer to a round, or null.
   * @param {number} poll
   * @param {number} round
   */
  answerTo(poll, round) {
    return this.answers.get(key(poll, round)) ?? null;
  }

  /** Whether the server has confirmed an answer. */
  get hasKept() {
    return [...this.answers.values()].some(({ kept }) => kept);
  }

  /** Return whether an answer is being sent. @param {StoredAnswer} answer */
  isInFlight(answer) {
    return this.inFlight?.answer.attempt === answer.attempt && key(this.inFlight.answer.poll, this.inFlight.answer.round) === key(answer.poll, answer.round);
  }

  /**
   * Record an answer, and send it.
   * @param {number} poll
   * @param {number} round
   * @param {Value} value
   */
  submit(poll, round, value) {
    this.reload();
    const before = this.answerTo(poll, round);
    if (before && isEqual(before.value, value)) {
      if (!before.kept && !this.isInFlight(before)) this.flush();
      return;
    }
    const attempt = before?.attempt ?? this.removed.get(key(poll, round)) ?? 0;
    this.store({ poll, round, value, attempt: attempt + 1, kept: false });
    this.failures = 0;
    this.flush();
  }

  /**
   * Merge the answers that the server has. One that was confirmed before the last removal and is missing was removed.
   * @param {import("./room_connection.js").Participant} you
   */
  merge({ number, answers, removals }) {
    this.takeSeat(String(number));
    this.removals = Math.max(this.removals, removals);
    for (const [name, mine] of this.answers) {
      const { attempt = 0 } = answers[mine.poll]?.[mine.round] ?? {};
      if (!mine.kept || (mine.keptAt ?? 0) >= removals || attempt >= mine.attempt) continue;
      this.answers.delete(name);
      this.removed.set(name, mine.attempt);
      this.save();
      this.options.onRemoved(mine);
    }
    for (const [poll, rounds] of Object.entries(answers)) {
      for (const [round, { value, attempt }] of Object.entries(rounds)) {
        const mine = this.answerTo(Number(poll), Number(round));
        if (!mine || mine.attempt <= attempt) this.store({ poll: Number(poll), round: Number(round), value, attempt, kept: true, keptAt: removals });
        else if (mine.kept) this.store({ ...mine, kept: false }); // lost by the server: send it again
      }
    }
    this.flush();
  }

  /** Forget the answers that an earlier seat has given: the server does not count them for this one. @param {string} seat */
  takeSeat(seat) {
    if (seat === this.seat) return;
    if (this.seat) for (const [name, { kept }] of this.answers) if (kept) this.answers.delete(name);
    this.seat = seat;
    setLocal(`${this.name} seat`, seat);
    this.save();
  }

  /** Send the latest unconfirmed answer. */
  flush() {
    clearTimeout(this.timer);
    const next = [...this.answers.values()].filter(({ kept }) => !kept).at(-1);
    if (next && !this.isInFlight(next)) this.send(next);
  }

  /** Send again what may have been lost with a connection. */
  resend() {
    this.failures = 0;
    this.inFlight?.controller.abort();
    this.inFlight = null;
    this.flush();
  }

  /** @param {StoredAnswer} answer */
  async send(answer) {
    // A request already in progress may still arrive: this one has the higher number.
    this.inFlight?.controller.abort();
    const flight = (this.inFlight = { answer, controller: new AbortController() });
    this.options.onChange();
    const reply = await this.options.put(answer, flight.controller.signal);
    if (this.inFlight !== flight) return;
    this.inFlight = null;
    this.applyReply(answer, reply);
    this.options.onChange();
  }

  /**
   * @param {StoredAnswer} answer
   * @param {Reply} reply
   */
  applyReply(answer, reply) {
    const { status, body, retryAfter } = reply;
    if (status === 200) {
      this.failures = 0;
      const now = this.answerTo(answer.poll, answer.round) ?? answer;
      // Two browsers of one participant used the same number: the later answer wins.
      const tie = body.attempt === answer.attempt && !isEqual(body.value, answer.value);
      const { value, attempt, removals } = body;
      this.store(tie ? { ...answer, attempt: answer.attempt + 1 } : now.attempt > attempt ? now : { ...answer, value, attempt, kept: true, keptAt: removals });
      if (removals < this.removals) this.options.onDoubt();
      this.flush();
    } else if ([409, 413, 422].includes(status)) {
      this.answers.delete(key(answer.poll, answer.round));
      this.save();
      this.options.onRejected(answer, reply);
      this.flush();
    } else {
      if (status === 0 || status === NO_SEAT) this.options.onDoubt();
      this.failures += 1;
      const wait = retryAfter ? Math.min(MAX_RETRY_AFTER_S, retryAfter) * 1000 * (1 + Math.random() / 2) : backoff(this.failures);
      this.timer = setTimeout(() => this.flush(), wait);
    }
  }

  /** Delete all answers, at the end of the room. */
  clear() {
    clearTimeout(this.timer);
    this.inFlight = null;
    this.answers.clear();
    setLocal(this.name, "");
    setLocal(`${this.name} seat`, "");
  }

  /** @param {StoredAnswer} answer */
  store(answer) {
    const name = key(answer.poll, answer.round);
    this.answers.delete(name); // the latest is last
    this.answers.set(name, answer);
    this.save();
  }

  save() {
    setLocal(this.name, JSON.stringify([...this.answers.values()]));
  }

  /** Merge answers stored by another tab, or before a reload; invalid data is ignored. */
  reload() {
    for (const answer of parseAnswers(getLocal(this.name))) {
      const mine = this.answerTo(answer.poll, answer.round);
      if (answer.attempt <= (this.removed.get(key(answer.poll, answer.round)) ?? 0)) continue; // by a tab that does not know it yet
      if (!mine || mine.attempt < answer.attempt || (mine.attempt === answer.attempt && answer.kept)) this.answers.set(key(answer.poll, answer.round), answer);
    }
  }
}

/** Parse stored answers. @param {string} text @returns {StoredAnswer[]} */
function parseAnswers(text) {
  try {
    const found = JSON.parse(text || "[]");
    return Array.isArray(found) ? found.filter((each) => Number.isInteger(each?.poll) && Number.isInteger(each.round) && Number.isInteger(each.attempt) && "value" in each) : [];
  } catch {
    return []; // not valid JSON
  }
}

/** Return the key of a round. @param {number} poll @param {number} round */
function key(poll, round) {
  return `${poll} ${round}`;
}

/** Return whether two answers are equal. @param {Value} one @param {Value} other */
function isEqual(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
