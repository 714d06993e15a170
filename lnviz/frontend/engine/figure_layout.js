// Layout of a figure's body: controls, views in rows, and sentences around them.

import { Chart } from "./chart.js";
import { buildControl } from "./controls.js";
import { Switch } from "./choices.js";
import { setChildren, setHidden, setText, button, div, element } from "./dom.js";
import { Grid } from "./grid.js";
import { PrintLayout } from "./print_layout.js";
import { Readout } from "./readout.js";
import { canReuseControls, updateWidgets, reuseViews } from "./reconcile.js";
import { Slider } from "./sliders.js";
import { Steps } from "./steps.js";
import { createView } from "./views.js";

/** @typedef {import("./payload.js").Payload} Payload */
/** @typedef {import("./views.js").View} View */
/**
 * What views know of their figure: theme colors, Plotly's URL, hidden controls, a function that requests other
 * parameters (where the server accepts the reader's data), and an unsent drawing.
 * @typedef {{color: (token: string) => string, plotly: string, hidden: Set<string>, request:
 * import("./point_painter.js").RequestFigure | null, draft: import("./point_painter.js").Draft | null}} ViewContext
 */

/** Looks of sentences outside the rows: at the top, and collapsed at the bottom. */
const OUTSIDE_ROWS = ["finding", "method"];

/** Phone width, as in the style sheets. */
export const SMALL_SCREEN = "(max-width: 640px)";
/** A phone that has room for one control below a figure. */
const LOW_SCREEN = "(max-width: 640px) and (max-height: 700px)";
const STICKY_CONTROLS = 2;

/** @param {View} view */
const styleOf = (view) => (view instanceof Readout ? view.spec.style : "");

/** The body of a figure: toolbars, and views in rows. */
export class FigureLayout {
  /**
   * @param {HTMLElement} root
   * @param {import("./controller.js").FigureController} controller
   * @param {Set<string>} hidden names of controls hidden from the reader
   * @param {string} plotly URL of Plotly
   * @param {import("./point_painter.js").RequestFigure | null} request
   * @param {() => Promise<boolean>} loadDefaults as for `Steps`
   * @param {string[] | null} leading as for `Figure`
   */
  constructor(root, controller, hidden, plotly, request, loadDefaults, leading) {
    this.root = root;
    this.controller = controller;
    this.hidden = hidden;
    this.plotly = plotly;
    this.request = request;
    /** Points that the reader has drawn and not sent. @type {import("./point_painter.js").Draft | null} */
    this.draft = null;
    this.probe = root.appendChild(element("span", "probe"));
    // A CSS transition of the probe's color reveals a theme change.
    this.probe.addEventListener("transitionend", () => this.recolor());
    this.printLayout = new PrintLayout(() => this.recolor());
    this.body = element("div", "body");
    /** @type {import("./controls.js").Widget[]} */
    this.widgets = [];
    /** @type {View[]} */
    this.views = [];
    /** The rows that contain the views. @type {HTMLElement[]} */
    this.rows = [];
    this.steps = new Steps(this, loadDefaults);
    /** Contains the findings, or the sentence of a step. */
    this.headings = div("heads", []);
    this.story = div("story", [this.steps.numbers, this.headings, this.steps.next]);
    /** Contain the controls. @type {HTMLElement[]} */
    this.toolbars = [];
    /** Controls that stay visible while scrolling. */
    this.controls = div("controls", []);
    /** Controls that scroll away on a small screen. */
    this.scrollingControls = div("others", []);
    this.leading = leading;
    root.classList.toggle("folding", leading !== null);
    /** Unfolds the controls that are not in reach of the thumb. */
    this.moreButton = button("More controls", () => this.fold(this.moreButton.ariaExpanded === "true"), "more");
    this.fold(true);
    this.screens = [SMALL_SCREEN, LOW_SCREEN].map((query) => matchMedia(query));
    /** Called after controls were placed anew, since the screen has become small or low, or has ceased to be. */
    this.onPlaced = () => {};
    this.onScreenChange = () => {
      if (!this.controller.currentState) return; // later, with the payload
      this.placeControls();
      this.onPlaced();
    };
    for (const screen of this.screens) screen.addEventListener("change", this.onScreenChange);
  }

  /**
   * Show a payload; widgets and views that fit it are kept.
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

  /** Keep a few controls in reach of the thumb on a small screen. */
  placeControls() {
    const bar = this.widgets.filter((widget) => !(widget instanceof Switch));
    const sticky = this.screens[0].matches ? this.stickyWidgets(bar) : bar;
    const [others, first] = [false, true].map((isSticky) => bar.filter((widget) => sticky.includes(widget) === isSticky).map((widget) => widget.element));
    setChildren(this.scrollingControls, others);
    setChildren(this.controls, [...first, ...[...this.controls.children].filter((node) => !bar.some((widget) => widget.element === node))]);
  }

  /**
   * Return the widgets that stay in reach of the thumb: the leading ones, then those that the steps move, then the others,
   * each time sliders first.
   * @param {import("./controls.js").Widget[]} bar
   */
  stickyWidgets(bar) {
    const { leading, controller: { state } } = this;
    const short = bar.filter(({ spec, element }) => state.isShown(spec) && !this.hidden.has(spec.slug) && !element.classList.contains("stepper"));
    const { steps } = state.payload;
    const isSwept = (/** @type {{name: string}} */ { name }) => new Set(steps.map(({ positions }) => positions[name])).size > 1;
    const rank = (/** @type {import("./controls.js").Widget} */ widget) =>
      leading?.includes(widget.spec.slug) ? 0 : (leading && isSwept(widget.spec) ? 1 : 3) + Number(!(widget instanceof Slider));
    const count = leading && this.screens[1].matches ? 1 : STICKY_CONTROLS;
    return short.toSorted((one, other) => rank(one) - rank(other)).slice(0, count);
  }

