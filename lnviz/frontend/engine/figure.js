// One interactive figure. It is given a payload, and from then on only looks values up.

import { Actions } from "./actions.js";
import { hiddenIn, parametersIn, positionsIn, standing, write } from "./address.js";
import { fold, Numbers } from "./figure_footer.js";
import { Code } from "./code.js";
import { arrange, block, button, element, keepFocus, style } from "./dom.js";
import { Drawing } from "./drawing.js";
import { Grip } from "./press_tracker.js";
import { Hand } from "./controller.js";
import { Requests } from "./loading.js";
import { keep, recall } from "./memory.js";
import { Edit, Own } from "./data_upload.js";
import { goesTo, Parameters } from "./parameters.js";
import { fits } from "./reconcile.js";
import { reserve } from "./reserve_height.js";
import { hide, show } from "./visible_state.js";
import { State } from "./state.js";

/** @typedef {import("./payload").Parameter} Parameter */
/** @typedef {import("./payload").Payload} Payload */
/** @typedef {import("./tensors.js").Tensor} Tensor */
/**
 * What stands above a figure for some of its parameters: a reader's trainings, say.
 * @typedef {{element: Element, show: (parameters: Parameter[]) => void, stop: () => void}} Panel
 */
/**
 * What a panel asks of its figure.
 * @typedef {object} Shower
 * @property {(parameters: Record<string, string>) => Promise<void>} load shows it for other parameters
 * @property {() => Promise<boolean>} refresh gets it anew; whether it has come
 */
/**
 * @typedef {object} Options
 * @property {string} name what tells the figure from others in the same place
 * @property {import("./loading.js").Load} load
 * @property {import("./data_upload.js").Send} [send] takes a reader's own numbers
 * @property {(shower: Shower) => Panel} [jobs] what trains where a parameter names trainings
 * @property {string[]} parameters the names of those that the address may carry
 * @property {string} [page] the address of the figure alone, if it is not alone
 * @property {string} [anchor] the fragment of links to the figure, if it is not alone
 * @property {boolean} [linked] whether the page's address holds its state; if nothing is said, it does
 * @property {Assets} [assets] if nothing is said, they lie beside this script
 */
/** @typedef {{style: string, plotly: string}} Assets addresses of the style sheet, "" where it is there, and of Plotly */

const WIDTH_CLASS = 64;

/** @returns {Assets} */
function beside() {
  const address = (/** @type {string} */ name) => new URL(name, import.meta.url).href;
  return { style: address("../page/page.css"), plotly: address("../plotly.min.js") };
}

export class Figure {
  /**
   * @param {Element} parent
   * @param {Options} options
   */
  constructor(parent, { name, load, send, jobs, parameters, page = "", anchor = "", linked = true, assets = beside() }) {
    this.name = name;
    this.page = page;
    this.anchor = anchor;
    this.parameterNames = parameters;
    this.linked = linked;
    this.path = location.pathname;
    /** Names of controls and parameters that keep their value out of the reader's reach. */
    this.hidden = linked ? hiddenIn() : new Set();
    this.root = element("section", "ln");
    this.root.id = anchor;
    this.hand = new Hand(() => this.draw(), () => this.settled());
    this.drawing = new Drawing(this.root, this.hand, this.hidden, assets.plotly, send ? (values) => this.ask(values) : null);
    this.message = this.root.appendChild(element("p", "message"));
    this.message.setAttribute("role", "alert");
    this.progress = this.root.appendChild(element("p", "progress"));
    this.progress.setAttribute("aria-live", "polite");
    this.requests = new Requests(load, (sentence) => this.report(sentence));
    this.parameters = new Parameters((values) => this.load(values));
    this.own = send ? new Own(send, (values) => this.load(values, true)) : null;
    this.makeJobs = jobs;
    /** Only where a parameter names trainings. @type {Panel | null} */
    this.jobs = null;
    this.edit = new Edit((values) => this.load(values));
    this.grip = new Grip(this.drawing.body);
    this.spoken = element("p", "spoken");
    this.spoken.setAttribute("role", "status");
    this.root.append(this.drawing.body, this.spoken);
    // Whoever holds a cell may have the focus elsewhere by now: on a slider, or nowhere.
    this.escape = (/** @type {KeyboardEvent} */ event) => {
      const path = event.composedPath();
      if (event.key === "Escape" && (path[0] === document.body || path.includes(this.root))) this.hand.letGo();
    };
    document.addEventListener("keydown", this.escape);
    /** @type {Code | null} */
    this.code = null;
    /** @type {Actions | null} */
    this.actions = null;
    this.numbers = new Numbers(this.drawing);
    this.method = block("method", []);
    /** How the figure's numbers came about. */
    this.measured = fold("How this was measured", [this.method]);
    this.under = block("below", []);
    this.report("");
    parent.append(this.root);
    /** Its height is like that of the same figure at about the same width. */
    this.place = `height ${name} ${Math.round(this.root.clientWidth / WIDTH_CLASS)}`;
    this.root.style.setProperty("--ln-height", recall(this.place) || null);
    this.width = 0;
    this.sizes = new ResizeObserver(() => {
      if (this.root.clientWidth !== this.width) this.fit();
    });
    this.sizes.observe(this.root);
    if (assets.style) style(assets.style);
  }

