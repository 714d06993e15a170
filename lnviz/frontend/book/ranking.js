// Which sections answer a question: those that hold its rare words, in the heading above all.

import { isNear, wordsOf } from "./words.js";

/**
 * What stands below one heading.
 * @typedef {object} Section
 * @property {string} page the title of its page
 * @property {string} heading empty for what stands above the first
 * @property {string} address
 * @property {string} text
 * @property {number} weight how much it is worth beside others: what explains, more than a list
 * @property {string[]} [rows] what its tables have a row for, and what its page's address says
 */
/** @typedef {{section: Section, words: Map<string, number>}} Weighed how much each word says of it */
/** @typedef {{sections: Section[], all: boolean}} Found the best first, and whether the first holds all words */

export const MOST = 8;
/** How much a word says in a heading or at the head of a row, in the title of the page and in the text. */
const WEIGHTS = { heading: 4, page: 2, text: 1 };
/** How soon more of the same word says no more, and how much the length of a text takes away (BM25: Robertson and Zaragoza 2009). */
const ENOUGH = 1.2;
const LENGTH = 0.6;
/** Words of a heading that say something, as they usually are. */
const USUAL = 3;
/** What a word is worth that is spelled otherwise. */
const NEAR = 0.5;
/** From so many letters on a word may be misspelled. */
const LONG = 5;

/** The sections of the book, weighed once for all that is asked. */
export class Ranking {
  /** @param {Section[]} sections */
  constructor(sections) {
    const texts = sections.map(({ text }) => wordsOf(text));
    const usual = texts.reduce((sum, words) => sum + words.length, 0) / Math.max(1, sections.length);
    /** @type {Weighed[]} */
    this.weighed = sections.map((section, i) => {
      /** @type {Map<string, number>} */
      const words = new Map();
      const add = (/** @type {string[]} */ found, /** @type {number} */ weight) => {
        for (const word of found) words.set(word, (words.get(word) ?? 0) + weight);
      };
      add(texts[i], WEIGHTS.text / (1 - LENGTH + (LENGTH * texts[i].length) / usual));
      // What stands above the first heading is what its page is about.
      for (const name of [section.heading || section.page, ...(section.rows ?? [])]) {
        const heading = wordsOf(name);
        add(heading, WEIGHTS.heading / (1 - LENGTH + (LENGTH * heading.length) / USUAL));
      }
      if (section.heading) add(wordsOf(section.page), WEIGHTS.page);
      return { section, words };
    });
    /** In how many sections a word stands. @type {Map<string, number>} */
    this.counts = new Map();
    for (const { words } of this.weighed) for (const word of words.keys()) this.counts.set(word, (this.counts.get(word) ?? 0) + 1);
  }

  /**
   * The sections that answer a question.
   * @param {string} question
   * @returns {Found}
   */
  best(question) {
    const asked = [...new Set(wordsOf(question))];
    // The last word may not be all there yet.
    const isOpen = /[\p{L}\p{N}]$/u.test(question);
    const meant = asked.map((word, i) => this.meant(word, isOpen && i === asked.length - 1));
    const rated = this.weighed.map(({ section, words }) => {
      const shares = meant.map((forms) => Math.max(0, ...forms.map(({ word, worth }) => worth * this.share(words.get(word) ?? 0) * this.rarity(word))));
      const held = shares.filter((share) => share > 0).length;
      const sum = shares.reduce((total, share) => total + share, 0);
      return { section, held, rate: ((sum * held) / Math.max(1, asked.length)) * section.weight };
    });
    const found = rated.filter(({ rate }) => rate > 0).sort((one, other) => other.rate - one.rate).slice(0, MOST);
    return { sections: found.map(({ section }) => section), all: found.length > 0 && found[0].held === asked.length };
  }

  /**
   * The words of the book that a word stands for.
   * @param {string} word
   * @param {boolean} isOpen
   */
  meant(word, isOpen) {
    const all = [...this.counts.keys()];
    const there = this.counts.has(word) ? [{ word, worth: 1 }] : [];
    const longer = isOpen || !there.length ? all.filter((each) => each !== word && each.startsWith(word)) : [];
    if (there.length || longer.length) return [...there, ...longer.map((each) => ({ word: each, worth: NEAR }))];
    const near = word.length < LONG ? [] : all.filter((each) => isNear(each, word));
    return near.map((each) => ({ word: each, worth: NEAR }));
  }

  /** How much of a word is as good as very much of it. @param {number} weight */
  share(weight) {
    return (weight * (ENOUGH + 1)) / (weight + ENOUGH);
  }

  /** How much a word tells sections apart. @param {string} word */
  rarity(word) {
    const count = this.counts.get(word) ?? 0;
    return Math.log(1 + (this.weighed.length - count + 0.5) / (count + 0.5));
  }
}