  /** The button that unfolds the controls, where they fold. */
  get moreButtons() {
    return this.leading ? [this.moreButton] : [];
  }

  /** Fold the controls that are not in reach of the thumb, or unfold them. @param {boolean} isFolded */
  fold(isFolded) {
    this.root.classList.toggle("folded", isFolded && this.leading !== null);
    this.moreButton.ariaExpanded = String(!isFolded);
    setText(this.moreButton, isFolded ? "More controls" : "Fewer controls");
  }

  /** Return the first table whose cells a pointer picks. @param {string | undefined} pointer */
  firstGrid(pointer) {
    return this.views.filter((view) => view instanceof Grid).find(({ spec }) => spec.pointer === pointer);
  }

  /** Switches, which are placed among the figure's actions. */
  get switches() {
    return this.widgets.filter((widget) => widget instanceof Switch).map((widget) => widget.element);
  }

  /**
   * Mount the views below the controls.
   * @param {import("./payload.js").View[][]} specs
   * @param {(method: Element[]) => Element[]} below returns the elements below the views, given the sentences on
   * methods
   */
  mountViews(specs, below) {
    const views = reuseViews(this.views, specs, (spec) => createView(spec, this.controller, this));
    this.views = views.flat();
    const [findings, method] = OUTSIDE_ROWS.map((style) => this.views.filter((view) => styleOf(view) === style).map((view) => view.element));
    const inRows = views.map((row) => row.filter((view) => !OUTSIDE_ROWS.includes(styleOf(view)))).filter((row) => row.length);
    this.rows = inRows.map((_, i) => this.rows[i] ?? div("row", []));
    this.rows.forEach((row, i) => {
      setChildren(row, inRows[i].map((view) => view.element));
      row.classList.toggle("words", inRows[i].every((view) => view instanceof Readout));
      row.classList.toggle("giving", inRows[i].some((view) => view.element.classList.contains("given")));
    });
    // As a class: `:has()` would restyle every figure at each text change.
    this.root.classList.toggle("gives", this.rows.some((row) => row.classList.contains("giving")));
    setChildren(this.headings, [this.steps.sentence, ...findings]);
    setChildren(this.body, [this.story, this.steps.list, ...this.toolbars, ...this.rows, ...below(method)]);
  }

  /** Update visibility and all texts for the present positions. */
  updateText() {
    const { state } = this.controller;
    for (const { element, spec } of this.widgets) setHidden(element, this.hidden.has(spec.slug) || !state.isShown(spec));
    // A control that appears may be the leading one; what is unfolded stays where it is.
    if (this.root.classList.contains("folded")) this.placeControls();
    if (this.leading) setHidden(this.moreButton, !this.toolbars[0]?.querySelector(":is(.parameters:not([hidden]), .others) > :not([hidden])"));
    this.steps.updateText();
    for (const view of this.views) {
      const shown = state.isShown(view.spec) && !(this.steps.shown && styleOf(view) === "finding");
      setHidden(view.element, !shown);
      if (shown && view instanceof Readout) view.draw();
      if (shown && view instanceof Chart) view.title.draw();
    }
  }

  draw() {
    const { state } = this.controller;
    this.steps.draw();
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

  /** Return the sentences of a style that hold now; of a figure at a step still the finding. @param {string} style */
  sentences(style) {
    const { state } = this.controller;
    const shown = this.views.filter((view) => styleOf(view) === style && state.isShown(view.spec));
    // A finding that a step hides has not followed the controls.
    for (const view of shown) view.draw();
    return shown.map(({ element }) => element.textContent).join(" ");
  }

  /** Return the visible sentences, except those on methods. */
  textAlternative() {
    const sentences = this.views.filter((view) => view instanceof Readout && !view.element.hidden && styleOf(view) !== "method");
    const step = this.steps.shown && this.steps.isVisible ? [this.steps.sentence] : [];
    return [...step, ...sentences.map((view) => view.element)].map((node) => node.textContent).join(" ");
  }

  /**
   * Return the theme color of a token as currently rendered.
   * @param {string} token
   */
  color(token) {
    const sample = this.probe.appendChild(element("i"));
    sample.style.color = `var(--ln-${token})`;
    const color = getComputedStyle(sample).color;
    sample.remove();
    return color;
  }

  /** Discard points that the reader has drawn and not sent. */
  discardDraft() {
    for (const view of this.views) if ("discardDraft" in view) view.discardDraft();
  }

  /** The sliders that are playing. */
  get playing() {
    return this.sliders.filter(({ frame }) => frame);
  }

  get sliders() {
    return this.widgets.filter((widget) => widget instanceof Slider);
  }

  /** Let sliders that replaced others continue to play. @param {Slider[]} others those that were playing */
  resumePlaying(others) {
    for (const { spec, rate } of others) {
      const slider = this.sliders.find(({ spec: { name } }) => name === spec.name);
      if (!slider || slider.frame) continue;
      slider.rate = rate;
      slider.startPlaying();
    }
  }

  /** Stop all animations. */
  stop() {
    for (const part of [...this.views, ...this.widgets]) if ("stop" in part) part.stop();
    this.steps.stop();
    this.controller.stop();
  }

  /** Remove views that cannot be shown. */
  clear() {
    this.stop();
    this.widgets = [];
    this.views = [];
    this.steps.update([], "none");
    this.steps.draw();
  }

  unmount() {
    for (const screen of this.screens) screen.removeEventListener("change", this.onScreenChange);
    this.printLayout.stop();
    this.stop();
  }
}
