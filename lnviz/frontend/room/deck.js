// Screens of a lesson, as documents: each is fetched once, when it is shown.

import { request } from "./requests.js";

/**
 * @typedef {object} Question
 * @property {"choice" | "number" | "setting"} kind
 * @property {string} text HTML, as are the labels, the reason and the unit
 * @property {string[]} labels
 * @property {number | null} right
 * @property {string} why
 * @property {string} [unit]
 * @property {number} [value] the right number
 * @property {number} [tolerance] how far from it an answer may be
 */
/** @typedef {{text: string, conditions: import("./results.js").Conditions}} Goal */
/** @typedef {{name: string, source: string, parameters: string[], goal: Goal | null}} FigureSpec */
/**
 * @typedef {object} Screen
 * @property {string} lesson
 * @property {string} title of the lesson
 * @property {number} place counted from 1
 * @property {number} count
 * @property {string} name
 * @property {string} called in lists, as plain text
 * @property {string} heading HTML
 * @property {string} html
 * @property {Question | null} asked
 * @property {FigureSpec | null} figure
 */

export class Deck {
  /** @param {string} base the address of the app, without a slash at its end */
  constructor(base) {
    this.base = base;
    /** @type {Map<string, Screen>} */
    this.screens = new Map();
    /** Those that are on their way: whoever asks for one again waits for the same. @type {Map<string, Promise<Screen | null>>} */
    this.pending = new Map();
  }

  /**
   * A screen that has come; null for one that has not.
   * @param {string} lesson
   * @param {string | number} screen its name or its place
   */
  cached(lesson, screen) {
    return this.screens.get(`${lesson} ${screen}`) ?? null;
  }

  /**
   * Fetches a screen, unless it is there.
   * @param {string} lesson
   * @param {string | number} screen
   * @returns {Promise<Screen | null>} null where it could not be had
   */
  async get(lesson, screen) {
    const there = this.cached(lesson, screen);
    if (there) return there;
    const key = `${lesson} ${screen}`;
    const coming = this.pending.get(key) ?? this.fetch(lesson, screen).finally(() => this.pending.delete(key));
    this.pending.set(key, coming);
    return coming;
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
 * HTML of a lesson as nodes. Nothing that a visitor brings comes here, and no script in it would run.
 * @param {string} html
 */
export function parseHtml(html) {
  return [...new DOMParser().parseFromString(html, "text/html").body.childNodes].map((node) => document.adoptNode(node));
}
