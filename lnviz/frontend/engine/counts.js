// Counts and durations in words.

import { formatNumber } from "./numbers.js";

/**
 * Return a count with its noun.
 * @param {number} count
 * @param {string} what
 */
export function pluralize(count, what) {
  return `${formatNumber(count, "0")} ${what}${count === 1 ? "" : "s"}`;
}

/** Return an approximate duration. The last seconds are not counted: the pace does not tell them. @param {number} seconds */
export function duration(seconds) {
  if (seconds < 10) return "a few seconds";
  if (seconds < 60) return `about ${pluralize(5 * Math.round(seconds / 5), "second")}`;
  if (seconds < 5400) return `about ${pluralize(Math.round(seconds / 60), "minute")}`;
  return `about ${pluralize(Math.round(seconds / 3600), "hour")}`;
}
