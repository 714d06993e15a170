// The reader's own trainings: asked for, watched while they run, and found again.

import { div, button, element } from "../engine/dom.js";
import { NetworkError } from "../engine/http.js";
import { UserFacingError } from "../engine/loading.js";
import { sleep } from "../engine/sleep.js";
import { StatusView, STATES } from "./status.js";
import { TrainingForm } from "./form.js";

/** @typedef {import("./trainer.js").JobStatus} JobStatus */
/** @typedef {import("./trainer.js").Trainer} Trainer */

const PREFIX = "job.";
const POLL_MS = 1000;
/** While nobody looks, nothing happens, or nobody answers. */
const SLOW_POLL_MS = 5000;

export class JobsPanel {
  /**
   * @param {Trainer} trainer
   * @param {import("../engine/figure.js").FigureHost} figure
   */
  constructor(trainer, figure) {
    this.trainer = trainer;
    this.figure = figure;
    /** The parameter that names what is shown. */
    this.parameter = "";
    /** The training that is shown, or "". */
    this.id = "";
    /** The last measurement that is shown; null where it is not known. @type {number | null} */
    this.points = null;
    /** Whether the figure is on its way with more of them. */
    this.refreshing = false;
    /** The training that the reader has asked to see, and not seen yet. */
    this.requestedId = "";
    /** @type {AbortController | null} */
    this.polling = null;
    /** The reader's last change. @type {AbortController | null} */
    this.changeRequest = null;
    this.statusView = new StatusView(trainer, (change) => this.change(change));
    this.list = element("ul");
    this.past = element("details", "own past");
    this.summary = element("summary");
    this.past.append(this.summary, this.list);
    this.form = new TrainingForm(trainer, (id) => this.showJob(id));
    this.element = div("jobs", [this.form.element, this.statusView.element, this.past]);
    this.element.hidden = this.past.hidden = true;
  }

  /** Shows itself where a parameter names trainings. @param {import("../engine/payload").Parameter[]} parameters */
  show(parameters) {
    const spec = parameters.find((each) => each.kind === "job");
    this.element.hidden = !spec;
    const id = spec?.value.startsWith(PREFIX) ? spec.value.slice(PREFIX.length) : "";
    const first = !this.parameter;
    this.parameter = spec?.name ?? "";
    if (spec) this.form.show(spec.form.experiments);
    if (spec && (first || id !== this.id)) this.listJobs(id);
    if (id === this.id) return;
    this.stop();
    this.id = id;
    this.points = null;
    this.statusView.clear();
    if (id) this.poll(id);
  }

  /** Shows a training, and brings the keyboard to it. @param {string} id */
  async showJob(id) {
    this.requestedId = id;
    await this.figure.load({ [this.parameter]: PREFIX + id });
    if (this.id !== id) this.requestedId = "";
    else if (this.statusView.state) this.focusStatus();
  }

  focusStatus() {
    this.requestedId = "";
    this.statusView.focus();
  }

  /** Lists the latest trainings of this browser. @param {string} shown the one in the figure */
  async listJobs(shown) {
    let jobs;
    try {
      jobs = await this.trainer.mine();
    } catch (error) {
      if (!(error instanceof UserFacingError)) console.error(error);
      return; // the list is as it was
    }
    const open = jobs.filter(({ state }) => !isFinished(state)).length;
    this.past.hidden = !jobs.length;
    this.summary.textContent = `Your latest runs: ${jobs.length}` + (open ? `, ${open} not finished` : "");
    // Who comes back finds what goes on.
    if (open && !shown) this.past.open = true;
    this.list.replaceChildren(...jobs.map((job) => this.listItem(job, shown)));
  }

  /**
   * @param {JobStatus} job
   * @param {string} shown
   */
  listItem({ id, title, state, created }, shown) {
    const item = element("li");
    const go = button(title, () => this.showJob(id));
    if (id === shown) go.setAttribute("aria-current", "true");
    const when = element("time", "", new Date(created).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" }));
    when.dateTime = created;
    const note = element("span", "", `${STATES[state].toLowerCase()}, `);
    note.append(when);
    item.append(go, note);
    return item;
  }

  /** Asks how a training stands until it has ended. @param {string} id */
  async poll(id) {
    const { signal } = (this.polling = new AbortController());
    try {
      for (let wait = 0; wait !== Infinity; wait = await this.pollOnce(id, signal)) await sleep(wait, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof UserFacingError)) throw error;
      this.statusView.showMessage(error.message);
    }
  }

  /**
   * Looks once.
   * @param {string} id
   * @param {AbortSignal} signal
   * @returns {Promise<number>} milliseconds until the next look
   */
  async pollOnce(id, signal) {
    let status;
    try {
      status = await this.trainer.status(id, { signal, report: (sentence) => this.statusView.showUnreachable(sentence) });
    } catch (error) {
      if (signal.aborted || !(error instanceof NetworkError)) throw error;
      const reason = error.reason || "The server does not answer.";
      this.statusView.showUnreachable(`${reason} It is asked again every ${SLOW_POLL_MS / 1000} seconds.`);
      return SLOW_POLL_MS;
    }
    if (signal.aborted) return Infinity;
    this.applyStatus(status);
    if (isFinished(status.state) && this.points === status.points) return Infinity;
    return document.hidden || status.state === "paused" ? SLOW_POLL_MS : POLL_MS;
  }

  /** @param {JobStatus} status */
  applyStatus(status) {
    const turned = this.statusView.state !== "" && this.statusView.state !== status.state;
    this.statusView.show(status);
    if (this.requestedId === status.id) this.focusStatus();
    if (turned) this.listJobs(status.id);
    this.refresh(status);
  }

  /** Has the figure follow. @param {JobStatus} status */
  async refresh({ id, points }) {
    if (this.points === points || this.refreshing) return;
    this.refreshing = true;
    const came = await this.figure.refresh();
    this.refreshing = false;
    if (came && this.id === id) this.points = points;
  }

  /** @param {import("./trainer.js").JobAction} change */
  async change(change) {
    const { id } = this;
    this.changeRequest?.abort();
    const { signal } = (this.changeRequest = new AbortController());
    const report = (/** @type {string} */ sentence) => this.id === id && this.statusView.showMessage(sentence);
    try {
      const status = await this.trainer.change(id, change, { signal, report });
      if (this.id !== id) return;
      this.applyStatus(status);
      this.statusView.showMessage("");
      // It may be looked at seldom so far.
      this.stop();
      this.poll(id);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof UserFacingError)) console.error(error);
      if (this.id === id) this.statusView.showMessage(error instanceof Error ? error.message : String(error));
    }
  }

  /** Asks no more. */
  stop() {
    this.polling?.abort();
    this.polling = null;
  }
}

/** Whether a training in this state has ended. @param {JobStatus["state"]} state */
function isFinished(state) {
  return state === "stopped" || state === "done" || state === "failed";
}
