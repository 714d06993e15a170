// What this browser remembers, and nobody else. Some browsers allow no memory: then there is none.

const PREFIX = "lnviz ";

/**
 * Keeps a text for this tab.
 * @param {string} name
 * @param {string} text
 */
export function setSession(name, text) {
  setItem(() => sessionStorage, name, text);
}

/**
 * What was kept for this tab under a name; "" for nothing.
 * @param {string} name
 */
export function getSession(name) {
  return getItem(() => sessionStorage, name);
}

/**
 * Keeps a text for later visits.
 * @param {string} name
 * @param {string} text
 */
export function setLocal(name, text) {
  setItem(() => localStorage, name, text);
}

/**
 * What was kept for later visits under a name; "" for nothing.
 * @param {string} name
 */
export function getLocal(name) {
  return getItem(() => localStorage, name);
}

/**
 * @param {() => Storage} storage naming it may already be forbidden
 * @param {string} name
 * @param {string} text
 */
function setItem(storage, name, text) {
  try {
    storage().setItem(PREFIX + name, text);
  } catch {
    // Forbidden, or full.
  }
}

/**
 * @param {() => Storage} storage
 * @param {string} name
 */
function getItem(storage, name) {
  try {
    return storage().getItem(PREFIX + name) ?? "";
  } catch {
    return "";
  }
}
