// What this tab remembers, in the browser alone. Some browsers allow it no memory: then it has none.

const PREFIX = "lnviz ";

/**
 * @param {string} name
 * @param {string} text
 */
export function keep(name, text) {
  try {
    sessionStorage.setItem(PREFIX + name, text);
  } catch {
    // Forbidden, or full.
  }
}

/**
 * What was kept under a name; "" for nothing.
 * @param {string} name
 */
export function recall(name) {
  try {
    return sessionStorage.getItem(PREFIX + name) ?? "";
  } catch {
    return "";
  }
}
