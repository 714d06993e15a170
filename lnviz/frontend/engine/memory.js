// Browser storage: per tab and permanent. Where the browser forbids it, nothing is stored.

const PREFIX = "lnviz ";

/**
 * Store a text for this tab.
 * @param {string} name
 * @param {string} text
 */
export function setSession(name, text) {
  setItem(() => sessionStorage, name, text);
}

/**
 * Return a text stored for this tab; "" for none.
 * @param {string} name
 */
export function getSession(name) {
  return getItem(() => sessionStorage, name);
}

/**
 * Store a text permanently.
 * @param {string} name
 * @param {string} text
 */
export function setLocal(name, text) {
  setItem(() => localStorage, name, text);
}

/**
 * Return a permanently stored text; "" for none.
 * @param {string} name
 */
export function getLocal(name) {
  return getItem(() => localStorage, name);
}

/**
 * Store a text, if the browser permits.
 * @param {() => Storage} storage a function, since even accessing the storage may throw
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
 * Return a stored text; "" for none.
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
