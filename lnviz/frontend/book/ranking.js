// Ranking of sections for a search query by BM25, with weights for headings.

import { isWithinOneEdit, tokenize } from "./tokenizer.js";

/**
 * The text below one heading.
 * @typedef {object} Section
 * @property {string} page title of its page
 * @property {string} heading empty for text above the first one
 * @property {string} address
 * @property {string} text
 * @property {number} weight factor of its score: explanations count more than lists
 * @property {string[]} [rows] row headings of its tables, and query terms of its page
 */
/** @typedef {{section: Section, words: Map<string, number>, heading: Set<string>}} IndexedSection weights of the terms */
/**
 * @typedef {{sections: Section[], all: boolean}} SearchResult best first; `all` is whether the first contains all terms
 */

export const MAX_RESULTS = 8;
/** Weights of terms in headings and row headings, page titles, and text. */
const WEIGHTS = { heading: 4, page: 2, text: 1 };
/** Term saturation and length normalization of BM25 (Robertson and Zaragoza 2009). */
const K1 = 1.2;
const B = 0.6;
/** Typical number of terms in a heading. */
const TYPICAL_HEADING = 3;
/** Factor of a section whose heading has the terms of the query, and no others. */
const EXACT_HEADING = 2;
/** Weight of an inexact match. */
const FUZZY_WEIGHT = 0.5;
/** Minimum length of a term for fuzzy matching. */
const FUZZY_MIN_LENGTH = 5;

/** The index of all sections. */
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
      // Text above the first heading describes its page.
      for (const name of [section.heading || section.page, ...(section.rows ?? [])]) {
        const heading = tokenize(name);
        add(heading, WEIGHTS.heading / (1 - B + (B * heading.length) / TYPICAL_HEADING));
      }
      if (section.heading) add(tokenize(section.page), WEIGHTS.page);
      return { section, words, heading: new Set(tokenize(section.heading)) };
    });
    /** Number of sections that contain a term. @type {Map<string, number>} */
    this.documentFrequency = new Map();
    for (const { words } of this.index) for (const word of words.keys()) this.documentFrequency.set(word, (this.documentFrequency.get(word) ?? 0) + 1);
  }

  /**
   * Return the sections that answer a query.
   * @param {string} question
   * @returns {SearchResult}
   */
  search(question) {
    const terms = [...new Set(tokenize(question))];
    // The last term may be incomplete.
    const isOpen = /[\p{L}\p{N}]$/u.test(question);
    const expanded = terms.map((word, i) => this.expandTerm(word, isOpen && i === terms.length - 1));
    const scored = this.index.map(({ section, words, heading }) => {
      const shares = expanded.map((forms) => Math.max(0, ...forms.map(({ word, boost }) => boost * this.saturation(words.get(word) ?? 0) * this.idf(word))));
      const matched = shares.filter((share) => share > 0).length;
      const sum = shares.reduce((total, share) => total + share, 0);
      const isExact = heading.size === terms.length && terms.every((term) => heading.has(term));
      return { section, matched, score: ((sum * matched) / Math.max(1, terms.length)) * section.weight * (isExact ? EXACT_HEADING : 1) };
    });
    const found = scored.filter(({ score }) => score > 0).sort((one, other) => other.score - one.score).slice(0, MAX_RESULTS);
    return { sections: found.map(({ section }) => section), all: found.length > 0 && found[0].matched === terms.length };
  }

  /**
   * Return the indexed terms that match a query term.
   * @param {string} word
   * @param {boolean} isOpen
   */
  expandTerm(word, isOpen) {
    const all = [...this.documentFrequency.keys()];
    const exact = this.documentFrequency.has(word) ? [{ word, boost: 1 }] : [];
    const longer = isOpen || !exact.length ? all.filter((each) => each !== word && each.startsWith(word)) : [];
    if (exact.length || longer.length) return [...exact, ...longer.map((each) => ({ word: each, boost: FUZZY_WEIGHT }))];
    const near = word.length < FUZZY_MIN_LENGTH ? [] : all.filter((each) => isWithinOneEdit(each, word));
    return near.map((each) => ({ word: each, boost: FUZZY_WEIGHT }));
  }

  /** Return the saturated weight of a term. @param {number} weight */
  saturation(weight) {
    return (weight * (K1 + 1)) / (weight + K1);
  }

  /** Return the inverse document frequency of a term. @param {string} word */
  idf(word) {
    const count = this.documentFrequency.get(word) ?? 0;
    return Math.log(1 + (this.index.length - count + 0.5) / (count + 0.5));
  }
}
