// What a figure shows between its parameters and its end: controls, views in rows, and what stands around them.

import { Chart } from "./chart.js";
import { buildControl } from "./controls.js";
import { Switch } from "./choices.js";
import { setChildren, div, element } from "./dom.js";
import { PrintLayout } from "./print_layout.js";
import { Readout } from "./readout.js";
import { canReuseControls, updateWidgets, reuseViews } from "./reconcile.js";
import { Slider } from "./sliders.js";
import { createView } from "./views.js";

/** @typedef {import("./payload.js").Payload} Payload */
/** @typedef {import("./views.js").View} View */
/**
 * What views know of the figure: the theme's colors as the page shows them, Plotly's address, controls out of reach, and
 * what fetches the figure for other parameters, where a server takes a reader's own numbers; and what is painted for it.
 * @typedef {{color: (token: string) => string, plotly: string, hidden: Set<string>, request: import("./point_painter.js").RequestFigure | null, draft: import("./point_painter.js").Draft | null}} ViewContext
 */

/** Looks of sentences that have a place of their own: above all, and folded away below. */
const OUTSIDE_ROWS = ["finding", "method"];

/** The screen of a phone, as the style sheets have it. */
const SMALL_SCREEN = "(max-width: 640px)";
const STICKY_CONTROLS = 2;

/** @param {View} view */
const lookOf = (view) => (view instanceof Readout ? view.spec.style : "");

export class FigureLayout {
  /**
   * @param {HTMLElement} root
   * @param {import("./controller.js").FigureController} controller
   * @param {Set<string>} hidden names of controls that are out of the reader's reach
   * @param {string} plotly the address of Plotly
   * @param {import("./point_painter.js").RequestFigure | null} request
   */
  constructor(root, controller, hidden, plotly, request) {
    this.root = root;
    this.controller = controller;
    this.hidden = hidden;
    this.plotly = plotly;
    this.request = request;
    /** What a reader has painted and not sent. @type {import("./point_painter.js").Draft | null} */
    this.draft = null;
    this.probe = root.appendChild(element("span", "probe"));
    // The color's own transition tells that the page's theme has changed.
    this.probe.addEventListener("transitionend", () => this.recolor());
    this.printLayout = new PrintLayout(() => this.recolor());
    this.body = element("div", "body");
    /** @type {import("./controls.js").Widget[]} */
    this.widgets = [];
    /** @type {View[]} */
    this.views = [];
    /** What holds the views, row by row. @type {HTMLElement[]} */
    this.rows = [];
    /** What holds the findings. */
    this.headings = div("heads", []);
    /** What holds the controls. @type {HTMLElement[]} */
    this.toolbars = [];
    /** Those that stay in sight. */
    this.controls = div("controls", []);
    /** Those that do not, on a small screen. */
    this.scrollingControls = div("others", []);
    this.smallScreen = matchMedia(SMALL_SCREEN);
    this.onScreenChange = () => this.placeControls();
    this.smallScreen.addEventListener("change", this.onScreenChange);
  }

  /**
   * Shows a payload. Widgets and views that serve it stay.
   * @param {Payload | null} before
   * @param {Payload} payload
   * @returns {boolean} whether the controls are new
   */
  update(before, payload) {
    const stays = before !== null && canReuseControls(before, payload);
    if (stays) updateWidgets(this.widgets, payload.controls);
    else {
      this.widgets = payload.controls.flatMap((spec) => buildControl(spec, this.controller));
      this.controls = div("controls", []);
      this.scrollingControls = div("others", []);
      this.toolbars = [div("toolbar", [this.scrollingControls, this.controls])];
      this.placeControls();
      this.views = [];
      this.rows = [];
    }
    return !stays;
  }

