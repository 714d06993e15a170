// A figure's story: numbered sentences, each with a state that the controls move to.

import { positionsIn } from "./address.js";
import { setChildren, setHidden, button, element } from "./dom.js";
import { Readout } from "./readout.js";
import { Template } from "./text.js";

/** @typedef {import("./payload.js").Step} Step */

const MOVE_MS = 300;
const EVENT = "turnstep";
const SENTENCE_END = /[.?!]\s+(?=\p{Lu})/u;

/** The steps of a figure. One is on while the controls are at its state, or on their way; a movement of the reader's leaves it. */
export class Steps {
  /**
   * @param {import("./figure_layout.js").FigureLayout} layout
   * @param {() => Promise<boolean>} loadDefaults loads the figure for its default parameters, where it is shown for
   * others; resolves to whether it is shown for them
   */
  constructor(layout, loadDefaults) {
    this.layout = layout;
    this.controller = layout.controller;
    this.loadDefaults = loadDefaults;
    /** The step that is on, or was on last; -1 before the first. */
    this.at = -1;
    this.isOn = false;
    this.isMoving = false;
    this.frame = 0;
    /** Positions that this has set; another one was set by the reader. @type {Record<string, number>} */
    this.positions = {};
    /** @type {Step[]} */
    this.specs = [];
    this.numbers = element("ol", "step-numbers");
    this.sentence = element("h2", "finding step-sentence");
    this.next = button("Next", () => this.go(this.at + 1), "next");
    this.next.setAttribute("aria-label", "Next step");
    /** @type {{node: HTMLElement, template: Template}[]} */
    this.templates = [];
    /** @type {HTMLButtonElement[]} */
    this.buttons = [];
    /** All steps, on paper. */
    this.list = element("ol", "all-steps");
    layout.root.addEventListener(EVENT, (event) => this.onTurn(event));
  }

  /** Whether the steps are on the screen: not while a question or a task about the figure hides them. */
  get isVisible() {
    return this.next.getClientRects().length > 0;
  }

  /** The step whose sentence is shown; null while the finding is. */
  get shown() {
    return this.isOn ? this.specs[this.at] : null;
  }

  /**
   * Show the steps of another payload.
   * @param {Step[]} specs those that can be taken
   * @param {"first" | "same" | "none"} on the step that is on afterwards
   */
  update(specs, on) {
    this.specs = specs;
    this.isOn = specs.length > 0 && (on === "first" || (on === "same" && this.isOn));
    this.at = on === "first" ? 0 : Math.min(this.at, specs.length - 1);
    this.templates = specs.map(({ pieces }) => {
      const node = element("span");
      return { node, template: new Template(node, pieces, this.controller) };
    });
    this.buttons = specs.map((_, i) => {
      const node = button(String(i + 1), () => this.go(i));
      node.setAttribute("aria-label", `Step ${i + 1} of ${specs.length}`);
      return node;
    });
    setChildren(this.numbers, this.buttons.map((node) => {
      const item = element("li");
      item.append(node);
      return item;
    }));
    for (const part of [this.numbers, this.next]) part.hidden = !specs.length;
    if (this.isOn && this.isMoving) this.arrive();
    if (this.isOn) this.positions = { ...specs[this.at].positions };
    // For other parameters the sentences need not hold.
    this.writeList(on === "none" ? [] : specs);
  }

  /** Write each sentence with the numbers of its own state. @param {Step[]} specs */
  writeList(specs) {
    if (!specs.length) return void this.list.replaceChildren();
    const { state } = this.controller;
    const before = state.positions;
    const items = specs.map(({ pieces, positions }) => {
      state.positions = { ...positions };
      const item = element("li");
      new Template(item, pieces, this.controller).draw();
      return item;
    });
    state.positions = before;
    setChildren(this.list, items);
  }

  /**
   * Return the sentence that tells what to find, of a step, or without one of the step at one of these states of the figure;
   * "" if there is none. What a step says before has numbers of its own state only.
   * @param {number} step counted from 1; 0 for none
   * @param {Record<string, string>[]} states values of controls and parameters, by their names in the URL
   */
  taskAt(step, ...states) {
    const { controls, parameters } = this.controller.state.payload;
    const indexAt = (/** @type {Record<string, string>} */ values) => {
      if (parameters.some(({ name, value }) => name in values && values[name] !== String(value))) return -1;
      const held = positionsIn(controls, new URLSearchParams(values));
      return this.specs.findIndex(({ is_task, positions }) => is_task && controls.every(({ name, start }) => (held[name] ?? start) === positions[name]));
    };
    const index = step ? step - 1 : (states.map(indexAt).find((at) => at >= 0) ?? -1);
    const said = this.specs[index]?.is_task ? (this.list.children[index]?.textContent ?? "") : "";
    return said.split(SENTENCE_END).at(-1) ?? "";
  }

  /** Take a step: move the controls to its state. @param {number} index */
  async go(index) {
    if (!this.specs[index]) return;
    if (!(await this.loadDefaults()) || !this.specs[index]) return;
    for (const widget of this.layout.widgets) if ("stop" in widget) widget.stop();
    this.at = index;
    this.isOn = true;
    this.move();
  }

