// HTTP requests of a room's pages.

/** @typedef {import("./room_connection.js").Value} Value */
/**
 * @typedef {object} Reply
 * @property {number} status 0 without a response
 * @property {any} body
 * @property {number} retryAfter seconds to wait before a retry; 0 if not given
 */

/** Timeout in milliseconds. */
const TIMEOUT_MS = 8_000;

/** Return the URL of a room. @param {string} base @param {string} code */
export function roomUrl(base, code) {
  return `${base}/rooms/${code}`;
}

/**
 * Send a request; never throws.
 * @param {string} address
 * @param {string} [method]
 * @param {unknown} [body] sent as JSON
 * @param {AbortSignal} [signal]
 * @returns {Promise<Reply>}
 */
export async function request(address, method = "GET", body = undefined, signal = undefined) {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), TIMEOUT_MS);
  const abort = () => controller.abort();
  signal?.addEventListener("abort", abort);
  /** @type {RequestInit} */
  const init = { method, signal: controller.signal, cache: "no-cache" }; // after "back", browsers take what they have kept
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { "Content-Type": "application/json" };
  }
  try {
    const response = await fetch(address, init);
    const text = await response.text();
    const retryAfter = Number(response.headers.get("Retry-After")) || 0;
    return { status: response.status, body: text ? JSON.parse(text) : null, retryAfter };
  } catch {
    // No response, or no JSON: the sign-in page of a network, for example.
    return { status: 0, body: null, retryAfter: 0 };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/**
 * Send an answer to a poll.
 * @param {string} room its URL
 * @param {{poll: number, round: number, value: Value, attempt: number}} answer
 * @param {AbortSignal} signal
 */
export function putAnswer(room, { poll, round, value, attempt }, signal) {
  return request(`${room}/polls/${poll}/${round}`, "PUT", { value, attempt }, signal);
}
