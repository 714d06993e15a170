// Which sections answer a question: those that hold its rare words, in the heading above all.

import { isWithinOneEdit, tokenize } from "./tokenizer.js";

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
/** @typedef {{section: Section, words: Map<string, number>}} IndexedSection how much each word says of it */
/** @typedef {{sections: Section[], all: boolean}} SearchResult the best first, and whether the first holds all words */

export const MAX_RESULTS = 8;
/** How much a word says in a heading or at the head of a row, in the title of the page and in the text. */
const WEIGHTS = { heading: 4, page: 2, text: 1 };
/** How soon more of the same word says no more, and how much the length of a text takes away (BM25: Robertson and Zaragoza 2009). */
const K1 = 1.2;
const B = 0.6;
/** Words of a heading that say something, as they usually are. */
const TYPICAL_HEADING = 3;
/** What a word is worth that is spelled otherwise. */
const FUZZY_WEIGHT = 0.5;
/** From so many letters on a word may be misspelled. */
const FUZZY_MIN_LENGTH = 5;

/** The sections of the book, weighed once for all that is asked. */
export class Ranking {
  /** @param {Section[]} sections */
  constructor(sections) {
    const texts = sections.map(({ text }) => tokenize(text));
    const averageLength = texts.reduce((sum, words) => sum + words.length, 0) / Math.max(1, sections.length);
    /** @type {IndexedSection[]} */
    this.index = sections.map((section, i) => {
      /** @type {Map<string, number>} */
      const words = new Map();
      const add = (/** @type {string[]} */ found, /** @type {number} */ weight) => {
        for (const word of found) words.set(word, (words.get(word) ?? 0) + weight);
      };
      add(texts[i], WEIGHTS.text / (1 - B + (B * texts[i].length) / averageLength));
      // What stands above the first heading is what its page is about.
      for (const name of [section.heading || section.page, ...(section.rows ?? [])]) {
        const heading = tokenize(name);
        add(heading, WEIGHTS.heading / (1 - B + (B * heading.length) / TYPICAL_HEADING));
      }
      if (section.heading) add(tokenize(section.page), WEIGHTS.page);
      return { section, words };
    });
    /** In how many sections a word stands. @type {Map<string, number>} */
    this.documentFrequency = new Map();
    for (const { words } of this.index) for (const word of words.keys()) this.documentFrequency.set(word, (this.documentFrequency.get(word) ?? 0) + 1);
  }

  /**
   * The sections that answer a question.
   * @param {string} question
   * @returns {SearchResult}
   */
  search(question) {
    const terms = [...new Set(tokenize(question))];
    // The last word may not be all there yet.
    const isOpen = /[\p{L}\p{N}]$/u.test(question);
    const expanded = terms.map((word, i) => this.expandTerm(word, isOpen && i === terms.length - 1));
    const scored = this.index.map(({ section, words }) => {
      const shares = expanded.map((forms) => Math.max(0, ...forms.map(({ word, boost }) => boost * this.saturation(words.get(word) ?? 0) * this.idf(word))));
      const matched = shares.filter((share) => share > 0).length;
      const sum = shares.reduce((total, share) => total + share, 0);
      return { section, matched, score: ((sum * matched) / Math.max(1, terms.length)) * section.weight };
    });
    const found = scored.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score).slice(0, MAX_RESULTS);
    return { sections: found.map(({ section }) => section), all: found.length > 0 && found[0].matched === terms.length };
  }

  /**
   * The words of the book that a word stands for.
   * @param {string} word
   * @param {boolean} isOpen
   */
  expandTerm(word, isOpen) {
    const all = [...this.documentFrequency.keys()];
    const there = this.documentFrequency.has(word) ? [{ word, boost: 1 }] : [];
    const longer = isOpen || !there.length ? all.filter((each) => each !== word && each.startsWith(word)) : [];
    if (there.length || longer.length) return [...there, ...longer.map((each) => ({ word: each, boost: FUZZY_WEIGHT }))];
    const near = word.length < FUZZY_MIN_LENGTH ? [] : all.filter((each) => isWithinOneEdit(each, word));
    return near.map((each) => ({ word: each, boost: FUZZY_WEIGHT }));
  }

  /** How much of a word is as good as very much of it. @param {number} weight */
  saturation(weight) {
    return (weight * (K1 + 1)) / (weight + K1);
  }

  /** How much a word tells sections apart. @param {string} word */
  idf(word) {
    const count = this.documentFrequency.get(word) ?? 0;
    return Math.log(1 + (this.index.length - count + 0.5) / (count + 0.5));
  }
}