  open() {
    return this.load(this.linked ? parametersIn(this.parameterNames) : {}, true);
  }

  /**
   * Gets the figure for other parameters. What is on screen stays until the answer is there, and stays when
   * it is a refusal.
   * @param {Record<string, string>} parameters
   * @param {boolean} [opening] what does not go together is corrected
   */
  async load(parameters, opening = false) {
    this.root.setAttribute("aria-busy", "true");
    const shown = { ...this.values(), ...this.parameters.drafts };
    const come = await this.requests.get(shown, parameters, opening);
    if (!come) return;
    this.root.removeAttribute("aria-busy");
    keepFocus(this.root, () => {
      this.message.textContent = this.present(come.answer);
      if (this.hand.shown) this.showParameters(this.hand.shown.payload.parameters, come.wanted);
    });
    if (!this.hand.shown) this.offer(() => this.load(come.wanted, opening));
    this.goOn();
  }

  /** Gets the whole of what is only a first part of it; where that fails, the reader can have it tried again. */
  async goOn() {
    const { shown } = this.hand;
    const parts = (shown?.payload.parameters ?? []).filter((spec) => goesTo(spec) && spec.value !== goesTo(spec));
    if (!parts.length) return;
    const whole = Object.fromEntries(parts.map((spec) => [spec.name, goesTo(spec)]));
    const come = await this.refresh(whole, (text) => this.report(text));
    const failed = !come && this.hand.shown === shown && !this.requests.wanted && this.progress.textContent;
    if (failed) this.progress.append(" ", button("Try again", () => this.goOn()));
  }

  /** Gets the figure for what a view has sent, and has it in sight. @param {Record<string, string>} values */
  ask(values) {
    if (this.root.getBoundingClientRect().top < 0) this.root.scrollIntoView();
    this.load(values);
  }

  /**
   * Gets the shown figure anew, for numbers that have come since. What the reader is busy with stays: nothing
   * is drawn while a control is held down, what plays plays on, and whatever else is asked for goes before.
   * @param {Record<string, string>} [parameters] those that change
   * @param {(sentence: string) => void} [report]
   * @returns {Promise<boolean>} whether it has come
   */
  async refresh(parameters = {}, report = () => {}) {
    const { shown } = this.hand;
    if (!shown || this.requests.wanted) return false;
    const answer = await this.requests.again({ ...this.values(), ...parameters }, report);
    await this.grip.free();
    // While the hand held something, all may have gone: on a phone the teacher turns the page.
    if (!answer || this.hand.shown !== shown || this.requests.wanted || !this.root.isConnected) return false;
    report(answer.detail);
    if (!answer.payload) return false;
    const { playing } = this.drawing;
    keepFocus(this.root, () => {
      const trouble = this.present(answer);
      if (trouble) this.message.textContent = trouble;
    });
    this.drawing.playOn(playing);
    if (!this.hand.shown) this.offer(() => this.open());
    return true;
  }

  /** Offers to try again, in place of what cannot be shown. @param {() => void} again */
  offer(again) {
    this.drawing.body.replaceChildren(button("Try again", again));
  }

  /**
   * Shows an answer, and returns what is to be said of it.
   * @param {import("./loading.js").Answer} answer
   * @returns {string}
   */
  present({ payload, tensors, detail }) {
    try {
      if (payload && tensors) this.show(payload, tensors);
    } catch (error) {
      console.error(error);
      this.drawing.clear();
      this.hand.shown = null;
      this.showParameters([]);
      return "The figure has come, but cannot be shown.";
    }
    return detail;
  }

  /**
   * How far the figure is that is on its way.
   * @param {string} sentence
   */
  report(sentence) {
    const text = sentence || (this.hand.shown ? "" : "The figure is on its way.");
    if (this.progress.textContent !== text) this.progress.textContent = text;
  }

