// Which screens of a deck are shown, and in which order: what the address leaves out or asks for.

/**
 * @typedef {object} Entry
 * @property {string} name
 * @property {string} part the part for some that it is in; "" for none
 */

const WITH = "with";
const WITHOUT = "without";

/** @param {URLSearchParams} search @param {string} key */
function listParameter(search, key) {
  return new Set((search.get(key) ?? "").split(",").filter(Boolean));
}

/**
 * Whether each screen is shown: all but the parts for some, unless the address says otherwise.
 * @param {Entry[]} entries
 * @param {URLSearchParams} search
 * @returns {boolean[]}
 */
export function includedScreens(entries, search) {
  const [wanted, left] = [listParameter(search, WITH), listParameter(search, WITHOUT)];
  return entries.map(({ name, part }) => (part ? wanted.has(name) : !left.has(name)));
}

/**
 * Has the address say which screens are shown.
 * @param {Entry[]} entries
 * @param {boolean[]} shown
 * @param {URLSearchParams} search
 */
export function writeSequence(entries, shown, search) {
  const names = (/** @type {boolean} */ some, /** @type {boolean} */ is) =>
    entries.filter(({ part }, i) => Boolean(part) === some && shown[i] === is).map(({ name }) => name).join(",");
  for (const [key, text] of [[WITH, names(true, true)], [WITHOUT, names(false, false)]]) {
    if (text) search.set(key, text);
    else search.delete(key);
  }
}

/**
 * The place of the screen that an address names, or of the nearest there is.
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
 * Where a turn leads: screens that are left out are passed over.
 * @param {number} at
 * @param {number} by
 * @param {boolean[]} shown
 * @returns {number} the same place where there is none
 */
export function turnedIndex(at, by, shown) {
  const step = Math.sign(by);
  let [index, left] = [at, Math.abs(by)];
  for (let next = at + step; left > 0 && next >= 0 && next < shown.length; next += step) {
    if (!shown[next]) continue;
    index = next;
    left -= 1;
  }
  return index;
}
