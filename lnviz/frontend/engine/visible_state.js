// Where the figures of this page stand, for what waits until one of them shows something.

/** @typedef {Record<string, string>} Values by the names of the address, what is at rest included */

/** @type {Map<string, Values>} */
const shown = new Map();

/** @type {Set<() => void>} */
const waiting = new Set();

/**
 * Says where a figure stands.
 * @param {string} figure its anchor
 * @param {Values} values
 */
export function show(figure, values) {
  shown.set(figure, values);
  for (const look of [...waiting]) look();
}

/** Says that a figure is gone. @param {string} figure its anchor */
export function hide(figure) {
  shown.delete(figure);
}

/**
 * Asks whether that is it, now and whenever a figure has moved, until it is.
 * @param {string} figure its anchor
 * @param {(values: Values) => boolean} done
 */
export function wait(figure, done) {
  const look = () => {
    const values = shown.get(figure);
    if (values && done(values)) waiting.delete(look);
  };
  waiting.add(look);
  look();
}
