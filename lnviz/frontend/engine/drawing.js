// What a figure shows between its parameters and its end: controls, views in rows, and what stands around them.

import { Chart } from "./chart.js";
import { build } from "./controls.js";
import { Switch } from "./choices.js";
import { arrange, block, element } from "./dom.js";
import { Paper } from "./print_layout.js";
import { Readout } from "./readout.js";
import { fits, renew, reuse } from "./reconcile.js";
import { Slider } from "./sliders.js";
import { viewOf } from "./views.js";

/** @typedef {import("./payload").Payload} Payload */
/** @typedef {import("./views.js").View} View */
/**
 * What views know of the figure: the theme's colors as the page shows them, Plotly's address, controls out of reach, and
 * what fetches the figure for other parameters, where a server takes a reader's own numbers; and what is painted for it.
 * @typedef {{color: (token: string) => string, plotly: string, hidden: Set<string>, ask: import("./paint.js").Ask | null, draft: import("./paint.js").Draft | null}} Look
 */

/** Looks of sentences that have a place of their own: above all, and folded away below. */
const PLACED = ["finding", "method"];

/** The screen of a phone, as the style sheets have it. */
const SMALL = "(max-width: 640px)";
const UNDER_THUMB = 2;

/** @param {View} view */
const lookOf = (view) => (view instanceof Readout ? view.spec.look : "");

export class Drawing {
  /**
   * @param {HTMLElement} root
   * @param {import("./controller.js").Hand} hand
   * @param {Set<string>} hidden names of controls that are out of the reader's reach
   * @param {string} plotly the address of Plotly
   * @param {import("./paint.js").Ask | null} ask
   */
  constructor(root, hand, hidden, plotly, ask) {
    this.root = root;
    this.hand = hand;
    this.hidden = hidden;
    this.plotly = plotly;
    this.ask = ask;
    /** What a reader has painted and not sent. @type {import("./paint.js").Draft | null} */
    this.draft = null;
    this.probe = root.appendChild(element("span", "probe"));
    // The color's own transition tells that the page's theme has changed.
    this.probe.addEventListener("transitionend", () => this.recolor());
    this.paper = new Paper(() => this.recolor());
    this.body = element("div", "body");
    /** @type {import("./controls.js").Widget[]} */
    this.widgets = [];
    /** @type {View[]} */
    this.views = [];
    /** What holds the views, row by row. @type {HTMLElement[]} */
    this.rows = [];
    /** What holds the findings. */
    this.heads = block("heads", []);
    /** What holds the controls. @type {HTMLElement[]} */
    this.above = [];
    /** Those that stay in sight. */
    this.controls = block("controls", []);
    /** Those that do not, on a small screen. */
    this.others = block("others", []);
    this.small = matchMedia(SMALL);
    this.place = () => this.placeControls();
    this.small.addEventListener("change", this.place);
  }

  /**
   * Shows a payload. Widgets and views that serve it stay.
   * @param {Payload | null} before
   * @param {Payload} payload
   * @returns {boolean} whether the controls are new
   */
  take(before, payload) {
    const stays = before !== null && fits(before, payload);
    if (stays) renew(this.widgets, payload.controls);
    else {
      this.widgets = payload.controls.flatMap((spec) => build(spec, this.hand));
      this.controls = block("controls", []);
      this.others = block("others", []);
      this.above = [block("toolbar", [this.others, this.controls])];
      this.placeControls();
      this.views = [];
      this.rows = [];
    }
    return !stays;
  }

  /** On a small screen two controls stay under the thumb, sliders before choices. */
  placeControls() {
    const bar = this.widgets.filter((widget) => !(widget instanceof Switch));
    const shown = bar.filter(({ spec }) => this.hand.state.shows(spec));
    const short = shown.filter(({ element }) => !element.classList.contains("stepper"));
    const ranked = [...short.filter((widget) => widget instanceof Slider), ...short.filter((widget) => !(widget instanceof Slider))];
    const thumb = this.small.matches ? ranked.slice(0, UNDER_THUMB) : bar;
    const elements = (/** @type {boolean} */ kept) => bar.filter((widget) => thumb.includes(widget) === kept).map((widget) => widget.element);
    this.others.replaceChildren(...elements(false));
    this.controls.prepend(...elements(true));
  }