  /**
   * @param {Parameter[]} all
   * @param {Record<string, string>} [wanted]
   */
  showParameters(all, wanted) {
    const parameters = all.filter(({ name }) => !this.hidden.has(name));
    this.parameters.show(parameters, wanted);
    this.own?.show(parameters);
    if (this.makeJobs && !this.jobs && parameters.some(({ kind }) => kind === "job")) {
      this.jobs = this.makeJobs(this);
      this.drawing.body.before(this.jobs.element);
    }
    this.jobs?.show(parameters);
  }

  /** The parameters of the shown figure, or of its first part. */
  values() {
    const parameters = this.hand.shown?.payload.parameters ?? [];
    return Object.fromEntries(parameters.map((spec) => [spec.name, String(goesTo(spec) ? spec.start : spec.value)]));
  }

  /**
   * @param {Payload} payload
   * @param {Record<string, Tensor>} tensors
   */
  show(payload, tensors) {
    const before = this.hand.shown;
    const given = () => (this.linked ? positionsIn(payload.controls) : {});
    const kept = before ? before.kept(payload.controls) : given();
    if (!before || !fits(before.payload, payload)) this.drawing.stop();
    this.hand.shown = new State(payload, tensors, kept);
    this.progress.textContent = "";
    this.root.setAttribute("aria-label", payload.title);
    if (this.drawing.take(before?.payload ?? null, payload)) {
      this.code = new Code(this.hand, (text) => this.say(text));
      this.actions = new Actions(this, this.code);
      const { controls } = this.drawing;
      const again = button("Reset", () => this.reset(), "reset");
      if (controls.childElementCount || payload.parameters.length) controls.append(again);
      else if (payload.controls.length) this.actions.element.prepend(again);
    }
    this.drawing.above[0].prepend(this.parameters.element);
    this.drawing.lay(payload.views, (method) => this.below(method));
    this.draw();
    this.fit();
    this.save();
    keep(this.place, `${this.root.offsetHeight}px`);
  }

  /**
   * What stands below the views.
   * @param {Element[]} method the sentences on how the figure's numbers came about
   */
  below(method) {
    arrange(this.method, method);
    this.measured.hidden = !method.length;
    const parts = [this.numbers, { element: this.measured }, this.own, this.actions].flatMap((part) => (part ? [part.element] : []));
    arrange(this.under, parts);
    // Held is a cell: what comes with that must not move it.
    return [this.edit.element, this.under, ...(this.code ? [this.code.element] : [])];
  }

  /** Keeps room for other words, at the width there is. */
  fit() {
    this.width = this.root.clientWidth;
    if (this.hand.shown && this.width) reserve(this.drawing);
  }

  draw() {
    this.drawing.draw();
    this.edit.draw(this.hand.state);
    this.code?.draw();
  }

  /** After a movement: the address and the text alternative follow. */
  settled() {
    this.save();
    this.numbers.draw();
    const text = this.drawing.text();
    if (this.spoken.textContent !== text) this.spoken.textContent = text;
  }

  save() {
    const { state } = this.hand;
    this.actions?.settle();
    // Another page may be opening under an unfinished movement.
    if (this.linked && location.pathname === this.path) write(state, this.parameterNames);
    show(this.anchor, standing(state));
  }

  /** Its controls, and where each of them may stand; none before it has come. */
  controls() {
    return this.hand.shown?.payload.controls ?? [];
  }

  reset() {
    const { state } = this.hand;
    for (const widget of this.drawing.widgets) if ("stop" in widget) widget.stop();
    state.reset(this.hidden);
    this.drawing.drop();
    this.draw();
    const shown = state.payload.parameters.filter((spec) => !this.hidden.has(spec.name) && !goesTo(spec));
    const changed = shown.filter(({ value, start }) => value !== start);
    if (changed.length) this.load(Object.fromEntries(changed.map(({ name, start }) => [name, String(start)])));
    else this.hand.settle();
  }

  /** Says at the figure's buttons what came of pressing one. @param {string} text */
  say(text) {
    (this.actions?.told ?? this.message).textContent = text;
  }

  unmount() {
    this.requests.cancel();
    this.jobs?.stop();
    this.grip.stop();
    this.sizes.disconnect();
    this.drawing.unmount();
    document.removeEventListener("keydown", this.escape);
    hide(this.anchor);
    this.root.remove();
  }
}
