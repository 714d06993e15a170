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

/** Return an approximate duration. @param {number} seconds */
export function duration(seconds) {
  if (seconds < 10) return pluralize(Math.max(1, Math.round(seconds)), "second");
  if (seconds < 60) return pluralize(5 * Math.round(seconds / 5), "second");
  if (seconds < 5400) return pluralize(Math.round(seconds / 60), "minute");
  return pluralize(Math.round(seconds / 3600), "hour");
}
