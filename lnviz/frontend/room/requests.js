// What a phone and the remote ask of a room's server. Whoever asks hears what was answered, or that nobody did.

/** @typedef {import("./room_connection.js").Value} Value */
/**
 * @typedef {object} Reply
 * @property {number} status 0 where nobody has answered
 * @property {any} body
 * @property {number} later seconds after which the server wants to be asked again; 0 where it has not said
 */

/** Milliseconds until an answer is given up. */
const PATIENCE = 8_000;

/** @param {string} base @param {string} code */
export function roomAt(base, code) {
  return `${base}/rooms/${code}`;
}

/**
 * @param {string} address
 * @param {string} [method]
 * @param {unknown} [body] what is sent, as JSON
 * @param {AbortSignal} [withdrawn]
 * @returns {Promise<Reply>}
 */
export async function ask(address, method = "GET", body = undefined, withdrawn = undefined) {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), PATIENCE);
  const withdraw = () => late.abort();
  withdrawn?.addEventListener("abort", withdraw);
  /** @type {RequestInit} */
  const request = { method, signal: late.signal };
  if (body !== undefined) {
    request.body = JSON.stringify(body);
    request.headers = { "Content-Type": "application/json" };
  }
  try {
    const response = await fetch(address, request);
    const text = await response.text();
    const later = Number(response.headers.get("Retry-After")) || 0;
    return { status: response.status, body: text ? JSON.parse(text) : null, later };
  } catch {
    // No answer, or one that somebody else gave: the sign-in page of a network, say.
    return { status: 0, body: null, later: 0 };
  } finally {
    clearTimeout(timer);
    withdrawn?.removeEventListener("abort", withdraw);
  }
}

/**
 * Gives an answer.
 * @param {string} room its address
 * @param {{poll: number, round: number, value: Value, n: number}} given
 * @param {AbortSignal} withdrawn
 */
export function put(room, { poll, round, value, n }, withdrawn) {
  return ask(`${room}/polls/${poll}/${round}`, "PUT", { value, n }, withdrawn);
}
