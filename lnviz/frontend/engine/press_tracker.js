// Tracks whether the reader is pressing a pointer on an element.

/** Tracks pointer presses on an element. */
export class PressTracker {
  /** @param {Element} element the element to observe */
  constructor(element) {
    /** Callbacks waiting for the release; null while nothing is pressed. @type {(() => void)[] | null} */
    this.waiters = null;
    const listeners = (this.listeners = new AbortController());
    const { signal } = listeners;
    element.addEventListener("pointerdown", () => (this.waiters ??= []), { signal });
    // The pointer may be released anywhere, or the window may lose focus.
    for (const end of ["pointerup", "pointercancel", "blur"]) addEventListener(end, () => this.release(), { signal });
  }

  /** Resolve when nothing is pressed. @returns {Promise<void>} */
  whenReleased() {
    const { waiters } = this;
    return waiters ? new Promise((resolve) => waiters.push(resolve)) : Promise.resolve();
  }

  release() {
    const { waiters } = this;
    this.waiters = null;
    for (const resolve of waiters ?? []) resolve();
  }

  stop() {
    this.listeners.abort();
    this.release();
  }
}