  /** Buttons that stand with what can be done with the figure. */
  get switches() {
    return this.widgets.filter((widget) => widget instanceof Switch).map((widget) => widget.element);
  }

  /**
   * Lays the views out below the controls.
   * @param {import("./payload").View[][]} specs
   * @param {(method: Element[]) => Element[]} below what stands below them, given the sentences that go there
   */
  lay(specs, below) {
    const views = reuse(this.views, specs, (spec) => viewOf(spec, this.hand, this));
    this.views = views.flat();
    const [findings, method] = PLACED.map((look) => this.views.filter((view) => lookOf(view) === look).map((view) => view.element));
    const inRows = views.map((row) => row.filter((view) => !PLACED.includes(lookOf(view)))).filter((row) => row.length);
    this.rows = inRows.map((_, i) => this.rows[i] ?? block("row", []));
    this.rows.forEach((row, i) => {
      arrange(row, inRows[i].map((view) => view.element));
      row.classList.toggle("words", inRows[i].every((view) => view instanceof Readout));
      row.classList.toggle("giving", inRows[i].some((view) => view.element.classList.contains("given")));
    });
    // A style sheet that asked `:has()` for it would have every figure styled anew, whole, at each change of a word.
    this.root.classList.toggle("gives", this.rows.some((row) => row.classList.contains("giving")));
    arrange(this.heads, findings);
    arrange(this.body, [this.heads, ...this.above, ...this.rows, ...below(method)]);
  }

  /** Shows what belongs to the positions there are, and writes all that is words. */
  write() {
    const { state } = this.hand;
    for (const { element, spec } of this.widgets) element.hidden = this.hidden.has(spec.slug) || !state.shows(spec);
    for (const view of this.views) {
      const shown = state.shows(view.spec);
      if (view.element.hidden === shown) view.element.hidden = !shown;
      if (shown && view instanceof Readout) view.draw();
      if (shown && view instanceof Chart) view.title.draw();
    }
  }

  draw() {
    const { state } = this.hand;
    for (const widget of this.widgets) widget.draw();
    const color = state.color();
    if (color) this.root.style.setProperty("--ln-current", `var(--ln-${color})`);
    this.write();
    for (const view of this.views) {
      if (view.element.hidden || view instanceof Readout) continue;
      view.draw();
      if (view instanceof Chart && !view.started) view.start();
    }
  }

  recolor() {
    for (const view of this.views) if ("recolor" in view) view.recolor();
  }

  /** The sentences that are shown, but for how the numbers came about: that is told once, where it is opened. */
  text() {
    const sentences = this.views.filter((view) => view instanceof Readout && !view.element.hidden && lookOf(view) !== "method");
    return sentences.map((view) => view.element.textContent).join(" ");
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

  /** Forgets what a reader has painted and not sent. */
  drop() {
    for (const view of this.views) if ("drop" in view) view.drop();
  }

  /** The sliders that play. */
  get playing() {
    return this.sliders.filter(({ frame }) => frame);
  }

  get sliders() {
    return this.widgets.filter((widget) => widget instanceof Slider);
  }

  /** Has the sliders play that have come in the place of others. @param {Slider[]} others those that played */
  playOn(others) {
    for (const { spec, rate } of others) {
      const slider = this.sliders.find(({ spec: { name } }) => name === spec.name);
      if (!slider || slider.frame) continue;
      slider.rate = rate;
      slider.run();
    }
  }

  /** Ends whatever moves by itself. */
  stop() {
    for (const part of [...this.views, ...this.widgets]) if ("stop" in part) part.stop();
    this.hand.stop();
  }

  /** Takes away what cannot be shown. */
  clear() {
    this.stop();
    this.widgets = [];
    this.views = [];
  }

  unmount() {
    this.small.removeEventListener("change", this.place);
    this.paper.stop();
    this.stop();
  }
}
