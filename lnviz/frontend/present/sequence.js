// Which slides are included, and moving between them, as stored in the URL.

/**
 * @typedef {object} Entry
 * @property {string} name
 * @property {string} part the optional section it belongs to; "" for none
 */

const WITH = "with";
const WITHOUT = "without";

/** Parse a comma-separated query parameter. @param {URLSearchParams} search @param {string} key */
function listParameter(search, key) {
  return new Set((search.get(key) ?? "").split(",").filter(Boolean));
}

/**
 * Return whether each slide is included: by default all but optional sections.
 * @param {Entry[]} entries
 * @param {URLSearchParams} search
 * @returns {boolean[]}
 */
export function includedScreens(entries, search) {
  const [included, skipped] = [listParameter(search, WITH), listParameter(search, WITHOUT)];
  return entries.map(({ name, part }) => (part ? included.has(name) : !skipped.has(name)));
}

/**
 * Write the differences from the default to the query.
 * @param {Entry[]} entries
 * @param {boolean[]} shown
 * @param {URLSearchParams} search
 */
export function writeSequence(entries, shown, search) {
  const names = (/** @type {boolean} */ isOptional, /** @type {boolean} */ isShown) =>
    entries.filter(({ part }, i) => Boolean(part) === isOptional && shown[i] === isShown).map(({ name }) => name).join(",");
  for (const [key, text] of [[WITH, names(true, true)], [WITHOUT, names(false, false)]]) {
    if (text) search.set(key, text);
    else search.delete(key);
  }
}

/**
 * Return the index of a slide by name or number; the nearest one otherwise.
 * @param {string | null} requested a name, or a number counted from 1
 * @param {Entry[]} entries
 * @returns {number} counted from 0
 */
export function indexOfScreen(requested, entries) {
  const index = entries.findIndex(({ name }) => name === requested);
  if (index >= 0) return index;
  const number = Number(requested ?? 1);
  const at = Number.isNaN(number) ? 0 : Math.round(number) - 1;
  return Math.max(0, Math.min(entries.length - 1, at));
}

/**
 * Return the index after moving by a number of included slides.
 * @param {number} at
 * @param {number} by
 * @param {boolean[]} shown
 * @returns {number} the same index if there is none
 */
export function turnedIndex(at, by, shown) {
  const step = Math.sign(by);
  let [index, skipped] = [at, Math.abs(by)];
  for (let next = at + step; skipped > 0 && next >= 0 && next < shown.length; next += step) {
    if (!shown[next]) continue;
    index = next;
    skipped -= 1;
  }
  return index;
}
