// What a student has answered. An answer that has not arrived stays on the phone and goes out by itself. Each attempt has a
// higher number than all before, and the server keeps the highest: repeats and double taps do no harm.

import { setLocal, getLocal } from "../engine/memory.js";
import { scattered } from "./room_connection.js";

/** @typedef {import("./room_connection.js").Value} Value */
/** @typedef {import("./requests.js").Reply} Reply */
/**
 * @typedef {object} Given
 * @property {number} poll
 * @property {number} round
 * @property {Value} value
 * @property {number} n which attempt it is
 * @property {boolean} kept whether the server has it
 */
/**
 * @typedef {object} Options
 * @property {string} code of the room
 * @property {(given: Given, withdrawn: AbortSignal) => Promise<Reply>} put
 * @property {() => void} changed
 * @property {(given: Given, reply: Reply) => void} refused an answer came too late, or to nowhere
 * @property {() => void} unheard nobody has answered
 */

const LATER_MOST_S = 60;

export class Kept {
  /** @param {Options} options */
  constructor(options) {
    this.options = options;
    this.name = `room ${options.code}`;
    /** By poll and round. @type {Map<string, Given>} */
    this.given = new Map();
    this.failures = 0;
    /** The answer on its way. @type {{given: Given, withdraw: AbortController} | null} */
    this.flight = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.recall();
    // Another tab of this browser has the same seat.
    addEventListener("storage", () => {
      this.recall();
      options.changed();
    });
  }

  /**
   * What was answered in a round.
   * @param {number} poll
   * @param {number} round
   */
  of(poll, round) {
    return this.given.get(key(poll, round)) ?? null;
  }

  /** Whether an answer is on its way at this moment. @param {Given} given */
  isFlying(given) {
    return this.flight?.given.n === given.n && key(this.flight.given.poll, this.flight.given.round) === key(given.poll, given.round);
  }

  /**
   * Answers, and sends that.
   * @param {number} poll
   * @param {number} round
   * @param {Value} value
   */
  give(poll, round, value) {
    this.recall();
    const before = this.of(poll, round);
    if (before && same(before.value, value)) {
      if (!before.kept && !this.isFlying(before)) this.flush();
      return;
    }
    this.set({ poll, round, value, n: (before?.n ?? 0) + 1, kept: false });
    this.failures = 0;
    this.flush();
  }

  /** Takes what the server has of this seat. @param {import("./room_connection.js").You} you */
  hear({ answers }) {
    for (const [poll, rounds] of Object.entries(answers)) {
      for (const [round, { value, n }] of Object.entries(rounds)) {
        const mine = this.of(Number(poll), Number(round));
        if (!mine || mine.n <= n) this.set({ poll: Number(poll), round: Number(round), value, n, kept: true });
        else if (mine.kept) this.set({ ...mine, kept: false }); // a server that has lost it gets it again
      }
    }
    this.flush();
  }

  /** Sends what has not arrived, the last first. */
  flush() {
    clearTimeout(this.timer);
    const next = [...this.given.values()].filter(({ kept }) => !kept).at(-1);
    if (next && !this.isFlying(next)) this.send(next);
  }

  /** Sends anew what may have been lost with a connection. */
  again() {
    this.failures = 0;
    this.flight?.withdraw.abort();
    this.flight = null;
    this.flush();
  }

  /** @param {Given} given */
  async send(given) {
    // One that is on its way may arrive or not: this one has the higher number.
    this.flight?.withdraw.abort();
    const flight = (this.flight = { given, withdraw: new AbortController() });
    this.options.changed();
    const reply = await this.options.put(given, flight.withdraw.signal);
    if (this.flight !== flight) return;
    this.flight = null;
    this.take(given, reply);
    this.options.changed();
  }

  /**
   * @param {Given} given
   * @param {Reply} reply
   */
  take(given, reply) {
    const { status, body, later } = reply;
    if (status === 200) {
      this.failures = 0;
      const now = this.of(given.poll, given.round) ?? given;
      // Two browsers of one seat that know nothing of each other: whoever answers last means it.
      const tie = body.n === given.n && !same(body.value, given.value);
      this.set(tie ? { ...given, n: given.n + 1 } : now.n > body.n ? now : { ...given, ...body, kept: true });
      this.flush();
    } else if ([409, 413, 422].includes(status)) {
      this.given.delete(key(given.poll, given.round));
      this.save();
      this.options.refused(given, reply);
      this.flush();
    } else {
      if (status === 0) this.options.unheard();
      this.failures += 1;
      const wait = later ? Math.min(LATER_MOST_S, later) * 1000 * (1 + Math.random() / 2) : scattered(this.failures);
      this.timer = setTimeout(() => this.flush(), wait);
    }
  }

  /** Forgets all, at the end of the room. */
  forget() {
    clearTimeout(this.timer);
    this.flight = null;
    this.given.clear();
    setLocal(this.name, "");
  }

  /** @param {Given} given */
  set(given) {
    const name = key(given.poll, given.round);
    this.given.delete(name); // the last is at the end
    this.given.set(name, given);
    this.save();
  }

  save() {
    setLocal(this.name, JSON.stringify([...this.given.values()]));
  }

  /** Takes what another tab, or this one before a reload, has kept. What is remembered may be anything. */
  recall() {
    for (const given of remembered(getLocal(this.name))) {
      const mine = this.of(given.poll, given.round);
      if (!mine || mine.n < given.n || (mine.n === given.n && given.kept)) this.given.set(key(given.poll, given.round), given);
    }
  }
}

/** @param {string} text @returns {Given[]} */
function remembered(text) {
  try {
    const found = JSON.parse(text || "[]");
    return Array.isArray(found) ? found.filter((each) => Number.isInteger(each?.poll) && Number.isInteger(each.round) && Number.isInteger(each.n) && "value" in each) : [];
  } catch {
    return []; // not ours
  }
}

/** @param {number} poll @param {number} round */
function key(poll, round) {
  return `${poll} ${round}`;
}

/** @param {Value} one @param {Value} other */
function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
