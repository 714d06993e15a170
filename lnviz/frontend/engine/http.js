// HTTP requests with retry and progress: payloads from the server, uploads to it.

import { duration } from "./counts.js";
import { UserFacingError } from "./loading.js";
import { NEVER_ABORTED, sleep } from "./sleep.js";

/** @typedef {{response: Response, body: any}} JsonResponse */

// Most responses arrive within this time; for others, progress is polled.
const PROGRESS_DELAY_MS = 700;
const PROGRESS_INTERVAL_MS = 1000;
/** The least fraction of a computation by which its pace can be told. */
const LEAST_GAINED = 0.05;
const MAX_RETRIES = 20;
/** The server is busy, or this client has reached its rate limit. */
const RETRY_STATUSES = [429, 503];
const RETRY_SECONDS = { least: 1, usual: 5, most: 60 };
export const NO_ANSWER = "The server did not respond. Try again in a moment.";

/** No response, or a server error that may pass. */
export class NetworkError extends UserFacingError {
  /** @param {string} [reason] the server's message */
  constructor(reason = "") {
    super(reason || NO_ANSWER);
    this.reason = reason;
    this.isUnanswered = true;
  }
}

/**
 * Return the loader of a figure whose payloads are at a URL.
 * @param {string} source ends in ".json"
 * @returns {import("./loading.js").LoadPayload}
 */
export function httpLoader(source) {
  return async (parameters, options) => {
    const query = new URLSearchParams(parameters).toString();
    const suffix = query ? `?${query}` : "";
    const progress = source.replace(/json$/, "progress") + suffix;
    const { response, body } = await fetchWithRetry(() => fetchWithProgress(source + suffix, progress, options), options);
    if (response.ok) return body;
    if (response.status >= 500 || RETRY_STATUSES.includes(response.status)) throw new NetworkError(body.detail);
    throw new UserFacingError(body.detail, body.nearest, response.status === 410);
  };
}

/**
 * Return a function that uploads the reader's data to a figure's server.
 * @param {string} source URL of the figure's payload
 * @returns {import("./data_upload.js").UploadFile}
 */
export function httpUploader(source) {
  return async (name, content, array, report) => {
    const address = new URL("../../uploads", new URL(source, location.href));
    address.search = new URLSearchParams(array ? { name, array } : { name }).toString();
    const post = () => fetchJson(address, { method: "POST", body: content });
    const { response, body } = await fetchWithRetry(post, { signal: NEVER_ABORTED, report });
    if (response.ok) return body;
    throw new UserFacingError(body.detail);
  };
}

/**
 * Send a request again as long as the server responds with 429 or 503 and Retry-After; report its reason.
 * @param {() => Promise<JsonResponse>} request
 * @param {import("./loading.js").LoadOptions} options options; aborting the pending request itself is up to the caller
 * @returns {Promise<JsonResponse>} the last response
 */
export async function fetchWithRetry(request, { signal, report }) {
  for (let left = MAX_RETRIES; ; left -= 1) {
    const answer = await request();
    const retryAfter = answer.response.headers.get("Retry-After");
    if (!RETRY_STATUSES.includes(answer.response.status) || !retryAfter || left === 0) return answer;
    signal.throwIfAborted();
    report(answer.body.detail);
    await sleep(retryDelay(retryAfter) * 1000, signal);
  }
}

/**
 * Send one request and parse its JSON. Throws `NetworkError`.
 * @param {string | URL} address
 * @param {RequestInit} [request]
 * @returns {Promise<JsonResponse>}
 */
export async function fetchJson(address, request = {}) {
  try {
    const response = await fetch(address, request);
    return { response, body: await response.json() };
  } catch (error) {
    // No response, or no JSON: the sign-in page of a network, for example.
    throw request.signal?.aborted ? error : new NetworkError();
  }
}

/**
 * Send one request, and poll its progress until the response arrives.
 * @param {string} address
 * @param {string} progress
 * @param {import("./loading.js").LoadOptions} options
 */
async function fetchWithProgress(address, progress, { signal, report, background }) {
  const polling = new AbortController();
  const stop = () => polling.abort();
  signal.addEventListener("abort", stop);
  pollProgress(progress, polling.signal, report).catch(() => {}); // ends with the response at the latest
  try {
    // Lowest urgency of RFC 9218: explicit requests come first.
    return await fetchJson(address, { signal, headers: background ? { Priority: "u=7" } : {} });
  } finally {
    stop();
    signal.removeEventListener("abort", stop);
  }
}

/**
 * Poll the progress of a request until aborted.
 * @param {string} address
 * @param {AbortSignal} signal
 * @param {(sentence: string) => void} report
 */
async function pollProgress(address, signal, report) {
  await sleep(PROGRESS_DELAY_MS, signal);
  const secondsLeft = paceTracker();
  for (;;) {
    const response = await fetch(address, { signal });
    if (response.status === 200) {
      const progress = await response.json();
      report(progressMessage(progress, secondsLeft(progress.done, performance.now())));
    }
    await sleep(PROGRESS_INTERVAL_MS, signal);
  }
}

/**
 * Return a function that estimates the remaining seconds from the pace since the first progress; null while too little
 * is done to tell.
 */
export function paceTracker() {
  /** @type {{done: number, at: number} | null} */
  let first = null;
  return (/** @type {number | null} */ done, /** @type {number} */ at) => {
    if (done === null) return null;
    first ??= { done, at };
    const gained = done - first.done;
    return gained < LEAST_GAINED ? null : ((1 - done) * (at - first.at)) / (1000 * gained);
  };
}

/**
 * Return the message on a progress.
 * @param {{ahead: number, done: number | null}} progress
 * @param {number | null} left remaining seconds
 */
function progressMessage({ ahead, done }, left) {
  if (ahead === 1) return "1 figure is ahead of this one.";
  if (ahead > 1) return `${ahead} figures are ahead of this one.`;
  if (done === null) return "The figure is being computed.";
  const remaining = left === null ? "" : `, ${duration(left)} left`;
  return `The figure is being computed: ${Math.round(done * 100)} percent${remaining}.`;
}

/** Return the wait before the next attempt, within bounds. @param {string} header */
function retryDelay(header) {
  const suggested = Number(header) || RETRY_SECONDS.usual;
  return Math.max(RETRY_SECONDS.least, Math.min(RETRY_SECONDS.most, suggested));
}
