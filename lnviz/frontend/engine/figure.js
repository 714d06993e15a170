// One interactive figure. It is given a payload, and from then on only looks values up.

import { Actions } from "./actions.js";
import { hiddenNames, parametersIn, positionsIn, allValues, writeAddress } from "./address.js";
import { disclosure, DataTables } from "./figure_footer.js";
import { CodePanel } from "./code.js";
import { setChildren, div, button, element, keepFocus, addStyleSheet } from "./dom.js";
import { FigureLayout } from "./figure_layout.js";
import { PressTracker } from "./press_tracker.js";
import { FigureController } from "./controller.js";
import { FigureRequests } from "./loading.js";
import { setSession, getSession } from "./memory.js";
import { CellEditor, DataUpload } from "./data_upload.js";
import { fullValue, Parameters } from "./parameters.js";
import { canReuseControls } from "./reconcile.js";
import { reserveHeights } from "./reserve_height.js";
import { removeState, publishState } from "./visible_state.js";
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
 * @typedef {object} FigureHost
 * @property {(parameters: Record<string, string>) => Promise<void>} load shows it for other parameters
 * @property {() => Promise<boolean>} refresh gets it anew; whether it has come
 */
/**
 * @typedef {object} Options
 * @property {string} name what tells the figure from others in the same place
 * @property {import("./loading.js").LoadPayload} load
 * @property {import("./data_upload.js").UploadFile} [send] takes a reader's own numbers
 * @property {(host: FigureHost) => Panel} [jobs] what trains where a parameter names trainings
 * @property {string[]} parameters the names of those that the address may carry
 * @property {string} [page] the address of the figure alone, if it is not alone
 * @property {string} [anchor] the fragment of links to the figure, if it is not alone
 * @property {boolean} [linked] whether the page's address holds its state; if nothing is said, it does
 * @property {Assets} [assets] if nothing is said, they lie beside this script
 */
/** @typedef {{style: string, plotly: string}} Assets addresses of the style sheet, "" where it is there, and of Plotly */

const WIDTH_CLASS = 64;

/** @returns {Assets} */
function defaultAssets() {
  const address = (/** @type {string} */ name) => new URL(name, import.meta.url).href;
  return { style: address("../page/page.css"), plotly: address("../plotly.min.js") };
}

export class Figure {
  /**
   * @param {Element} parent
   * @param {Options} options
   */
  constructor(parent, { name, load, send, jobs, parameters, page = "", anchor = "", linked = true, assets = defaultAssets() }) {
    this.name = name;
    this.page = page;
    this.anchor = anchor;
    this.parameterNames = parameters;
    this.linked = linked;
    this.path = location.pathname;
    /** Names of controls and parameters that keep their value out of the reader's reach. */
    this.hidden = linked ? hiddenNames() : new Set();
    this.root = element("section", "ln");
    this.root.id = anchor;
    this.controller = new FigureController(() => this.draw(), () => this.onSettled());
    this.layout = new FigureLayout(this.root, this.controller, this.hidden, assets.plotly, send ? (values) => this.requestFromView(values) : null);
    this.message = this.root.appendChild(element("p", "message"));
    this.message.setAttribute("role", "alert");
    this.progress = this.root.appendChild(element("p", "progress"));
    this.progress.setAttribute("aria-live", "polite");
    this.requests = new FigureRequests(load, (sentence) => this.reportProgress(sentence));
    this.parameters = new Parameters((values) => this.load(values));
    this.dataUpload = send ? new DataUpload(send, (values) => this.load(values, true)) : null;
    this.createJobsPanel = jobs;
    /** Only where a parameter names trainings. @type {Panel | null} */
    this.jobsPanel = null;
    this.cellEditor = new CellEditor((values) => this.load(values));
    this.pressTracker = new PressTracker(this.layout.body);
    this.liveRegion = element("p", "spoken");
    this.liveRegion.setAttribute("role", "status");
    this.root.append(this.layout.body, this.liveRegion);
    // Whoever holds a cell may have the focus elsewhere by now: on a slider, or nowhere.
    this.onEscape = (/** @type {KeyboardEvent} */ event) => {
      const path = event.composedPath();
      if (event.key === "Escape" && (path[0] === document.body || path.includes(this.root))) this.controller.releaseAll();
    };
    document.addEventListener("keydown", this.onEscape);
    /** @type {CodePanel | null} */
    this.codePanel = null;
    /** @type {Actions | null} */
    this.actions = null;
    this.dataTables = new DataTables(this.layout);
    this.method = div("method", []);
    /** How the figure's numbers came about. */
    this.methodDetails = disclosure("How this was measured", [this.method]);
    this.footer = div("below", []);
    this.reportProgress("");
    parent.append(this.root);
    /** Its height is like that of the same figure at about the same width. */
    this.heightKey = `height ${name} ${Math.round(this.root.clientWidth / WIDTH_CLASS)}`;
    this.root.style.setProperty("--ln-height", getSession(this.heightKey) || null);
    this.width = 0;
    this.resizeObserver = new ResizeObserver(() => {
      if (this.root.clientWidth !== this.width) this.reserveSpace();
    });
    this.resizeObserver.observe(this.root);
    if (assets.style) addStyleSheet(assets.style);
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
    const shown = { ...this.parameterValues(), ...this.parameters.drafts };
    const response = await this.requests.get(shown, parameters, opening);
    if (!response) return;
    this.root.removeAttribute("aria-busy");
    keepFocus(this.root, () => {
      this.message.textContent = this.tryShow(response.answer);
      if (this.controller.currentState) this.showParameters(this.controller.currentState.payload.parameters, response.wanted);
    });
    if (!this.controller.currentState) this.offerRetry(() => this.load(response.wanted, opening));
    this.loadRemaining();
  }

