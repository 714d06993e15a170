// Added by drag.py to the pages it drives: what is on screen, frame by frame.

/** Every picture seen so far, and its number: pictures are long texts. */
const pictures = new Map();

const identify = (picture) => {
  if (!pictures.has(picture)) pictures.set(picture, pictures.size);
  return pictures.get(picture);
};

/** The position of a slider, counted from its first one: an `<input>`, or what holds one. */
const positionOf = (slider) => {
  const { value, min, step } = slider.matches("input") ? slider : slider.querySelector("input");
  return Math.round((value - min) / step);
};

/**
 * Looks at a figure once a frame, when the frame's layout and paint are over: in a task of its own, or, where
 * such a task has to wait, as the next frame begins. Where slider and hand were is noted as
 * the frame begins, so before the figure draws. `hand` is when the pointer's last move or release
 * entered the browser.
 */
class Recorder {
  /** @param {() => number} position of the slider @param {() => string} picture what the figure shows */
  constructor(position, picture) {
    Object.assign(this, { position, picture, hand: 0, frame: null, changes: [], last: picture() });
    this.moved = (event) => (this.hand = event.timeStamp);
    for (const name of ["pointermove", "pointerup"]) addEventListener(name, this.moved, true);
    this.painted = new MessageChannel();
    this.painted.port1.onmessage = () => this.look();
    const tick = () => {
      this.look();
      this.frame = { position: this.position(), hand: this.hand };
      this.running = requestAnimationFrame(tick);
      this.painted.port2.postMessage(null);
    };
    this.running = requestAnimationFrame(tick);
  }

  look() {
    if (!this.frame) return;
    const at = performance.now();
    const { position, hand } = this.frame;
    this.frame = null;
    const picture = this.picture();
    if (picture === this.last) return;
    this.last = picture;
    this.changes.push({ at, delay: at - hand, position, picture });
  }

  /** Changes since the last call. */
  take() {
    return this.changes.splice(0).map((change) => ({ ...change, picture: identify(change.picture) }));
  }

  stop() {
    cancelAnimationFrame(this.running);
    for (const name of ["pointermove", "pointerup"]) removeEventListener(name, this.moved, true);
    this.painted.port1.close();
  }
}

/** The number of the picture at each of these positions of a native slider, each drawn at leisure. */
async function picturesAt(input, positions, picture) {
  const found = [];
  for (const position of positions) {
    input.value = Number(input.min) + position * input.step;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    found.push(identify(picture()));
  }
  return found;
}

Object.assign(window, { Recorder, picturesAt, positionOf });
