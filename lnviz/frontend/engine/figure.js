// One interactive figure: loads payloads, then only looks values up.

import { Actions } from "./actions.js";
import { hiddenNames, parametersIn, positionsIn, allValues, writeAddress } from "./address.js";
import { disclosure, DataTables } from "./figure_footer.js";
import { CodePanel } from "./code.js";
import { setChildren, div, button, element, keepFocus, addStyleSheet, setText } from "./dom.js";
import { FigureLayout } from "./figure_layout.js";
import { PressTracker } from "./press_tracker.js";
import { FigureController } from "./controller.js";
import { FigureRequests } from "./loading.js";
import { setSession, getSession } from "./memory.js";
import { CellEditor } from "./cell_editor.js";
import { DataUpload } from "./data_upload.js";
import { fullValue, Parameters } from "./parameters.js";
import { canReuseControls } from "./reconcile.js";
import { reserveHeights } from "./reserve_height.js";
import { Retry } from "./retry.js";
import { removeState, publishState } from "./visible_state.js";
import { State } from "./state.js";

/** @typedef {import("./payload").Parameter} Parameter */
/** @typedef {import("./payload").Payload} Payload */
/** @typedef {import("./tensors.js").Tensor} Tensor */
/**
 * A panel above a figure for some of its parameters, such as the reader's trainings.
 * @typedef {{element: Element, show: (parameters: Parameter[]) => void, stop: () => void}} Panel
 */
/**
 * The part of a figure that a panel uses.
 * @typedef {object} FigureHost
 * @property {(parameters: Record<string, string>) => Promise<void>} load shows it for other parameters
 * @property {() => Promise<boolean>} refresh reloads it; resolves to whether that succeeded
 */
/**
 * @typedef {object} Options
 * @property {string} name distinguishes figures mounted in the same element
 * @property {import("./loading.js").LoadPayload} load
 * @property {import("./data_upload.js").UploadFile} [send] uploads a reader's own data
 * @property {(host: FigureHost) => Panel} [jobs] creates the trainings panel, for figures with such a parameter
 * @property {string[]} parameters names that the URL may contain
 * @property {string} [page] URL of the figure's own page, unless it is shown there
 * @property {string} [anchor] fragment of links to the figure, unless it has its own page
 * @property {boolean} [linked] whether the page's URL holds its state; true by default
 * @property {string[] | null} [leading] URL names of controls that come first on a small screen, where the others fold
 * behind a button; null, the default, where none fold
 * @property {Assets} [assets] by default, beside this script
 */
/** @typedef {{style: string, plotly: string}} Assets URLs of the style sheet ("" if already loaded) and of Plotly */

const WIDTH_CLASS = 64;

/** Return the URLs of assets beside this script. @returns {Assets} */
export function defaultAssets() {
  const address = (/** @type {string} */ name) => new URL(name, import.meta.url).href;
  return { style: address("../page/page.css"), plotly: address("../plotly.min.js") };
}

