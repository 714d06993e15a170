// Figures of the next slides, fetched ahead, so that a lecture goes on while the network is away.

import { parametersIn } from "../engine/address.js";
import { loadPlotly } from "../engine/chart.js";
import { defaultAssets } from "../engine/figure.js";
import { httpLoader } from "../engine/http.js";
import { Retry } from "../engine/retry.js";
import { NEVER_ABORTED } from "../engine/sleep.js";

/** @typedef {import("../engine/payload.js").Payload} Payload */
/** @typedef {import("../engine/loading.js").LoadPayload} LoadPayload */

/** Slides ahead. */
const AHEAD = 2;
/** Milliseconds after a turn: the current slide's figure comes first. */
const DELAY_MS = 1_500;

/** Loads figures over HTTP, some of them ahead. */
export class Prefetcher {
  /** @param {(source: string) => LoadPayload} [loader] */
  constructor(loader = httpLoader) {
    this.loader = loader;
    /** Payloads that no figure has taken yet, by URL. @type {Map<string, Payload>} */
    this.payloads = new Map();
    /** @type {Set<string>} */
    this.pending = new Set();
    this.timer = 0;
    /** Requests of the next slides. @type {{source: string, parameters: Record<string, string>}[]} */
    this.wanted = [];
    this.retry = new Retry(() => this.fetchAll());
  }

  /** Return the loader of a figure; it takes what has been fetched ahead. @param {string} source @returns {LoadPayload} */
  load(source) {
    const load = this.loader(source);
    return async (parameters, options) => {
      const key = keyOf(source, parameters);
      const ahead = this.payloads.get(key);
      this.payloads.delete(key);
      return ahead ?? load(parameters, options);
    };
  }

  /** Fetch the figures of the next slides a moment later. @param {import("./screens.js").Screens} screens */
  follow(screens) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const next = screens.all.map((_, i) => i).filter((i) => i > screens.at && screens.shown[i]).slice(0, AHEAD);
      this.wanted = next.flatMap((i) => {
        const places = [...screens.all[i].querySelectorAll(".ln-place:empty")];
        return places.flatMap((place) => (place instanceof HTMLElement ? [requestOf(place, screens.searchOf(i))] : []));
      });
      for (const key of this.payloads.keys()) if (!this.wanted.some(({ source, parameters }) => keyOf(source, parameters) === key)) this.payloads.delete(key);
      this.retry.cancel();
      this.fetchAll();
    }, DELAY_MS);
  }

  /** Fetch what is wanted and not there; try again later if the server does not answer. */
  async fetchAll() {
    const missing = this.wanted.filter(({ source, parameters }) => {
      const key = keyOf(source, parameters);
      return !this.payloads.has(key) && !this.pending.has(key);
    });
    if (!missing.length) return;
    const results = await Promise.allSettled([loadPlotly(defaultAssets().plotly), ...missing.map((each) => this.fetch(each))]);
    // Any other refusal is shown by the figure itself, on its slide.
    if (results.some((result) => result.status === "rejected" && result.reason?.isUnanswered !== false)) this.retry.schedule();
  }

  /** @param {{source: string, parameters: Record<string, string>}} request */
  async fetch({ source, parameters }) {
    const key = keyOf(source, parameters);
    this.pending.add(key);
    try {
      this.payloads.set(key, await this.loader(source)(parameters, { signal: NEVER_ABORTED, report: () => {}, background: true }));
    } finally {
      this.pending.delete(key);
    }
  }
}

/**
 * Return the request of a figure that is not mounted yet.
 * @param {HTMLElement} place
 * @param {URLSearchParams} search
 */
function requestOf({ dataset: { source = "", parameters = "" } }, search) {
  return { source, parameters: parametersIn(parameters.split(" ").filter(Boolean), search) };
}

/** @param {string} source @param {Record<string, string>} parameters */
function keyOf(source, parameters) {
  return `${source}?${new URLSearchParams(parameters)}`;
}
