// A quantity that is dragged, typed or played.

import { block, button, element, uniqueId } from "./dom.js";
import { read } from "./numbers.js";
import { nearest } from "./state.js";
import { Walk } from "./prev_next.js";

const SWEEP_MS = 6000;
// Time to read what a step has changed.
const STEP_MS = 1200;
const SPEEDS = [1, 2, 4, 0.5];
const LONGEST = 20;

export class Slider {
  /**
   * @param {import("./payload").Slider} spec
   * @param {import("./controller.js").Hand} hand
   */
  constructor(spec, hand) {
    this.spec = spec;
    this.hand = hand;
    this.frame = 0;
    this.rate = SPEEDS[0];
    this.editing = false;
    this.element = element("div", "slider");
    const label = element("label", "", spec.name);
    this.input = this.handle();
    this.input.id = label.htmlFor = uniqueId();
    /** What is said of a typed value. */
    this.hint = element("p", "hint");
    this.hint.setAttribute("aria-live", "polite");
    this.exact = this.field();
    this.fit();
    this.play = button("", () => (this.frame ? this.stop() : this.run()), "play");
    // Shown while it plays.
    this.speed = button("", () => this.change(SPEEDS[(SPEEDS.indexOf(this.rate) + 1) % SPEEDS.length]), "speed");
    this.walk = spec.walks ? new Walk(this, hand, () => this.stop()) : null;
    const walkers = this.walk ? [this.walk.back, this.walk.next] : [];
    // Where a line is too short for all, the buttons go to the next one together.
    const buttons = block("buttons", [...walkers, this.play, this.speed]);
    this.element.append(label, this.input, this.exact, buttons, this.hint);
    this.stop();
  }

  /** The number of its last position. */
  get last() {
    return this.spec.values.length - 1;
  }

  /** Gets other positions, under the hand. @param {import("./payload").Slider} spec */
  renew(spec) {
    this.spec = spec;
    this.fit();
  }

  /** As many positions as there are values, and room for the longest label. */
  fit() {
    this.input.max = String(this.last);
    this.element.style.setProperty("--letters", String(Math.max(3, ...this.spec.labels.map((text) => text.length))));
  }

  /** What the hand takes: it moves in positions, and speaks values. */
  handle() {
    const input = element("input");
    Object.assign(input, { type: "range", min: "0", step: "1" });
    input.addEventListener("input", () => {
      this.stop();
      this.hint.textContent = "";
      this.hand.set(this.spec.name, Number(input.value));
    });
    input.addEventListener("change", () => this.hand.settle());
    input.addEventListener("keydown", (event) => this.page(event));
    return input;
  }

  /** Where an exact value is read and typed. */
  field() {
    const input = element("input", "exact");
    Object.assign(input, { type: "text", inputMode: "decimal", autocomplete: "off", spellcheck: false });
    input.setAttribute("aria-label", `${this.spec.name}, exact value`);
    input.addEventListener("input", () => {
      this.editing = true;
      this.hint.textContent = "";
    });
    input.addEventListener("change", () => this.enter());
    input.addEventListener("blur", () => {
      this.editing = false;
      this.draw();
    });
    return input;
  }

  draw() {
    const position = this.hand.state.positions[this.spec.name];
    const value = String(position);
    if (this.input.value !== value) {
      this.input.value = value;
      this.hint.textContent = "";
    }
    const text = this.spec.labels[position];
    this.input.setAttribute("aria-valuetext", text);
    this.input.style.setProperty("--share", String(position / Math.max(1, this.last)));
    if (!this.editing) this.exact.value = text;
    this.walk?.draw();
  }

  /** Page keys move a tenth of the range in every browser. @param {KeyboardEvent} event */
  page(event) {
    const direction = { PageUp: 1, PageDown: -1 }[event.key];
    if (!direction) return;
    event.preventDefault();
    this.stop();
    const step = Math.max(1, Math.round(this.last / 10));
    const position = this.hand.state.positions[this.spec.name] + direction * step;
    this.hand.set(this.spec.name, Math.max(0, Math.min(this.last, position)));
  }

  enter() {
    this.stop();
    this.editing = false;
    const { labels, name, values } = this.spec;
    const text = this.exact.value.trim().replace(/^-/, "−");
    const wanted = read(text);
    if (labels.includes(text)) this.hand.set(name, labels.indexOf(text));
    else if (!Number.isNaN(wanted)) this.hand.set(name, nearest(values, wanted));
    this.draw();
    this.hand.settle();
    this.hint.textContent = labels.includes(text) ? "" : this.objection(text, wanted);
  }

  /**
   * What is said of a value that cannot be taken as it was typed.
   * @param {string} text
   * @param {number} wanted
   */
  objection(text, wanted) {
    const { labels, name, values } = this.spec;
    const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
    if (Number.isNaN(wanted)) return text && `“${shown}” is no number: ${name} stays.`;
    const inside = values[0] <= wanted && wanted <= values[this.last];
    const [low, high] = [labels[0], labels[this.last]];
    return inside ? "" : `${name} goes from ${low} to ${high}; ${shown} is beyond.`;
  }

  run() {
    const { last } = this;
    const from = this.hand.state.positions[this.spec.name];
    const begin = from === last ? 0 : from;
    const whole = (last < 30 ? last * STEP_MS : SWEEP_MS) / this.rate;
    const started = performance.now();
    const tick = (/** @type {number} */ now) => {
      const position = Math.min(last, begin + Math.floor(((now - started) / whole) * last));
      this.hand.set(this.spec.name, position);
      if (position === last || !this.element.isConnected) this.stop();
      else this.frame = requestAnimationFrame(tick);
    };
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(tick);
    this.play.setAttribute("aria-label", `Stop ${this.spec.name}`);
    this.play.classList.add("running");
    this.change(this.rate);
  }

  /** Plays on at another speed. @param {number} rate */
  change(rate) {
    const text = rate < 1 ? "½" : String(rate);
    this.speed.textContent = `${text}×`;
    this.speed.setAttribute("aria-label", `${text}×, the speed of ${this.spec.name}`);
    if (rate === this.rate) return;
    this.rate = rate;
    this.run();
  }

  stop() {
    const running = this.frame !== 0;
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.play.setAttribute("aria-label", `Play ${this.spec.name}`);
    this.play.classList.remove("running");
    // A drag comes by here with every move: only a play that ends is a movement that does.
    if (running) this.hand.settle();
  }
}
