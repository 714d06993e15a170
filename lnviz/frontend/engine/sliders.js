// Slider of a quantity that can be dragged, typed or played.

import { div, button, element, uniqueId } from "./dom.js";
import { parseNumber } from "./numbers.js";
import { nearest } from "./state.js";
import { PrevNextButtons } from "./prev_next.js";

const SWEEP_MS = 6000;
// Time to read what one step has changed.
const STEP_MS = 1200;
const SPEEDS = [1, 2, 4, 0.5];
const LONGEST = 20;

/** Slider with a text field and play buttons. */
export class Slider {
  /**
   * @param {import("./payload").Slider} spec
   * @param {import("./controller.js").FigureController} controller
   */
  constructor(spec, controller) {
    this.spec = spec;
    this.controller = controller;
    this.frame = 0;
    this.rate = SPEEDS[0];
    this.editing = false;
    this.element = element("div", "slider");
    const label = element("label", "", spec.name);
    this.input = this.buildRange();
    this.input.id = label.htmlFor = uniqueId();
    /** Message on a typed value. */
    this.hint = element("p", "hint");
    this.hint.setAttribute("aria-live", "polite");
    this.exact = this.buildField();
    this.updateRange();
    this.playButton = button("", () => (this.frame ? this.stop() : this.startPlaying()), "play");
    // Visible while playing.
    this.speedButton = button("", () => this.setSpeed(SPEEDS[(SPEEDS.indexOf(this.rate) + 1) % SPEEDS.length]), "speed");
    this.prevNext = spec.walks ? new PrevNextButtons(this, controller, () => this.stop()) : null;
    const stepButtons = this.prevNext ? [this.prevNext.back, this.prevNext.next] : [];
    // Where one row is too short, the buttons wrap together.
    const buttons = div("buttons", [...stepButtons, this.speedButton, this.playButton]);
    this.element.append(label, this.input, this.exact, buttons, this.hint);
    this.stop();
  }

  /** The last position. */
  get last() {
    return this.spec.values.length - 1;
  }

  /** Update the positions without interrupting a drag. @param {import("./payload").Slider} spec */
  update(spec) {
    this.spec = spec;
    this.updateRange();
  }

  /** Set the range, and reserve room for the longest label. */
  updateRange() {
    this.input.max = String(this.last);
    this.element.style.setProperty("--letters", String(Math.max(3, ...this.spec.labels.map((text) => text.length))));
  }

  /** Return the range input: it moves in positions, and announces values. */
  buildRange() {
    const input = element("input");
    Object.assign(input, { type: "range", min: "0", step: "1" });
    input.addEventListener("input", () => {
      this.stop();
      this.hint.textContent = "";
      this.controller.set(this.spec.name, Number(input.value));
    });
    input.addEventListener("change", () => this.controller.settle());
    input.addEventListener("keydown", (event) => this.onPageKey(event));
    return input;
  }

  /** Return the text field for exact values. */
  buildField() {
    const input = element("input", "exact");
    Object.assign(input, { type: "text", inputMode: "decimal", autocomplete: "off", spellcheck: false });
    input.setAttribute("aria-label", `${this.spec.name}, exact value`);
    input.addEventListener("input", () => {
      this.editing = true;
      this.hint.textContent = "";
    });
    input.addEventListener("change", () => this.commit());
    input.addEventListener("blur", () => {
      this.editing = false;
      this.draw();
    });
    return input;
  }

  draw() {
    const position = this.controller.state.positions[this.spec.name];
    const value = String(position);
    if (this.input.value !== value) {
      this.input.value = value;
      this.hint.textContent = "";
    }
    const text = this.spec.labels[position];
    this.input.setAttribute("aria-valuetext", text);
    this.input.style.setProperty("--share", String(position / Math.max(1, this.last)));
    if (!this.editing) this.exact.value = text;
    this.prevNext?.draw();
  }

  /** Page keys move by a tenth of the range in every browser. @param {KeyboardEvent} event */
  onPageKey(event) {
    const direction = { PageUp: 1, PageDown: -1 }[event.key];
    if (!direction) return;
    event.preventDefault();
    this.stop();
    const step = Math.max(1, Math.round(this.last / 10));
    const position = this.controller.state.positions[this.spec.name] + direction * step;
    this.controller.set(this.spec.name, Math.max(0, Math.min(this.last, position)));
  }

  commit() {
    this.stop();
    this.editing = false;
    const { labels, name, values } = this.spec;
    const text = this.exact.value.trim().replace(/^-/, "−");
    const value = parseNumber(text);
    if (labels.includes(text)) this.controller.set(name, labels.indexOf(text));
    else if (!Number.isNaN(value)) this.controller.set(name, nearest(values, value));
    this.draw();
    this.controller.settle();
    this.hint.textContent = labels.includes(text) ? "" : this.validationMessage(text, value);
  }

  /**
   * Return the message for a value that cannot be used as typed.
   * @param {string} text
   * @param {number} value
   */
  validationMessage(text, value) {
    const { labels, name, values } = this.spec;
    const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
    if (Number.isNaN(value)) return text && `“${shown}” is not a number: ${name} is unchanged.`;
    const inside = values[0] <= value && value <= values[this.last];
    const [low, high] = [labels[0], labels[this.last]];
    return inside ? "" : `${name} goes from ${low} to ${high}; ${shown} is out of range.`;
  }

  startPlaying() {
    const { last } = this;
    const from = this.controller.state.positions[this.spec.name];
    const first = from === last ? 0 : from;
    const duration = (last < 30 ? last * STEP_MS : SWEEP_MS) / this.rate;
    const started = performance.now();
    const tick = (/** @type {number} */ now) => {
      const position = Math.min(last, first + Math.floor(((now - started) / duration) * last));
      this.controller.set(this.spec.name, position);
      if (position === last || !this.element.isConnected) this.stop();
      else this.frame = requestAnimationFrame(tick);
    };
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(tick);
    this.playButton.setAttribute("aria-label", `Stop ${this.spec.name}`);
    this.playButton.classList.add("running");
    this.setSpeed(this.rate);
  }

  /** Continue to play at another speed. @param {number} rate */
  setSpeed(rate) {
    const text = rate < 1 ? "½" : String(rate);
    this.speedButton.textContent = `${text}×`;
    this.speedButton.setAttribute("aria-label", `${text}×, the speed of ${this.spec.name}`);
    if (rate === this.rate) return;
    this.rate = rate;
    this.startPlaying();
  }

  stop() {
    const running = this.frame !== 0;
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.playButton.setAttribute("aria-label", `Play ${this.spec.name}`);
    this.playButton.classList.remove("running");
    // Every drag event calls this, too: only the end of an animation settles.
    if (running) this.controller.settle();
  }
}
