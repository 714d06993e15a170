// One interactive figure. It is given a payload, and from then on only looks values up.

import { Actions } from "./actions.js";
import { hiddenIn, parametersIn, positionsIn, standing, write } from "./address.js";
import { Chart } from "./chart.js";
import { Switch } from "./choices.js";
import { Code } from "./code.js";
import { build } from "./controls.js";
import { arrange, block, button, element, style } from "./dom.js";
import { Grip } from "./grip.js";
import { Jobs } from "../lab/jobs.js";
import { Loading } from "./loading.js";
import { keep, recall } from "./memory.js";
import { Edit, Own } from "./own.js";
import { Paper } from "./paper.js";
import { Parameters } from "./parameters.js";
import { Readout } from "./readout.js";
import { fits, renew, reuse } from "./renewal.js";
import { hide, show } from "./shown.js";
import { State } from "./state.js";
import { viewOf } from "./views.js";

/** @typedef {import("./payload").Payload} Payload */
/** @typedef {import("./tensors.js").Tensor} Tensor */
/** @typedef {import("./views.js").View} View */
/**
 * @typedef {object} Options
 * @property {string} name what tells the figure from others in the same place
 * @property {import("./loading.js").Load} load
 * @property {import("./own.js").Send} [send] takes a reader's own numbers
 * @property {import("../lab/jobs.js").Trainer} [trainer] trains what a reader asks for
 * @property {string[]} parameters the names of those that the address may carry
 * @property {string} [page] the address of the figure alone, if it is not alone
 * @property {string} [anchor] the fragment of links to the figure, if it is not alone
 * @property {boolean} [linked] whether the page's address holds its state; if nothing is said, it does
 * @property {Assets} [assets] if nothing is said, they lie beside this script
 */
/** @typedef {{style: string, plotly: string}} Assets addresses of the style sheet, "" where it is there, and of Plotly */

