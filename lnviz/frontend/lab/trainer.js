// Client of the training API.

import { NO_ANSWER, NetworkError, fetchWithRetry, fetchJson } from "../engine/http.js";
import { UserFacingError } from "../engine/loading.js";

/**
 * Status of a job.
 * @typedef {object} JobStatus
 * @property {string} id
 * @property {"queued" | "running" | "paused" | "stopped" | "done" | "failed"} state
 * @property {string} detail a message, or ""
 * @property {number} steps of all its runs
 * @property {number} done finished steps
 * @property {number | null} pace steps per second
 * @property {number | null} left remaining seconds
 * @property {number | null} ahead jobs before it in the queue
 * @property {number} points number of its last measurement
 * @property {boolean} mine whether this browser may change it
 * @property {string} title
 * @property {string} created ISO 8601 time
 */
/** @typedef {import("../engine/payload").Specification} TrainingRequest */
/** @typedef {"pause" | "resume" | "stop"} JobAction */
/** @typedef {import("../engine/loading.js").LoadOptions} LoadOptions */
/**
 * The training API. All methods throw a `UserFacingError`; those with options retry while the server is busy, and
 * report that.
 * @typedef {object} Trainer
 * @property {() => Promise<JobStatus[]>} mine the latest jobs of this browser, newest first
 * @property {(request: TrainingRequest, options: LoadOptions) => Promise<JobStatus>} train
 * @property {(id: string, options: LoadOptions) => Promise<JobStatus>} status
 * @property {(id: string, change: JobAction, options: LoadOptions) => Promise<JobStatus>} change
 * @property {(experiment: string, file: File, options: LoadOptions) => Promise<string>} send uploads a data file, and
 * returns its id
 * @property {(id: string, ending: string) => string} measurements URL of the measurements, by file ending
 */

/** Thrown if this browser already has an unfinished job. */
export class UnfinishedJobError extends UserFacingError {
  /**
   * @param {string} sentence
   * @param {string} id of that job
   */
  constructor(sentence, id) {
    super(sentence);
    this.id = id;
  }
}

/**
 * Return the client of a server's training API.
 * @param {string} source URL of the payload of the figure that shows the jobs
 * @returns {Trainer}
 */
export function httpTrainer(source) {
  const url = (/** @type {string} */ rest) => new URL(`../../jobs${rest}`, new URL(source, location.href)).href;
  const wait = async (/** @type {string} */ rest, /** @type {LoadOptions} */ options, /** @type {RequestInit} */ request) =>
    parseReply(await fetchWithRetry(() => fetchJson(url(rest), request), withRetryNote(options)));
  const post = (/** @type {string} */ rest, /** @type {LoadOptions} */ options, /** @type {BodyInit | null} */ body = null, type = "") =>
    wait(rest, options, { method: "POST", body, headers: type ? { "Content-Type": type } : {} });
  return {
    mine: async () => parseReply(await fetchJson(url(""))).jobs,
    train: (request, options) => post("", options, JSON.stringify(request), "application/json"),
    status: (id, options) => wait(`/${id}`, options, { signal: options.signal }),
    change: (id, change, options) => post(`/${id}/${change}`, options),
    send: async (experiment, file, options) => (await post(`/files?${new URLSearchParams({ experiment })}`, options, file)).file,
    measurements: (id, ending) => url(`/${id}.${ending}`),
  };
}

/** Append to each message that the page retries by itself. @param {LoadOptions} options @returns {LoadOptions} */
function withRetryNote({ signal, report }) {
  return { signal, report: (sentence) => report(`${sentence} The page keeps trying on its own.`) };
}

/** Return the body of a response, or throw its error. @param {import("../engine/http.js").JsonResponse} answer */
function parseReply({ response, body }) {
  if (response.ok) return body;
  const sentence = String(body?.detail || "");
  if (response.status === 409 && body.id) throw new UnfinishedJobError(sentence, body.id);
  const passes = response.status >= 500 || response.status === 429;
  throw passes ? new NetworkError(sentence) : new UserFacingError(sentence || NO_ANSWER);
}
