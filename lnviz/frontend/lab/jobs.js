// Panel of the reader's trainings: request, watch and list them.

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
/** While the page is hidden, the job is paused, or the server does not respond. */
const SLOW_POLL_MS = 5000;

/** Panel of the reader's trainings. */
export class JobsPanel {
  /**
   * @param {Trainer} trainer
   * @param {import("../engine/figure.js").FigureHost} figure
   */
  constructor(trainer, figure) {
    this.trainer = trainer;
    this.figure = figure;
    /** The parameter that names the shown job. */
    this.parameter = "";
    /** Id of the shown job, or "". */
    this.id = "";
    /** Number of the last measurement shown; null if unknown. @type {number | null} */
    this.points = null;
    /** Whether the figure is being updated. */
    this.refreshing = false;
    /** Id of the job to focus once its status arrives. */
    this.requestedId = "";
    /** @type {AbortController | null} */
    this.polling = null;
    /** Aborts the reader's last change. @type {AbortController | null} */
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

  /** Show the panel if a parameter names trainings. @param {import("../engine/payload").Parameter[]} parameters */
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

  /** Show a job, and move the focus to it. @param {string} id */
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

  /** List the latest jobs of this browser. @param {string} shown id of the one in the figure */
  async listJobs(shown) {
    let jobs;
    try {
      jobs = await this.trainer.mine();
    } catch (error) {
      if (!(error instanceof UserFacingError)) console.error(error);
      return; // keep the old list
    }
    const open = jobs.filter(({ state }) => !isFinished(state)).length;
    this.past.hidden = !jobs.length;
    this.summary.textContent = `Your latest runs: ${jobs.length}` + (open ? `, ${open} not finished` : "");
    // Open the list for a returning reader with running jobs.
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

  /** Poll a job's status until it is finished. @param {string} id */
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
   * Poll once.
   * @param {string} id
   * @param {AbortSignal} signal
   * @returns {Promise<number>} milliseconds until the next poll
   */
  async pollOnce(id, signal) {
    let status;
    try {
      status = await this.trainer.status(id, { signal, report: (sentence) => this.statusView.showUnreachable(sentence) });
    } catch (error) {
      if (signal.aborted || !(error instanceof NetworkError)) throw error;
      const reason = error.reason || "The server is not responding.";
      this.statusView.showUnreachable(`${reason} Trying again every ${SLOW_POLL_MS / 1000} seconds.`);
      return SLOW_POLL_MS;
    }
    if (signal.aborted) return Infinity;
    this.applyStatus(status);
    if (isFinished(status.state) && this.points === status.points) return Infinity;
    return document.hidden || status.state === "paused" ? SLOW_POLL_MS : POLL_MS;
  }

  /** @param {JobStatus} status */
  applyStatus(status) {
    const hasChanged = this.statusView.state !== "" && this.statusView.state !== status.state;
    this.statusView.show(status);
    if (this.requestedId === status.id) this.focusStatus();
    if (hasChanged) this.listJobs(status.id);
    this.refresh(status);
  }

  /** Update the figure for new measurements. @param {JobStatus} status */
  async refresh({ id, points }) {
    if (this.points === points || this.refreshing) return;
    this.refreshing = true;
    const isUpdated = await this.figure.refresh();
    this.refreshing = false;
    if (isUpdated && this.id === id) this.points = points;
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
      // The present poll interval may be long.
      this.stop();
      this.poll(id);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof UserFacingError)) console.error(error);
      if (this.id === id) this.statusView.showMessage(error instanceof Error ? error.message : String(error));
    }
  }

  /** Stop polling. */
  stop() {
    this.polling?.abort();
    this.polling = null;
  }
}

/** Return whether a job in this state is finished. @param {JobStatus["state"]} state */
function isFinished(state) {
  return state === "stopped" || state === "done" || state === "failed";
}
