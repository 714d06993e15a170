// Whether the reader holds something down.

export class Grip {
  /** @param {Element} element what is held is in it */
  constructor(element) {
    /** Those who wait for the hand to let go; null while it holds nothing. @type {(() => void)[] | null} */
    this.waiting = null;
    const listening = (this.listening = new AbortController());
    const { signal } = listening;
    element.addEventListener("pointerdown", () => (this.waiting ??= []), { signal });
    // The hand may let go anywhere, or leave with the window.
    for (const end of ["pointerup", "pointercancel", "blur"]) addEventListener(end, () => this.release(), { signal });
  }

  /** Resolves when nothing is held down. @returns {Promise<void>} */
  free() {
    const { waiting } = this;
    return waiting ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve();
  }

  release() {
    const { waiting } = this;
    this.waiting = null;
    for (const go of waiting ?? []) go();
  }

  stop() {
    this.listening.abort();
    this.release();
  }
}