/** An interactive figure. */
export class Figure {
  /**
   * @param {Element} parent
   * @param {Options} options
   */
  constructor(parent, { name, load, send, jobs, parameters, page = "", anchor = "", linked = true, leading = null, assets = defaultAssets() }) {
    this.name = name;
    this.page = page;
    this.anchor = anchor;
    this.parameterNames = parameters;
    this.linked = linked;
    this.path = location.pathname;
    /** Names of controls and parameters hidden from the reader. */
    this.hidden = linked ? hiddenNames() : new Set();
    this.root = element("section", "ln");
    this.root.id = anchor;
    this.controller = new FigureController(() => this.draw(), () => this.onSettled());
    this.layout = new FigureLayout(this.root, this.controller, this.hidden, assets.plotly, send ? (values) => this.requestFromView(values) : null, () => this.loadDefaults(), leading);
    this.message = this.root.appendChild(element("p", "message"));
    this.message.setAttribute("role", "alert");
    this.progress = this.root.appendChild(element("p", "progress"));
    this.progress.setAttribute("aria-live", "polite");
    const styleSheet = assets.style ? addStyleSheet(assets.style) : undefined;
    /** @type {import("./loading.js").LoadPayload} */
    const loadStyled = async (parameters, options) => {
      // A figure without its style sheet would reserve wrong heights.
      const [payload] = await Promise.all([load(parameters, options), styleSheet]);
      return payload;
    };
    this.requests = new FigureRequests(loadStyled, (sentence) => this.reportProgress(sentence));
    this.parameters = new Parameters((values) => this.load(values));
    this.dataUpload = send ? new DataUpload(send, (values) => this.load(values, true)) : null;
    this.createJobsPanel = jobs;
    /** Created only where a parameter names trainings. @type {Panel | null} */
    this.jobsPanel = null;
    this.cellEditor = new CellEditor(this.controller, (values) => this.load(values));
    this.pressTracker = new PressTracker(this.layout.body);
    this.liveRegion = element("p", "spoken");
    this.liveRegion.setAttribute("role", "status");
    this.root.append(...(this.dataUpload ? [this.dataUpload.result] : []), this.layout.body, this.liveRegion);
    // The focus may be elsewhere by then: on a slider, or nowhere.
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
    /** How the figure's numbers were computed. */
    this.methodDetails = disclosure("How this was measured", [this.method]);
    this.footer = div("below", []);
    /** Attempts to load a figure of which there is nothing to show yet. */
    this.retry = new Retry(() => this.open());
    this.reportProgress("");
    parent.append(this.root);
    /** Remembered by approximate width, to reserve the height before the payload arrives. */
    this.heightKey = `height ${name} ${Math.round(this.root.clientWidth / WIDTH_CLASS)}`;
    this.root.style.setProperty("--ln-height", getSession(this.heightKey) || null);
    this.width = 0;
    this.resizeObserver = new ResizeObserver(() => {
      if (this.root.clientWidth !== this.width) this.reserveSpace();
    });
    this.resizeObserver.observe(this.root);
    // A screen can become low without becoming narrower.
    this.layout.onPlaced = () => this.reserveSpace();
  }

  open() {
    return this.load(this.linked ? parametersIn(this.parameterNames) : {}, true);
  }

  /**
   * Load the figure for other parameters. The current figure stays until the payload arrives, and stays after an error.
   * @param {Record<string, string>} parameters
   * @param {boolean} [opening] whether invalid combinations are corrected
   */
  async load(parameters, opening = false) {
    this.root.setAttribute("aria-busy", "true");
    const shown = { ...this.parameterValues(), ...this.parameters.drafts };
    const response = await this.requests.get(shown, parameters, opening);
    if (!response) return;
    this.root.removeAttribute("aria-busy");
    keepFocus(this.root, () => {
      this.message.textContent = this.tryShow(response.answer);
      if (this.controller.currentState) this.showParameters(this.controller.currentState.payload.parameters, response.requested);
    });
    this.retryUnlessShown(response, opening);
    this.loadRemaining();
  }

  /**
   * Where there is no figure yet, offer to load it again, and do so if the server did not respond.
   * @param {{requested: Record<string, string>, answer: import("./loading.js").LoadResult}} response
   * @param {boolean} opening
   */
  retryUnlessShown({ requested, answer }, opening) {
    const isMissing = !this.controller.currentState;
    const isUnanswered = isMissing && Boolean(answer.isUnanswered);
    this.root.toggleAttribute("data-unanswered", isUnanswered);
    this.retry.attempt = () => this.load(requested, opening);
    if (isUnanswered) this.retry.schedule();
    else this.retry.cancel();
    if (!isMissing) return;
    this.progress.textContent = "";
    this.offerRetry(() => {
      this.message.textContent = "";
      this.reportProgress("");
      this.retry.attempt();
    });
  }

