// Repeats a request that the server did not answer: after a back-off, and at once when the network or the server is
// back.

/** Dispatched on the window by whatever else is connected to the server, such as a room. */
const BACK = "serverback";
const [FIRST_MS, LONGEST_MS] = [2_000, 30_000];
/** A class does not ask all at once. */
const JITTER_MS = 500;

/** Announce that the server answers again. */
export function announceServer() {
  dispatchEvent(new Event(BACK));
}

/** Repeated attempts at one request. */
export class Retry {
  /** @param {() => void} attempt calls `schedule` if it fails, and `cancel` if it succeeds */
  constructor(attempt) {
    this.attempt = attempt;
    this.failures = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.listeners = new AbortController();
  }

  /** Try again later. */
  schedule() {
    this.stop();
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    for (const type of ["online", BACK]) addEventListener(type, () => this.wait(Math.random() * JITTER_MS), { signal });
    this.wait(Math.min(LONGEST_MS, FIRST_MS * 2 ** this.failures));
    this.failures += 1;
  }

  /** @param {number} milliseconds until the next attempt */
  wait(milliseconds) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.stop();
      this.attempt();
    }, milliseconds);
  }

  /** End the attempts. */
  cancel() {
    this.failures = 0;
    this.stop();
  }

  stop() {
    clearTimeout(this.timer);
    this.listeners.abort();
  }
}
