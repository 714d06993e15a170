// The current states of the page's figures, and a way to wait until a figure shows something.

/** @typedef {Record<string, string>} Values by URL parameter names, including defaults */

/** @type {Map<string, Values>} */
const visible = new Map();

/** @type {Set<() => void>} */
const checks = new Set();

/**
 * Publish a figure's state.
 * @param {string} figure its anchor
 * @param {Values} values
 */
export function publishState(figure, values) {
  visible.set(figure, values);
  for (const check of [...checks]) check();
}

/** Remove the state of an unmounted figure. @param {string} figure its anchor */
export function removeState(figure) {
  visible.delete(figure);
}

/**
 * Call `done` now and after each change of a figure, until it returns true.
 * @param {string} figure its anchor
 * @param {(values: Values) => boolean} done
 */
export function waitForState(figure, done) {
  const check = () => {
    const values = visible.get(figure);
    if (values && done(values)) checks.delete(check);
  };
  checks.add(check);
  check();
}