  /** On a small screen two controls stay under the thumb, sliders before choices. */
  placeControls() {
    const bar = this.widgets.filter((widget) => !(widget instanceof Switch));
    const shown = bar.filter(({ spec }) => this.controller.state.isShown(spec));
    const short = shown.filter(({ element }) => !element.classList.contains("stepper"));
    const ranked = [...short.filter((widget) => widget instanceof Slider), ...short.filter((widget) => !(widget instanceof Slider))];
    const sticky = this.smallScreen.matches ? ranked.slice(0, STICKY_CONTROLS) : bar;
    const elements = (/** @type {boolean} */ isSticky) => bar.filter((widget) => sticky.includes(widget) === isSticky).map((widget) => widget.element);
    this.scrollingControls.replaceChildren(...elements(false));
    this.controls.prepend(...elements(true));
  }

  /** Buttons that stand with what can be done with the figure. */
  get switches() {
    return this.widgets.filter((widget) => widget instanceof Switch).map((widget) => widget.element);
  }

  /**
   * Lays the views out below the controls.
   * @param {import("./payload.js").View[][]} specs
   * @param {(method: Element[]) => Element[]} below what stands below them, given the sentences that go there
   */
  mountViews(specs, below) {
    const views = reuseViews(this.views, specs, (spec) => createView(spec, this.controller, this));
    this.views = views.flat();
    const [findings, method] = OUTSIDE_ROWS.map((context) => this.views.filter((view) => lookOf(view) === context).map((view) => view.element));
    const inRows = views.map((row) => row.filter((view) => !OUTSIDE_ROWS.includes(lookOf(view)))).filter((row) => row.length);
    this.rows = inRows.map((_, i) => this.rows[i] ?? div("row", []));
    this.rows.forEach((row, i) => {
      setChildren(row, inRows[i].map((view) => view.element));
      row.classList.toggle("words", inRows[i].every((view) => view instanceof Readout));
      row.classList.toggle("giving", inRows[i].some((view) => view.element.classList.contains("given")));
    });
    // A style sheet that asked `:has()` for it would have every figure styled anew, whole, at each change of a word.
    this.root.classList.toggle("gives", this.rows.some((row) => row.classList.contains("giving")));
    setChildren(this.headings, findings);
    setChildren(this.body, [this.headings, ...this.toolbars, ...this.rows, ...below(method)]);
  }

  /** Shows what belongs to the positions there are, and writes all that is words. */
  updateText() {
    const { state } = this.controller;
    for (const { element, spec } of this.widgets) element.hidden = this.hidden.has(spec.slug) || !state.isShown(spec);
    for (const view of this.views) {
      const shown = state.isShown(view.spec);
      if (view.element.hidden === shown) view.element.hidden = !shown;
      if (shown && view instanceof Readout) view.draw();
      if (shown && view instanceof Chart) view.title.draw();
    }
  }

  draw() {
    const { state } = this.controller;
    for (const widget of this.widgets) widget.draw();
    const color = state.color();
    if (color) this.root.style.setProperty("--ln-current", `var(--ln-${color})`);
    this.updateText();
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
  textAlternative() {
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
  discardDraft() {
    for (const view of this.views) if ("discardDraft" in view) view.discardDraft();
  }

  /** The sliders that play. */
  get playing() {
    return this.sliders.filter(({ frame }) => frame);
  }

  get sliders() {
    return this.widgets.filter((widget) => widget instanceof Slider);
  }

  /** Has the sliders play that have come in the place of others. @param {Slider[]} others those that played */
  resumePlaying(others) {
    for (const { spec, rate } of others) {
      const slider = this.sliders.find(({ spec: { name } }) => name === spec.name);
      if (!slider || slider.frame) continue;
      slider.rate = rate;
      slider.startPlaying();
    }
  }

  /** Ends whatever moves by itself. */
  stop() {
    for (const part of [...this.views, ...this.widgets]) if ("stop" in part) part.stop();
    this.controller.stop();
  }

  /** Takes away what cannot be shown. */
  clear() {
    this.stop();
    this.widgets = [];
    this.views = [];
  }

  unmount() {
    this.smallScreen.removeEventListener("change", this.onScreenChange);
    this.printLayout.stop();
    this.stop();
  }
}