  /** Load the full figure after a partial one; on failure, offer a retry. */
  async loadRemaining() {
    const { currentState: before } = this.controller;
    const partial = (before?.payload.parameters ?? []).filter((spec) => fullValue(spec) && spec.value !== fullValue(spec));
    if (!partial.length) return;
    const full = Object.fromEntries(partial.map((spec) => [spec.name, fullValue(spec)]));
    const loaded = await this.refresh(full, (text) => this.reportProgress(text));
    const failed = !loaded && this.controller.currentState === before && !this.requests.pending && this.progress.textContent;
    if (failed) this.progress.append(" ", button("Try again", () => this.loadRemaining()));
  }

  /** Load the figure for values sent by a view, and scroll it into view. @param {Record<string, string>} values */
  requestFromView(values) {
    if (this.root.getBoundingClientRect().top < 0) this.root.scrollIntoView();
    this.load(values);
  }

  /**
   * Reload the shown figure, for numbers that have changed since. Does not disturb the reader: waits while a control is
   * pressed, lets animations continue, and gives way to explicit requests.
   * @param {Record<string, string>} [parameters] those that change
   * @param {(sentence: string) => void} [report]
   * @returns {Promise<boolean>} whether it was updated
   */
  async refresh(parameters = {}, report = () => {}) {
    const { currentState: before } = this.controller;
    if (!before || this.requests.pending) return false;
    const answer = await this.requests.refresh({ ...this.parameterValues(), ...parameters }, report);
    await this.pressTracker.whenReleased();
    // While waiting, the figure may have been removed: on a phone the teacher turns to the next slide.
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

  /** Show a retry button in place of a figure that cannot be shown. @param {() => void} retry */
  offerRetry(retry) {
    this.layout.body.replaceChildren(button("Try again", retry));
  }

  /**
   * Show a response, and return a message for the reader.
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
      return "The figure arrived but can’t be shown.";
    }
    return detail;
  }

  /**
   * Show the progress of a pending request.
   * @param {string} sentence
   */
  reportProgress(sentence) {
    // One message at a time: why there is no figure stays while it is tried again.
    const text = sentence || (this.controller.currentState || this.message.textContent ? "" : "Loading the figure.");
    setText(this.progress, text);
  }

  /**
   * @param {Parameter[]} all
   * @param {Record<string, string>} [requested]
   */
  showParameters(all, requested) {
    const parameters = all.filter(({ name }) => !this.hidden.has(name));
    this.parameters.show(parameters, requested);
    this.dataUpload?.showFor(parameters);
    if (this.createJobsPanel && !this.jobsPanel && parameters.some(({ kind }) => kind === "job")) {
      this.jobsPanel = this.createJobsPanel(this);
      this.layout.body.before(this.jobsPanel.element);
    }
    this.jobsPanel?.show(parameters);
  }

  /** Return the parameters of the shown figure, or of its partial version. */
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
    const fromUrl = () => (this.linked ? positionsIn(payload.controls) : {});
    const positions = before ? before.positionsFor(payload.controls) : fromUrl();
    if (!before || !canReuseControls(before.payload, payload)) this.layout.stop();
    const editing = this.cellEditor.suspend();
    this.controller.currentState = new State(payload, tensors, positions);
    this.progress.textContent = "";
    this.root.setAttribute("aria-label", payload.title);
    if (this.layout.update(before?.payload ?? null, payload)) {
      this.codePanel = new CodePanel(this.controller, (text) => this.announce(text));
      this.actions = new Actions(this, this.codePanel);
      const { controls } = this.layout;
      const resetButton = button("Reset", () => this.reset(), "reset");
      if (controls.childElementCount || payload.parameters.length) controls.append(resetButton);
      else if (payload.controls.length) this.actions.element.prepend(resetButton);
      controls.append(...this.layout.moreButtons);
    }
    this.layout.toolbars[0].prepend(this.parameters.element);
    this.layout.mountViews(payload.views, (method) => this.updateFooter(method));
    this.updateSteps(!before);
    this.draw();
    this.cellEditor.resume(this.layout.firstGrid(payload.edits?.pointer), editing);
    this.reserveSpace();
    this.publish();
    setSession(this.heightKey, `${this.root.offsetHeight}px`);
  }

