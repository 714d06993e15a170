// Payloads over HTTP, from the server that computes them.

import { Refusal } from "./loading.js";
import { pause } from "./pause.js";

// An answer that is ready comes sooner than this; of others the reader wants to know how far they are.
const PATIENCE_MS = 700;
const PROGRESS_MS = 1000;
const TRIES = 20;
/** The server is busy, or this visitor asks for much at once. */
const LATER = [429, 503];
const SECONDS = { least: 1, usual: 5, most: 60 };
/** Aborts nothing. */
const NEVER = new AbortController().signal;
export const SILENCE = "The server did not answer. Try again in a moment.";

/**
 * The loader of a figure whose payloads are at an address.
 * @param {string} source ends in ".json"
 * @returns {import("./loading.js").Load}
 */
export function overHttp(source) {
  return async (parameters, how) => {
    const query = new URLSearchParams(parameters).toString();
    const suffix = query ? `?${query}` : "";
    for (let left = TRIES; ; left -= 1) {
      const { response, body } = await ask(source + suffix, source.replace(/json$/, "progress") + suffix, how);
      if (response.ok) return body;
      if (!LATER.includes(response.status) || left === 0) throw new Refusal(body.detail, body.nearest, response.status === 410);
      how.report(body.detail);
      await pause(seconds(response.headers.get("Retry-After")) * 1000, how.signal);
    }
  };
}

/**
 * Sends a reader's numbers to the server of a figure.
 * @param {string} source of the figure
 * @returns {import("./own.js").Send}
 */
export function sendOverHttp(source) {
  return async (name, content, array, report) => {
    const address = new URL("../../uploads", new URL(source, location.href));
    address.search = new URLSearchParams(array ? { name, array } : { name }).toString();
    for (let left = TRIES; ; left -= 1) {
      let response, body;
      try {
        response = await fetch(address, { method: "POST", body: content });
        body = await response.json();
      } catch {
        throw new Refusal(SILENCE);
      }
      if (response.ok) return body;
      const later = response.headers.get("Retry-After");
      if (!LATER.includes(response.status) || !later || left === 0) throw new Refusal(body.detail);
      report(body.detail);
      await pause(seconds(later) * 1000, NEVER);
    }
  };
}

/**
 * One request. While it is not answered, the reader hears how far it is.
 * @param {string} address
 * @param {string} progress
 * @param {import("./loading.js").How} how
 */
async function ask(address, progress, { signal, report }) {
  const waiting = new AbortController();
  const stop = () => waiting.abort();
  signal.addEventListener("abort", stop);
  watch(progress, waiting.signal, report).catch(() => {}); // at the latest when nobody waits any more
  try {
    const response = await fetch(address, { signal });
    return { response, body: await response.json() };
  } catch (error) {
    // No answer, or one that somebody else gave: the sign-in page of a network, say.
    throw signal.aborted ? error : new Refusal(SILENCE);
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

/** How long a busy server wants to be left alone. @param {string | null} header */
function seconds(header) {
  const asked = Number(header ?? NaN) || SECONDS.usual;
  return Math.max(SECONDS.least, Math.min(SECONDS.most, asked));
}
