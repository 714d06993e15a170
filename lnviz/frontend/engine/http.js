// Requests to the server: payloads from the one that computes them, and a reader's numbers to it.

import { Refusal } from "./loading.js";
import { ALWAYS, pause } from "./sleep.js";

/** @typedef {{response: Response, body: any}} Answer */

// An answer that is ready comes sooner than this; of others the reader wants to know how far they are.
const PATIENCE_MS = 700;
const PROGRESS_MS = 1000;
const TRIES = 20;
/** The server is busy, or this visitor asks for much at once. */
const LATER = [429, 503];
const SECONDS = { least: 1, usual: 5, most: 60 };
export const SILENCE = "The server did not answer. Try again in a moment.";

/** Nobody has answered, or somebody who cannot tell now. */
export class Silence extends Refusal {
  /** @param {string} [reason] what was answered */
  constructor(reason = "") {
    super(reason || SILENCE);
    this.reason = reason;
  }
}

/**
 * The loader of a figure whose payloads are at an address.
 * @param {string} source ends in ".json"
 * @returns {import("./loading.js").Load}
 */
export function overHttp(source) {
  return async (parameters, how) => {
    const query = new URLSearchParams(parameters).toString();
    const suffix = query ? `?${query}` : "";
    const progress = source.replace(/json$/, "progress") + suffix;
    const { response, body } = await again(() => followed(source + suffix, progress, how), how);
    if (response.ok) return body;
    throw new Refusal(body.detail, body.nearest, response.status === 410);
  };
}

/**
 * Sends a reader's numbers to the server of a figure.
 * @param {string} source of the figure
 * @returns {import("./data_upload.js").Send}
 */
export function sendOverHttp(source) {
  return async (name, content, array, report) => {
    const address = new URL("../../uploads", new URL(source, location.href));
    address.search = new URLSearchParams(array ? { name, array } : { name }).toString();
    const post = () => ask(address, { method: "POST", body: content });
    const { response, body } = await again(post, { signal: ALWAYS, report });
    if (response.ok) return body;
    throw new Refusal(body.detail);
  };
}

/**
 * Asks again when the server wants to be asked, while it says when; the reader hears why.
 * @param {() => Promise<Answer>} request
 * @param {import("./loading.js").How} how a request on its way is the caller's to withdraw
 * @returns {Promise<Answer>} the last one
 */
export async function again(request, { signal, report }) {
  for (let left = TRIES; ; left -= 1) {
    const answer = await request();
    const later = answer.response.headers.get("Retry-After");
    if (!LATER.includes(answer.response.status) || !later || left === 0) return answer;
    signal.throwIfAborted();
    report(answer.body.detail);
    await pause(seconds(later) * 1000, signal);
  }
}

/**
 * One request. Throws `Silence`.
 * @param {string | URL} address
 * @param {RequestInit} [request]
 * @returns {Promise<Answer>}
 */
export async function ask(address, request = {}) {
  try {
    const response = await fetch(address, request);
    return { response, body: await response.json() };
  } catch (error) {
    // No answer, or one that somebody else gave: the sign-in page of a network, say.
    throw request.signal?.aborted ? error : new Silence();
  }
}

/**
 * One request. While it is not answered, the reader hears how far it is.
 * @param {string} address
 * @param {string} progress
 * @param {import("./loading.js").How} how
 */
async function followed(address, progress, { signal, report, background }) {
  const waiting = new AbortController();
  const stop = () => waiting.abort();
  signal.addEventListener("abort", stop);
  watch(progress, waiting.signal, report).catch(() => {}); // at the latest when nobody waits any more
  try {
    // The lowest urgency of RFC 9218: what others have asked for comes first.
    return await ask(address, { signal, headers: background ? { Priority: "u=7" } : {} });
  } finally {
    stop();
    signal.removeEventListener("abort", stop);
  }
}

/**
 * @param {string} address
 * @param {AbortSignal} signal
 * @param {(sentence: string) => void} report
 */
async function watch(address, signal, report) {
  await pause(PATIENCE_MS, signal);
  for (;;) {
    const response = await fetch(address, { signal });
    if (response.status === 200) report(words(await response.json()));
    await pause(PROGRESS_MS, signal);
  }
}

/** @param {{ahead: number, done: number | null}} progress */
function words({ ahead, done }) {
  if (ahead === 1) return "1 figure is computed before this one.";
  if (ahead > 1) return `${ahead} figures are computed before this one.`;
  if (done === null) return "The figure is being computed.";
  return `The figure is being computed: ${Math.round(done * 100)} percent.`;
}

/** How long a busy server wants to be left alone. @param {string} header */
function seconds(header) {
  const asked = Number(header) || SECONDS.usual;
  return Math.max(SECONDS.least, Math.min(SECONDS.most, asked));
}