  /** Gets the whole of what is only a first part of it; where that fails, the reader can have it tried again. */
  async loadRemaining() {
    const { currentState: before } = this.controller;
    const partial = (before?.payload.parameters ?? []).filter((spec) => fullValue(spec) && spec.value !== fullValue(spec));
    if (!partial.length) return;
    const full = Object.fromEntries(partial.map((spec) => [spec.name, fullValue(spec)]));
    const loaded = await this.refresh(full, (text) => this.reportProgress(text));
    const failed = !loaded && this.controller.currentState === before && !this.requests.pending && this.progress.textContent;
    if (failed) this.progress.append(" ", button("Try again", () => this.loadRemaining()));
  }

  /** Gets the figure for what a view has sent, and has it in sight. @param {Record<string, string>} values */
  requestFromView(values) {
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
    const { currentState: before } = this.controller;
    if (!before || this.requests.pending) return false;
    const answer = await this.requests.refresh({ ...this.parameterValues(), ...parameters }, report);
    await this.pressTracker.whenReleased();
    // While the hand held something, all may have gone: on a phone the teacher turns the page.
    if (!answer || this.controller.currentState !== before || this.requests.pending || !this.root.isConnected) return false;
    report(answer.detail);
    if (!answer.payload) return false;
    const { playing } = this.layout;
    keepFocus(this.root, () => {
      const trouble = this.tryShow(answer);
      if (trouble) this.message.textContent = trouble;
    });
    this.layout.resumePlaying(playing);
    if (!this.controller.currentState) this.offerRetry(() => this.open());
    return true;
  }

  /** Offers to try again, in place of what cannot be shown. @param {() => void} again */
  offerRetry(again) {
    this.layout.body.replaceChildren(button("Try again", again));
  }

  /**
   * Shows an answer, and returns what is to be said of it.
   * @param {import("./loading.js").LoadResult} answer
   * @returns {string}
   */
  tryShow({ payload, tensors, detail }) {
    try {
      if (payload && tensors) this.show(payload, tensors);
    } catch (error) {
      console.error(error);
      this.layout.clear();
      this.controller.currentState = null;
      this.showParameters([]);
      return "The figure has come, but cannot be shown.";
    }
    return detail;
  }

  /**
   * How far the figure is that is on its way.
   * @param {string} sentence
   */
  reportProgress(sentence) {
    const text = sentence || (this.controller.currentState ? "" : "The figure is on its way.");
    if (this.progress.textContent !== text) this.progress.textContent = text;
  }

  /**
   * @param {Parameter[]} all
   * @param {Record<string, string>} [wanted]
   */
  showParameters(all, wanted) {
    const parameters = all.filter(({ name }) => !this.hidden.has(name));
    this.parameters.show(parameters, wanted);
    this.dataUpload?.showFor(parameters);
    if (this.createJobsPanel && !this.jobsPanel && parameters.some(({ kind }) => kind === "job")) {
      this.jobsPanel = this.createJobsPanel(this);
      this.layout.body.before(this.jobsPanel.element);
    }
    this.jobsPanel?.show(parameters);
  }

