// Counts and times in words.

/**
 * @param {number} number
 * @param {string} what
 */
export function many(number, what) {
  return `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
}

/** A time that is known about. @param {number} seconds */
export function duration(seconds) {
  if (seconds < 10) return many(Math.max(1, Math.round(seconds)), "second");
  if (seconds < 60) return many(5 * Math.round(seconds / 5), "second");
  if (seconds < 5400) return many(Math.round(seconds / 60), "minute");
  return many(Math.round(seconds / 3600), "hour");
}
