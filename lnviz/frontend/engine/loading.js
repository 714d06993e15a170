// Gets a figure's payloads, and decodes them.

import { decode } from "./tensors.js";

/** @typedef {import("./payload").Payload} Payload */
/** @typedef {import("./tensors.js").Tensor} Tensor */
/**
 * Answers the payload of a figure at these parameters, or throws; a `Refusal` holds a sentence for the reader.
 * @typedef {(parameters: Record<string, string>, how: LoadOptions) => Promise<Payload>} LoadPayload
 */
/**
 * @typedef {object} LoadOptions
 * @property {AbortSignal} signal nobody waits for the answer any more
 * @property {(sentence: string) => void} report how far it is
 * @property {boolean} [background] nobody has asked for it by hand
 */
/** @typedef {{payload?: Payload, tensors?: Record<string, Tensor>, detail: string}} LoadResult */

// One correction may call for another: the last of all cases is more than some data has.
const CORRECTIONS = 3;

/** What is said to the reader in place of a figure. */
export class UserFacingError extends Error {
  /**
   * @param {string} sentence
   * @param {Record<string, string> | null} [nearest] parameters that are allowed
   * @param {boolean} [gone] what a parameter names is there no longer
   */
  constructor(sentence, nearest = null, gone = false) {
    super(sentence);
    this.nearest = nearest;
    this.gone = gone;
  }
}

/** One request at a time: a newer one takes the place of the one before. */
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
   * @param {boolean} correct takes the nearest parameters that are allowed
   * @returns {Promise<LoadResult | null>} null where nobody waits for the answer any more
   */
  async get(parameters, correct) {
    this.cancel();
    const { signal } = (this.request = new AbortController());
    let answer;
    try {
      answer = await this.fetch(parameters, signal, correct ? CORRECTIONS : 0);
    } catch (error) {
      if (!signal.aborted) answer = { detail: messageFor(error) };
    }
    if (signal.aborted || !answer) return null;
    this.report("");
    return answer;
  }

  /** Withdraws what is on its way. */
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
      // A corrected number needs no words; a file that is no longer there, and what a reader has brought, do.
      return error.gone || differsFrom(answer, parameters) ? { ...answer, detail: error.message } : answer;
    }
  }
}

/**
 * Whether an answer shows other runs, another text, or other data of a reader's own than those asked for.
 * @param {LoadResult} answer
 * @param {Record<string, string>} asked
 */
function differsFrom({ payload }, asked) {
  const named = (payload?.parameters ?? []).filter((spec) => spec.kind === "job" || spec.kind === "written" || (spec.kind === "pick" && spec.own));
  return named.some(({ name, value }) => name in asked && asked[name] !== value);
}

/** The requests of a figure: one for what the reader asks for, and one for what comes by itself. */
export class FigureRequests {
  /**
   * @param {LoadPayload} load
   * @param {(sentence: string) => void} report
   */
  constructor(load, report) {
    this.foreground = new LatestRequest(load, report);
    this.background = new LatestRequest(load, () => {}, true);
    /** Parameters that are on their way. @type {Record<string, string> | null} */
    this.pending = null;
  }

  /**
   * @param {Record<string, string>} shown the parameters of what is on screen
   * @param {Record<string, string>} parameters those that change
   * @param {boolean} correct takes the nearest parameters that are allowed
   * @returns {Promise<{wanted: Record<string, string>, answer: LoadResult} | null>} null where nobody waits any more
   */
  async get(shown, parameters, correct) {
    // On top of what is on its way: two changes in a row are both meant.
    const wanted = (this.pending = { ...shown, ...this.pending, ...parameters });
    this.background.cancel();
    const answer = await this.foreground.get(wanted, correct);
    if (!answer) return null;
    this.pending = null;
    return { wanted, answer };
  }

  /**
   * What is on screen, anew or with more in it.
   * @param {Record<string, string>} wanted
   * @param {(sentence: string) => void} [report]
   */
  refresh(wanted, report = () => {}) {
    this.background.report = report;
    return this.background.get(wanted, false);
  }

  cancel() {
    this.foreground.cancel();
    this.background.cancel();
  }
}

/** @param {unknown} error */
function messageFor(error) {
  if (error instanceof UserFacingError) return error.message;
  console.error(error);
  return "The figure has come, but cannot be read. Try again in a moment.";
}