  /**
   * Update the steps to the payload: none if a hidden control or parameter has another value than its default, or would
   * get one.
   * @param {boolean} opening
   */
  updateSteps(opening) {
    const { payload, positions, held } = this.controller.state;
    const isHiddenControl = payload.controls.some(({ kind, name, slug, start }) => {
      const isMoved = kind === "pointer" ? held.has(name) : positions[name] !== start;
      return this.hidden.has(slug) && (isMoved || payload.steps.some((step) => step.positions[name] !== start));
    });
    const isHidden = isHiddenControl || payload.parameters.some((spec) => this.hidden.has(spec.name) && !fullValue(spec) && spec.value !== spec.start);
    const isStart = !this.changedParameters().length && payload.controls.every(({ name, start }) => positions[name] === start);
    const same = this.changedParameters().length ? "none" : "same";
    this.layout.steps.update(isHidden ? [] : payload.steps, opening && isStart ? "first" : same);
  }

  /** Return the parameters that the reader can choose and has changed. */
  changedParameters() {
    const { parameters } = this.controller.state.payload;
    return parameters.filter((spec) => !this.hidden.has(spec.name) && !fullValue(spec) && spec.value !== spec.start);
  }

  /** Load the figure for the defaults of its parameters, if it is shown for others; return whether it is shown for them. */
  async loadDefaults() {
    const changed = this.changedParameters();
    if (changed.length) await this.load(Object.fromEntries(changed.map(({ name, start }) => [name, String(start)])));
    return this.root.isConnected && this.controller.currentState !== null && !this.changedParameters().length;
  }

  /**
   * Update and return the elements below the views.
   * @param {Element[]} method sentences on how the figure's numbers were computed
   */
  updateFooter(method) {
    setChildren(this.method, method);
    this.methodDetails.hidden = !method.length;
    const parts = [this.dataTables, { element: this.methodDetails }, this.dataUpload, this.actions].flatMap((part) => (part ? [part.element] : []));
    setChildren(this.footer, parts);
    // The cell editor comes first: a pinned cell must not move when it appears.
    return [this.cellEditor.element, this.footer, ...(this.codePanel ? [this.codePanel.element] : [])];
  }

  /** Reserve heights for other states, at the present width. */
  reserveSpace() {
    this.width = this.root.clientWidth;
    if (this.controller.currentState && this.width) reserveHeights(this.layout);
  }

  draw() {
    this.layout.draw();
    this.cellEditor.draw();
    this.codePanel?.draw();
  }

  /** After a movement, update the address and the text alternative. */
  onSettled() {
    this.publish();
    this.dataTables.draw();
    const text = this.layout.textAlternative();
    setText(this.liveRegion, text);
  }

  publish() {
    const { state } = this.controller;
    this.actions?.updateLink();
    // The page may already have changed while a movement was unfinished.
    if (this.linked && location.pathname === this.path) writeAddress(state, this.parameterNames);
    publishState(this.anchor, allValues(state));
  }

  /** Return the controls with their positions; none before the first payload. */
  controls() {
    return this.controller.currentState?.payload.controls ?? [];
  }

  reset() {
    const { state } = this.controller;
    for (const widget of this.layout.widgets) if ("stop" in widget) widget.stop();
    state.reset(this.hidden);
    this.layout.discardDraft();
    this.draw();
    this.publish(); // at once: an exercise that begins now looks at this state
    this.loadDefaults().then(() => {
      if (!this.controller.currentState || !this.root.isConnected) return;
      this.updateSteps(true);
      this.draw();
      this.controller.settle();
    });
  }

  /** Announce the result of an action beside the figure's buttons. @param {string} text */
  announce(text) {
    (this.actions?.status ?? this.message).textContent = text;
  }

  unmount() {
    this.retry.cancel();
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
