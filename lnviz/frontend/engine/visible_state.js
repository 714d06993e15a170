// Where the figures of this page stand, for what waits until one of them shows something.

/** @typedef {Record<string, string>} Values by the names of the address, what is at rest included */

/** @type {Map<string, Values>} */
const visible = new Map();

/** @type {Set<() => void>} */
const waiting = new Set();

/**
 * Says where a figure stands.
 * @param {string} figure its anchor
 * @param {Values} values
 */
export function publishState(figure, values) {
  visible.set(figure, values);
  for (const check of [...waiting]) check();
}

/** Says that a figure is gone. @param {string} figure its anchor */
export function removeState(figure) {
  visible.delete(figure);
}

/**
 * Asks whether that is it, now and whenever a figure has moved, until it is.
 * @param {string} figure its anchor
 * @param {(values: Values) => boolean} done
 */
export function waitForState(figure, done) {
  const check = () => {
    const values = visible.get(figure);
    if (values && done(values)) waiting.delete(check);
  };
  waiting.add(check);
  check();
}