  /** Move the controls to the state of the step, a slider through its positions. */
  move() {
    const { state } = this.controller;
    const target = this.specs[this.at].positions;
    const sliders = state.payload.controls.filter(({ kind }) => kind === "slider");
    const from = { ...state.positions };
    const started = performance.now();
    const duration = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : MOVE_MS;
    this.stop();
    this.pin();
    for (const { kind, name } of state.payload.controls) if (kind !== "slider") this.controller.set(name, target[name]);
    this.positions = { ...state.positions };
    this.isMoving = true;
    const tick = (/** @type {number} */ now) => {
      this.frame = 0;
      if (!this.shown) return;
      const share = duration ? Math.min(1, Math.max(0, now - started) / duration) : 1;
      for (const { name } of sliders) {
        this.positions[name] = Math.round(from[name] + share * (target[name] - from[name]));
        this.controller.set(name, this.positions[name]);
      }
      if (share < 1) {
        this.frame = requestAnimationFrame(tick);
        return;
      }
      this.isMoving = false;
      this.controller.settle();
    };
    this.layout.draw();
    tick(started);
  }

  /** Be at the state of the step at once. */
  arrive() {
    this.stop();
    this.isMoving = false;
    this.positions = { ...this.specs[this.at].positions };
    Object.assign(this.controller.state.positions, this.positions);
    this.pin();
    this.controller.scheduleSettle();
  }

  /** Pin the pointers that the step moves: hovering must not move them on. */
  pin() {
    const { held, payload } = this.controller.state;
    held.clear();
    for (const control of payload.controls) if (this.isPinned(control)) held.add(control.name);
  }

  /** Return whether the step that is on pins a pointer. @param {import("./payload.js").Control} control */
  isPinned({ kind, name, start }) {
    return kind === "pointer" && this.specs[this.at].positions[name] !== start;
  }

  /**
   * Show the sentence of a step that another screen is at, or was at last, if the controls are at its state; else the
   * finding.
   * @param {number} index -1 for none
   * @param {boolean} [holds] whether the sentences hold for the figure's parameters
   */
  show(index, holds = true) {
    const target = this.specs[index]?.positions;
    const { payload, positions } = this.controller.state;
    const isThere = holds && target !== undefined && payload.controls.every(({ name }) => positions[name] === target[name]);
    if (isThere && this.shown && this.at === index) return;
    if (target) this.at = index;
    if (isThere) {
      this.isOn = true;
      this.arrive();
    } else this.leave();
    this.layout.draw();
  }

  /** Stop moving. */
  stop() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }

  /** Leave the steps for the finding. */
  leave() {
    this.stop();
    this.isOn = this.isMoving = false;
  }

  /** Leave if the reader has moved a control. Hovering moves a pointer, and counts where the sentence has its numbers. */
  leaveIfMoved() {
    const { positions, held, payload, tensors } = this.controller.state;
    const names = this.specs[this.at].pieces.flatMap((piece) => (typeof piece === "string" ? [] : [piece.name, ...(tensors[piece.name]?.over ?? [])]));
    const moved = payload.controls.some((control) => {
      const { kind, name } = control;
      const isElsewhere = positions[name] !== this.positions[name];
      return kind === "pointer" ? held.has(name) !== this.isPinned(control) || (isElsewhere && names.includes(name)) : isElsewhere;
    });
    if (moved) this.leave();
  }

  /** Write the sentence of the step that is on. */
  updateText() {
    setHidden(this.sentence, !this.shown);
    if (!this.shown) return;
    const { node, template } = this.templates[this.at];
    if (this.sentence.firstChild !== node) this.sentence.replaceChildren(node);
    template.draw();
  }

  draw() {
    if (this.isOn) this.leaveIfMoved();
    const { shown } = this;
    const { root } = this.layout;
    if (this.specs.length && this.at >= 0) root.dataset.step = `${this.at + 1} ${this.specs.length}`;
    else delete root.dataset.step;
    this.buttons.forEach((node, i) => {
      node.classList.toggle("done", i < this.at);
      if (shown && i === this.at) node.setAttribute("aria-current", "step");
      else node.removeAttribute("aria-current");
    });
    this.next.setAttribute("aria-disabled", String(this.at === this.specs.length - 1));
    const before = shown && this.at > 0 ? this.specs[this.at - 1].positions : null;
    for (const { element: node, spec } of this.layout.widgets) {
      node.classList.toggle("moved", before !== null && before[spec.name] !== shown?.positions[spec.name]);
    }
    const pictures = this.layout.views.filter((view) => !(view instanceof Readout));
    pictures.forEach((view, i) => view.element.classList.toggle("dimmed", Boolean(shown?.about.length) && !shown?.about.includes(i)));
  }

  /** @param {Event} event */
  onTurn(event) {
    if (this.at < 0 || !this.isVisible || !(event instanceof CustomEvent)) return;
    const index = this.at + event.detail;
    if (!this.specs[index]) return;
    event.preventDefault();
    this.go(index);
  }
}

/**
 * Take the next or previous step of a figure, if it is at one.
 * @param {Element} figure its root
 * @param {number} by 1 or -1
 * @returns {boolean} whether there was one
 */
export function turnStep(figure, by) {
  return !figure.dispatchEvent(new CustomEvent(EVENT, { detail: by, cancelable: true }));
}

/**
 * Return the step of the figure in an element, counted from 1, and the number of steps; nothing where it has none, is
 * at none, or does not show them.
 * @param {Element} parent
 * @returns {number[]}
 */
export function stepIn(parent) {
  const figure = parent.querySelector("[data-step]");
  const isShown = figure?.querySelector(".story > .next")?.getClientRects().length;
  return isShown && figure instanceof HTMLElement ? (figure.dataset.step ?? "").split(" ").map(Number) : [];
}
