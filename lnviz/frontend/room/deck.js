// Slides of a lesson as JSON documents, each fetched once when it is needed.

import { request } from "./requests.js";

/**
 * @typedef {object} Question
 * @property {"choice" | "number" | "setting"} kind
 * @property {string} text HTML, as are labels, reason and unit
 * @property {string[]} labels
 * @property {number | null} right
 * @property {string} why
 * @property {string} [unit]
 * @property {number} [value] the right number
 * @property {number} [tolerance] of the right number
 */
/** @typedef {{text: string, conditions: import("./results.js").Conditions}} Goal */
/** @typedef {{name: string, source: string, parameters: string[], goal: Goal | null}} FigureSpec */
/**
 * Cache of slides.
 * @typedef {object} Screen
 * @property {string} lesson
 * @property {string} title of the lesson
 * @property {number} place counted from 1
 * @property {number} count
 * @property {string} name
 * @property {string} called title in lists, as plain text
 * @property {string} heading HTML
 * @property {string} html
 * @property {Question | null} asked
 * @property {FigureSpec | null} figure
 */

export class Deck {
  /** @param {string} base URL of the app, without a trailing slash */
  constructor(base) {
    this.base = base;
    /** @type {Map<string, Screen>} */
    this.screens = new Map();
    /** Titles and slides of plans, by the plan's name. @type {Map<string, {title: string, screens: import("./slide_position.js").Stop[]}>} */
    this.plans = new Map();
    /** Requests in progress, shared by concurrent callers. @type {Map<string, Promise<Screen | null>>} */
    this.pending = new Map();
    /** The same for plans. @type {Map<string, Promise<void>>} */
    this.pendingPlans = new Map();
  }

  /**
   * Return a loaded slide, or null.
   * @param {string} lesson
   * @param {string | number} screen its name or number
   */
  cached(lesson, screen) {
    return this.screens.get(`${lesson} ${screen}`) ?? null;
  }

  /**
   * Load a slide, unless it is loaded.
   * @param {string} lesson
   * @param {string | number} screen
   * @returns {Promise<Screen | null>} null on failure
   */
  async get(lesson, screen) {
    const existing = this.cached(lesson, screen);
    if (existing) return existing;
    const key = `${lesson} ${screen}`;
    const pending = this.pending.get(key) ?? this.fetch(lesson, screen).finally(() => this.pending.delete(key));
    this.pending.set(key, pending);
    return pending;
  }

  /** Return a loaded plan's slides; none if it is not loaded. @param {string} name */
  cachedPlan(name) {
    return this.plans.get(name)?.screens ?? [];
  }

  /** Load a plan's slides, unless they are loaded. @param {string} name @returns {Promise<import("./slide_position.js").Stop[]>} none on failure */
  async getPlan(name) {
    if (!this.plans.has(name)) {
      const pending = this.pendingPlans.get(name) ?? this.fetchPlan(name).finally(() => this.pendingPlans.delete(name));
      this.pendingPlans.set(name, pending);
      await pending;
    }
    return this.cachedPlan(name);
  }

  /** Fetch a plan's slides; a plan that the server does not have has none. @param {string} name */
  async fetchPlan(name) {
    const { status, body } = await request(`${this.base}/present/plans/${encodeURIComponent(name)}.json`);
    if (status === 200) this.plans.set(name, body);
    else if (status === 404) this.plans.set(name, { title: "", screens: [] });
  }

  /**
   * @param {string} lesson
   * @param {string | number} screen
   * @returns {Promise<Screen | null>}
   */
  async fetch(lesson, screen) {
    const { status, body } = await request(`${this.base}/present/${lesson}/screens/${screen}.json`);
    if (status !== 200) return null;
    for (const name of [screen, body.name, body.place]) this.screens.set(`${lesson} ${name}`, body);
    return body;
  }
}

/**
 * Parse a lesson's HTML. It never contains visitors' text, and scripts in it do not run.
 * @param {string} html
 */
export function parseHtml(html) {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  removeLinks(body);
  return [...body.childNodes].map((node) => document.adoptNode(node));
}

/** Replace links by their texts: a tap on one would leave the room. @param {Element} root */
export function removeLinks(root) {
  for (const link of root.querySelectorAll("a")) link.replaceWith(...link.childNodes);
}