const SETTLE_MS = 250;
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
  constructor(parent, { name, load, send, trainer, parameters, page = "", anchor = "", linked = true, assets = beside() }) {
    this.name = name;
    this.page = page;
    this.anchor = anchor;
    this.parameterNames = parameters;
    this.linked = linked;
    /** Names of controls and parameters that keep their value out of the reader's reach. */
    this.hidden = linked ? hiddenIn() : new Set();
    this.assets = assets;
    this.path = location.pathname;
    this.root = element("section", "ln");
    this.root.id = anchor;
    this.probe = this.root.appendChild(element("span", "probe"));
    // The color's own transition tells that the page's theme has changed.
    this.probe.addEventListener("transitionend", () => this.recolor());
    this.paper = new Paper(() => this.recolor());
    this.message = this.root.appendChild(element("p", "message"));
    this.message.setAttribute("role", "alert");
    this.progress = this.root.appendChild(element("p", "progress"));
    this.progress.setAttribute("aria-live", "polite");
    this.loading = new Loading(load, (sentence) => this.report(sentence));
    /** What comes by itself, without a word. */
    this.refreshing = new Loading(load, () => {});
    this.parameters = new Parameters((values) => this.load(values));
    this.own = send ? new Own(send, (values) => this.load(values, true)) : null;
    this.trainer = trainer;
    /** Only where a parameter names trainings. @type {Jobs | null} */
    this.jobs = null;
    this.edit = new Edit((values) => this.load(values));
    this.body = element("div", "body");
    this.grip = new Grip(this.body);
    this.spoken = element("p", "spoken");
    this.spoken.setAttribute("role", "status");
    this.root.append(this.parameters.element, ...(this.own ? [this.own.element] : []), this.body, this.spoken);
    // Whoever holds a cell may have the focus elsewhere by now: on a slider, or nowhere.
    this.escape = (/** @type {KeyboardEvent} */ event) => {
      const path = event.composedPath();
      if (event.key === "Escape" && (path[0] === document.body || path.includes(this.root))) this.letGo();
    };
    document.addEventListener("keydown", this.escape);
    this.frame = 0;
    this.timer = 0;
    /** Parameters that are on their way. @type {Record<string, string> | null} */
    this.wanted = null;
    /** What is shown; null before the first payload. @type {State | null} */
    this.shown = null;
    /** @type {import("./controls.js").Widget[]} */
    this.widgets = [];
    /** @type {View[]} */
    this.views = [];
    /** What holds the views, row by row. @type {Element[]} */
    this.rows = [];
    /** What stands above and below the rows. @type {Element[]} */
    this.above = [];
    /** @type {Element[]} */
    this.below = [];
    /** @type {Code | null} */
    this.code = null;
    /** @type {Actions | null} */
    this.actions = null;
    this.report("");
    parent.append(this.root);
    /** Its height is like that of the same figure at about the same width. */
    this.place = `height ${name} ${Math.round(this.root.clientWidth / WIDTH_CLASS)}`;
    this.root.style.setProperty("--ln-height", recall(this.place) || null);
    if (assets.style) style(assets.style);
  }

  /** Where the controls of the shown figure stand. */
  get state() {
    if (!this.shown) throw new Error("the figure has no payload yet");
    return this.shown;
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
    // On top of what is on its way: two changes in a row are both meant.
    const wanted = (this.wanted = { ...this.values(), ...this.parameters.drafts, ...this.wanted, ...parameters });
    this.root.setAttribute("aria-busy", "true");
    this.refreshing.cancel();
    const answer = await this.loading.get(wanted, opening);
    if (!answer) return;
    this.wanted = null;
    this.root.removeAttribute("aria-busy");
    this.say(this.present(answer));
    if (this.shown) this.showParameters(this.shown.payload.parameters, wanted);
    else this.body.replaceChildren(button("Try again", () => this.load(wanted, opening)));
  }

  /**
   * Gets the shown figure anew, for numbers that have come since. What the reader is busy with stays: nothing
   * is drawn while a control is held down, and whatever else is asked for goes before.
   * @returns {Promise<boolean>} whether it has come
   */
  async refresh() {
    const { shown } = this;
    if (!shown || this.wanted) return false;
    const answer = await this.refreshing.get(this.values(), false);
    await this.grip.free();
    if (!answer?.payload || this.shown !== shown || this.wanted) return false;
    const trouble = this.present(answer);
    if (trouble) this.say(trouble);
    if (!this.shown) this.body.replaceChildren(button("Try again", () => this.open()));
    return true;
  }

  /**
   * Shows an answer, and says what is to be said of it.
   * @param {import("./loading.js").Answer} answer
   * @returns {string}
   */
  present({ payload, tensors, detail }) {
    try {
      if (payload && tensors) this.show(payload, tensors);
    } catch (error) {
      console.error(error);
      this.clear();
      return "The figure has come, but cannot be shown.";
    }
    return detail;
  }

  /**
   * How far the figure is that is on its way.
   * @param {string} sentence
   */
  report(sentence) {
    const text = sentence || (this.shown ? "" : "The figure is on its way.");
    if (this.progress.textContent !== text) this.progress.textContent = text;
  }

  /**
   * @param {import("./payload").Parameter[]} all
   * @param {Record<string, string>} [wanted]
   */
  showParameters(all, wanted) {
    const parameters = all.filter(({ name }) => !this.hidden.has(name));
    this.parameters.show(parameters, wanted);
    this.own?.show(parameters);
    if (this.trainer && !this.jobs && parameters.some(({ kind }) => kind === "job")) {
      this.jobs = new Jobs(this.trainer, this);
      this.body.before(this.jobs.element);
    }
    this.jobs?.show(parameters);
  }

  /** The parameters of the shown figure. */
  values() {
    return Object.fromEntries((this.shown?.payload.parameters ?? []).map(({ name, value }) => [name, String(value)]));
  }

  /**
   * @param {Payload} payload
   * @param {Record<string, Tensor>} tensors
   */
  show(payload, tensors) {
    const before = this.shown;
    const given = () => (this.linked ? positionsIn(payload.controls) : {});
    const kept = before ? before.kept(payload.controls) : given();
    const stays = before !== null && fits(before.payload, payload);
    if (!stays) this.stop();
    this.shown = new State(payload, tensors, kept);
    this.progress.textContent = "";
    this.root.setAttribute("aria-label", payload.title);
    if (stays) renew(this.widgets, payload.controls);
    else this.build(payload);
    this.lay(payload.views);
    this.draw();
    this.save();
    keep(this.place, `${this.root.offsetHeight}px`);
  }

  /** @param {Payload} payload */
  build(payload) {
    this.widgets = payload.controls.flatMap((spec) => build(spec, this));
    const bar = this.widgets.filter((widget) => !(widget instanceof Switch));
    this.code = new Code(this);
    this.actions = new Actions(this, this.widgets, this.code);
    this.above = [block("toolbar", bar.map((widget) => widget.element)), this.edit.element];
    this.below = [this.actions.element, this.code.element];
    this.views = [];
    this.rows = [];
  }

  /** Lays the views out below the controls. @param {import("./payload").View[][]} specs */
  lay(specs) {
    const views = reuse(this.views, specs, (spec) => viewOf(spec, this));
    this.views = views.flat();
    this.rows = specs.map((_, i) => this.rows[i] ?? block("row", []));
    this.rows.forEach((row, i) => {
      arrange(row, views[i].map((view) => view.element));
      row.classList.toggle("words", views[i].every((view) => view instanceof Readout));
    });
    arrange(this.body, [...this.above, ...this.rows, ...this.below]);
  }

  /**
   * Moves a control. The figure is drawn once a frame at most.
   * @param {string} name
   * @param {number} position
   */
  set(name, position) {
    const { positions } = this.state;
    if (positions[name] === position) return;
    positions[name] = position;
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
    this.later();
  }

  /**
   * Holds a pointer where it is, or lets it go.
   * @param {string} name
   * @param {boolean} held
   */
  hold(name, held) {
    const { held: names } = this.state;
    if (names.has(name) === held) return;
    if (held) names.add(name);
    else names.delete(name);
    this.draw();
    this.later();
  }

  /** Lets go of whatever is held. */
  letGo() {
    for (const name of [...(this.shown?.held ?? [])]) this.hold(name, false);
  }

  draw() {
    const { state } = this;
    for (const widget of this.widgets) {
      widget.draw();
      widget.element.hidden = this.hidden.has(widget.spec.slug) || !state.shows(widget.spec);
    }
    const color = state.color();
    if (color) this.root.style.setProperty("--ln-current", `var(--ln-${color})`);
    for (const view of this.views) {
      const shown = state.shows(view.spec);
      if (view.element.hidden === shown) view.element.hidden = !shown;
      if (!shown) continue;
      view.draw();
      if (view instanceof Chart && !view.started) view.start();
    }
    this.edit.draw(state);
    this.code?.draw();
  }

  recolor() {
    for (const view of this.views) if ("recolor" in view) view.recolor();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), SETTLE_MS);
  }

  /** After a movement: the address and the text alternative follow. */
  settle() {
    clearTimeout(this.timer);
    if (this.frame) {
      this.later();
      return;
    }
    this.save();
    const text = this.views
      .filter((view) => view instanceof Readout && !view.element.hidden)
      .map((view) => view.element.textContent)
      .join(" ");
    if (this.spoken.textContent !== text) this.spoken.textContent = text;
  }

  save() {
    this.actions?.settle();
    // Another page may be opening under an unfinished movement.
    if (this.linked && location.pathname === this.path) write(this.state, this.parameterNames);
    show(this.anchor, standing(this.state));
  }

  reset() {
    for (const widget of this.widgets) if ("stop" in widget) widget.stop();
    this.state.reset(this.hidden);
    this.draw();
    const shown = this.state.payload.parameters.filter(({ name }) => !this.hidden.has(name));
    const changed = shown.filter(({ value, start }) => value !== start);
    if (changed.length) this.load(Object.fromEntries(changed.map(({ name, start }) => [name, String(start)])));
    else this.settle();
  }

  /** @param {string} text */
  say(text) {
    this.message.textContent = text;
  }

  /**
   * The theme's color for a token, as the page shows it now.
   * @param {string} token
   */
  color(token) {
    const sample = this.probe.appendChild(element("i"));
    sample.style.color = `var(--ln-${token})`;
    const color = getComputedStyle(sample).color;
    sample.remove();
    return color;
  }

  /** Ends whatever moves by itself. */
  stop() {
    for (const part of [...this.views, ...this.widgets]) if ("stop" in part) part.stop();
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }

  /** Takes away a figure that cannot be shown. */
  clear() {
    this.stop();
    this.shown = null;
    this.widgets = [];
    this.views = [];
    this.showParameters([]);
  }

  unmount() {
    this.loading.cancel();
    this.refreshing.cancel();
    this.jobs?.stop();
    this.grip.stop();
    this.paper.stop();
    this.stop();
    document.removeEventListener("keydown", this.escape);
    hide(this.anchor);
    this.root.remove();
  }
}
