// Trainings over HTTP, on the server that shows them.

import { NO_ANSWER, NetworkError, fetchWithRetry, fetchJson } from "../engine/http.js";
import { UserFacingError } from "../engine/loading.js";

/**
 * How a training stands.
 * @typedef {object} JobStatus
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
/** @typedef {import("../engine/payload").Specification} TrainingRequest */
/** @typedef {"pause" | "resume" | "stop"} JobAction */
/** @typedef {import("../engine/loading.js").LoadOptions} LoadOptions */
/**
 * What trains; all throw a `Refusal` with a sentence. Who says how is asked again for while the server is busy, and
 * hears so.
 * @typedef {object} Trainer
 * @property {() => Promise<JobStatus[]>} mine the latest trainings of this browser, the last one first
 * @property {(request: TrainingRequest, how: LoadOptions) => Promise<JobStatus>} train
 * @property {(id: string, how: LoadOptions) => Promise<JobStatus>} status
 * @property {(id: string, change: JobAction, how: LoadOptions) => Promise<JobStatus>} change
 * @property {(experiment: string, file: File, how: LoadOptions) => Promise<string>} send names a file to learn from
 * @property {(id: string, ending: string) => string} measurements their address, by the ending of the file
 */

/** This browser has a training already that is not finished. */
export class UnfinishedJobError extends UserFacingError {
  /**
   * @param {string} sentence
   * @param {string} id of that training
   */
  constructor(sentence, id) {
    super(sentence);
    this.id = id;
  }
}

/**
 * @param {string} source of the figure that shows them
 * @returns {Trainer}
 */
export function httpTrainer(source) {
  const at = (/** @type {string} */ rest) => new URL(`../../jobs${rest}`, new URL(source, location.href)).href;
  const wait = async (/** @type {string} */ rest, /** @type {LoadOptions} */ how, /** @type {RequestInit} */ request) =>
    parseReply(await fetchWithRetry(() => fetchJson(at(rest), request), withRetryNote(how)));
  const post = (/** @type {string} */ rest, /** @type {LoadOptions} */ how, /** @type {BodyInit | null} */ body = null, type = "") =>
    wait(rest, how, { method: "POST", body, headers: type ? { "Content-Type": type } : {} });
  return {
    mine: async () => parseReply(await fetchJson(at(""))).jobs,
    train: (request, how) => post("", how, JSON.stringify(request), "application/json"),
    status: (id, how) => wait(`/${id}`, how, { signal: how.signal }),
    change: (id, change, how) => post(`/${id}/${change}`, how),
    send: async (experiment, file, how) => (await post(`/files?${new URLSearchParams({ experiment })}`, how, file)).file,
    measurements: (id, ending) => at(`/${id}.${ending}`),
  };
}

/** Refusals tell who is refused to ask again. @param {LoadOptions} how @returns {LoadOptions} */
function withRetryNote({ signal, report }) {
  return { signal, report: (sentence) => report(`${sentence} The page asks again by itself.`) };
}

/** What was asked for. @param {import("../engine/http.js").JsonResponse} answer */
function parseReply({ response, body }) {
  if (response.ok) return body;
  const sentence = String(body?.detail || "");
  if (response.status === 409 && body.id) throw new UnfinishedJobError(sentence, body.id);
  const passes = response.status >= 500 || response.status === 429;
  throw passes ? new NetworkError(sentence) : new UserFacingError(sentence || NO_ANSWER);
}
