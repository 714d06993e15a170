// Whether the reader holds something down.

export class PressTracker {
  /** @param {Element} element what is held is in it */
  constructor(element) {
    /** Those who wait for the hand to let go; null while it holds nothing. @type {(() => void)[] | null} */
    this.waiters = null;
    const listeners = (this.listeners = new AbortController());
    const { signal } = listeners;
    element.addEventListener("pointerdown", () => (this.waiters ??= []), { signal });
    // The hand may let go anywhere, or leave with the window.
    for (const end of ["pointerup", "pointercancel", "blur"]) addEventListener(end, () => this.release(), { signal });
  }

  /** Resolves when nothing is held down. @returns {Promise<void>} */
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
