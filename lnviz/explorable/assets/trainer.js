// Trainings over HTTP, on the server that shows them.

import { SILENCE } from "./http.js";
import { Refusal } from "./loading.js";

/**
 * How a training stands.
 * @typedef {object} Status
 * @property {string} id
 * @property {"queued" | "running" | "paused" | "stopped" | "done" | "failed"} state
 * @property {string} detail a sentence on it, or ""
 * @property {number} steps of all its runs
 * @property {number} done steps
 * @property {number | null} pace steps a second
 * @property {number | null} left seconds
 * @property {number | null} ahead trainings before it
 * @property {number} points the number of its last measurement
 * @property {boolean} mine whether this browser may change it
 * @property {string} title
 * @property {string} created a time, as ISO 8601 has it
 */
/** @typedef {import("./payload").Specification} Wish */
/** @typedef {"pause" | "resume" | "stop"} Change */
/**
 * What trains; all throw a `Refusal` with a sentence.
 * @typedef {object} Trainer
 * @property {() => Promise<Status[]>} mine the latest trainings of this browser, the last one first
 * @property {(wish: Wish) => Promise<Status>} train
 * @property {(id: string, signal: AbortSignal) => Promise<Status>} status
 * @property {(id: string, change: Change) => Promise<Status>} change
 * @property {(experiment: string, file: File) => Promise<string>} send names a file to learn from
 * @property {(id: string, ending: string) => string} measurements their address, by the ending of the file
 */

/** This browser has a training already that is not finished. */
export class Unfinished extends Refusal {
  /**
   * @param {string} sentence
   * @param {string} id of that training
   */
  constructor(sentence, id) {
    super(sentence);
    this.id = id;
  }
}

/** Nobody has answered, or somebody who cannot tell now. */
export class Silence extends Refusal {
  /** @param {string} [reason] what was answered */
  constructor(reason = "") {
    super(reason || SILENCE);
    this.reason = reason;
  }
}

/**
 * @param {string} source of the figure that shows them
 * @returns {Trainer}
 */
export function trainerOverHttp(source) {
  const at = (/** @type {string} */ rest) => new URL(`../../jobs${rest}`, new URL(source, location.href)).href;
  const post = (/** @type {string} */ rest, /** @type {BodyInit | null} */ body = null, type = "") =>
    ask(at(rest), { method: "POST", body, headers: type ? { "Content-Type": type } : {} });
  return {
    mine: async () => (await ask(at(""))).jobs,
    train: (wish) => post("", JSON.stringify(wish), "application/json"),
    status: (id, signal) => ask(at(`/${id}`), { signal }),
    change: (id, change) => post(`/${id}/${change}`),
    send: async (experiment, file) => (await post(`/files?${new URLSearchParams({ experiment })}`, file)).file,
    measurements: (id, ending) => at(`/${id}.${ending}`),
  };
}

/**
 * @param {string} address
 * @param {RequestInit} [request]
 * @returns {Promise<any>}
 */
async function ask(address, request = {}) {
  let response, body;
  try {
    response = await fetch(address, request);
    body = await response.json();
  } catch (error) {
    throw request.signal?.aborted ? error : new Silence();
  }
  if (response.ok) return body;
  const sentence = String(body?.detail || "");
  if (response.status === 409 && body.id) throw new Unfinished(sentence, body.id);
  throw response.status >= 500 ? new Silence(sentence) : new Refusal(sentence || SILENCE);
}
