// Loading and decoding of a figure's payloads.

import { decode } from "./tensors.js";

/** @typedef {import("./payload").Payload} Payload */
/** @typedef {import("./tensors.js").Tensor} Tensor */
/**
 * Load a figure's payload for these parameters; throws a `UserFacingError` with a sentence for the reader.
 * @typedef {(parameters: Record<string, string>, options: LoadOptions) => Promise<Payload>} LoadPayload
 */
/**
 * @typedef {object} LoadOptions
 * @property {AbortSignal} signal aborted when the response is no longer needed
 * @property {(sentence: string) => void} report receives progress messages
 * @property {boolean} [background] whether the reader has not asked for it explicitly
 */
/**
 * A figure's data, or a message; `isUnanswered` if the server did not respond, so that it is worth trying again.
 * @typedef {{payload?: Payload, tensors?: Record<string, Tensor>, detail: string, isUnanswered?: boolean}} LoadResult
 */

// One correction may require another: the last example of one data set is beyond the end of a smaller one.
const CORRECTIONS = 3;

/** An error whose message is shown to the reader. */
export class UserFacingError extends Error {
  /**
   * @param {string} sentence
   * @param {Record<string, string> | null} [nearest] the nearest valid parameters
   * @param {boolean} [gone] whether something that a parameter names no longer exists
   */
  constructor(sentence, nearest = null, gone = false) {
    super(sentence);
    this.nearest = nearest;
    this.gone = gone;
    /** Whether the server did not respond. */
    this.isUnanswered = false;
  }
}

/** Loads one payload at a time: a newer request aborts the previous one. */
export class LatestRequest {
  /**
   * @param {LoadPayload} load
   * @param {(sentence: string) => void} report
   * @param {boolean} [background]
   */
  constructor(load, report, background = false) {
    this.load = load;
    this.report = report;
    this.background = background;
    /** @type {AbortController | null} */
    this.request = null;
  }

  /**
   * @param {Record<string, string>} parameters
   * @param {boolean} correct whether to use the nearest valid parameters
   * @returns {Promise<LoadResult | null>} null if the request was aborted
   */
  async get(parameters, correct) {
    this.cancel();
    const { signal } = (this.request = new AbortController());
    let answer;
    try {
      answer = await this.fetch(parameters, signal, correct ? CORRECTIONS : 0);
    } catch (error) {
      if (!signal.aborted) answer = { detail: messageFor(error), ...(error instanceof UserFacingError && error.isUnanswered && { isUnanswered: true }) };
    }
    if (signal.aborted || !answer) return null;
    this.report("");
    return answer;
  }

  /** Abort the pending request. */
  cancel() {
    this.request?.abort();
    this.report("");
  }

  /**
   * @param {Record<string, string>} parameters
   * @param {AbortSignal} signal
   * @param {number} corrections
   * @returns {Promise<LoadResult>}
   */
  async fetch(parameters, signal, corrections) {
    const report = (/** @type {string} */ text) => signal.aborted || this.report(text);
    try {
      const payload = await this.load(parameters, { signal, report, background: this.background });
      const tensors = Object.entries(payload.tensors);
      const decoded = tensors.map(async ([name, tensor]) => [name, await decode(tensor)]);
      return { payload, tensors: Object.fromEntries(await Promise.all(decoded)), detail: "" };
    } catch (error) {
      if (!(error instanceof UserFacingError) || !error.nearest || corrections === 0) throw error;
      const answer = await this.fetch(error.nearest, signal, corrections - 1);
      // A corrected number needs no message; a missing file or the reader's own data does.
      return error.gone || differsFrom(answer, parameters) ? { ...answer, detail: error.message } : answer;
    }
  }
}

/**
 * Return whether a response shows other runs, text or reader's data than requested.
 * @param {LoadResult} answer
 * @param {Record<string, string>} requested
 */
function differsFrom({ payload }, requested) {
  const named = (payload?.parameters ?? []).filter((spec) => spec.kind === "job" || spec.kind === "written" || (spec.kind === "pick" && spec.own));
  return named.some(({ name, value }) => name in requested && requested[name] !== value);
}

/** A figure's requests: one for the reader's actions, one in the background. */
export class FigureRequests {
  /**
   * @param {LoadPayload} load
   * @param {(sentence: string) => void} report
   */
  constructor(load, report) {
    this.foreground = new LatestRequest(load, report);
    this.background = new LatestRequest(load, () => {}, true);
    /** Parameters of the pending request. @type {Record<string, string> | null} */
    this.pending = null;
  }

  /**
   * @param {Record<string, string>} shown parameters of the figure on screen
   * @param {Record<string, string>} parameters those that change
   * @param {boolean} correct whether to use the nearest valid parameters
   * @returns {Promise<{requested: Record<string, string>, answer: LoadResult} | null>} null if the request was aborted
   */
  async get(shown, parameters, correct) {
    // On top of the pending ones: two changes in a row both count.
    const requested = (this.pending = { ...shown, ...this.pending, ...parameters });
    this.background.cancel();
    const answer = await this.foreground.get(requested, correct);
    if (!answer) return null;
    this.pending = null;
    return { requested, answer };
  }

  /**
   * Reload the figure on screen, in the background.
   * @param {Record<string, string>} requested
   * @param {(sentence: string) => void} [report]
   */
  refresh(requested, report = () => {}) {
    this.background.report = report;
    return this.background.get(requested, false);
  }

  cancel() {
    this.foreground.cancel();
    this.background.cancel();
  }
}

/** Return the message for an error; unexpected ones are logged. @param {unknown} error */
function messageFor(error) {
  if (error instanceof UserFacingError) return error.message;
  console.error(error);
  return "The figure arrived but can’t be read. Try again in a moment.";
}