  /** The parameters of the shown figure, or of its first part. */
  parameterValues() {
    const parameters = this.controller.currentState?.payload.parameters ?? [];
    return Object.fromEntries(parameters.map((spec) => [spec.name, String(fullValue(spec) ? spec.start : spec.value)]));
  }

  /**
   * @param {Payload} payload
   * @param {Record<string, Tensor>} tensors
   */
  show(payload, tensors) {
    const before = this.controller.currentState;
    const given = () => (this.linked ? positionsIn(payload.controls) : {});
    const kept = before ? before.positionsFor(payload.controls) : given();
    if (!before || !canReuseControls(before.payload, payload)) this.layout.stop();
    this.controller.currentState = new State(payload, tensors, kept);
    this.progress.textContent = "";
    this.root.setAttribute("aria-label", payload.title);
    if (this.layout.update(before?.payload ?? null, payload)) {
      this.codePanel = new CodePanel(this.controller, (text) => this.announce(text));
      this.actions = new Actions(this, this.codePanel);
      const { controls } = this.layout;
      const again = button("Reset", () => this.reset(), "reset");
      if (controls.childElementCount || payload.parameters.length) controls.append(again);
      else if (payload.controls.length) this.actions.element.prepend(again);
    }
    this.layout.toolbars[0].prepend(this.parameters.element);
    this.layout.mountViews(payload.views, (method) => this.updateFooter(method));
    this.draw();
    this.reserveSpace();
    this.publish();
    setSession(this.heightKey, `${this.root.offsetHeight}px`);
  }

  /**
   * What stands below the views.
   * @param {Element[]} method the sentences on how the figure's numbers came about
   */
  updateFooter(method) {
    setChildren(this.method, method);
    this.methodDetails.hidden = !method.length;
    const parts = [this.dataTables, { element: this.methodDetails }, this.dataUpload, this.actions].flatMap((part) => (part ? [part.element] : []));
    setChildren(this.footer, parts);
    // Held is a cell: what comes with that must not move it.
    return [this.cellEditor.element, this.footer, ...(this.codePanel ? [this.codePanel.element] : [])];
  }

  /** Keeps room for other words, at the width there is. */
  reserveSpace() {
    this.width = this.root.clientWidth;
    if (this.controller.currentState && this.width) reserveHeights(this.layout);
  }

  draw() {
    this.layout.draw();
    this.cellEditor.draw(this.controller.state);
    this.codePanel?.draw();
  }

  /** After a movement: the address and the text alternative follow. */
  onSettled() {
    this.publish();
    this.dataTables.draw();
    const text = this.layout.textAlternative();
    if (this.liveRegion.textContent !== text) this.liveRegion.textContent = text;
  }

  publish() {
    const { state } = this.controller;
    this.actions?.updateLink();
    // Another page may be opening under an unfinished movement.
    if (this.linked && location.pathname === this.path) writeAddress(state, this.parameterNames);
    publishState(this.anchor, allValues(state));
  }

  /** Its controls, and where each of them may stand; none before it has come. */
  controls() {
    return this.controller.currentState?.payload.controls ?? [];
  }

  reset() {
    const { state } = this.controller;
    for (const widget of this.layout.widgets) if ("stop" in widget) widget.stop();
    state.reset(this.hidden);
    this.layout.discardDraft();
    this.draw();
    const shown = state.payload.parameters.filter((spec) => !this.hidden.has(spec.name) && !fullValue(spec));
    const changed = shown.filter(({ value, start }) => value !== start);
    if (changed.length) this.load(Object.fromEntries(changed.map(({ name, start }) => [name, String(start)])));
    else this.controller.settle();
  }

  /** Says at the figure's buttons what came of pressing one. @param {string} text */
  announce(text) {
    (this.actions?.status ?? this.message).textContent = text;
  }

  unmount() {
    this.requests.cancel();
    this.jobsPanel?.stop();
    this.pressTracker.stop();
    this.resizeObserver.disconnect();
    this.layout.unmount();
    document.removeEventListener("keydown", this.onEscape);
    removeState(this.anchor);
    this.root.remove();
  }
}
