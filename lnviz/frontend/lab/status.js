// View of a job's status, with buttons to pause and stop it.

import { div, button, element, setText } from "../engine/dom.js";
import { formatNumber } from "../engine/numbers.js";
import { duration, pluralize } from "../engine/counts.js";

/** @typedef {import("./trainer.js").JobStatus} JobStatus */

/** State labels. */
export const STATES = {
  queued: "Waiting",
  running: "Training",
  paused: "Paused",
  stopped: "Stopped",
  done: "Done",
  failed: "Failed",
};
const FILES = [["csv", "CSV"], ["parquet", "Parquet"]];

/** Status of a job, with buttons. */
export class StatusView {
  /**
   * @param {import("./trainer.js").Trainer} trainer
   * @param {(change: import("./trainer.js").JobAction) => void} change
   */
  constructor(trainer, change) {
    this.trainer = trainer;
    /** @type {JobStatus["state"] | ""} */
    this.state = "";
    this.title = element("p", "title");
    this.title.tabIndex = -1;
    this.bar = element("progress");
    this.bar.setAttribute("aria-label", "Steps trained");
    this.percentLine = element("p", "far");
    this.paceLine = element("p", "pace");
    this.alert = element("p", "told");
    this.alert.setAttribute("role", "alert");
    /** Announced to screen readers only in steps, not every second. */
    this.liveRegion = element("p", "heard");
    this.liveRegion.setAttribute("role", "status");
    this.pauseButton = button("Pause", () => change(isActive(this.state) ? "pause" : "resume"));
    this.stopButton = button("Stop", () => change("stop"));
    this.links = FILES.map(([, text]) => element("a", "", text));
    this.files = element("span", "files", "All measurements:");
    this.files.append(...this.links);
    const actions = div("actions", [this.pauseButton, this.stopButton, this.files]);
    this.element = element("section", "report");
    this.element.setAttribute("aria-label", "These runs");
    this.element.append(this.title, this.percentLine, this.bar, this.paceLine, this.alert, actions, this.liveRegion);
    /** Elements shown once the status is known. */
    this.details = [this.title, this.bar, this.percentLine, actions];
    this.clear();
  }

  /** Hide the status. */
  clear() {
    this.state = "";
    this.element.hidden = true;
    for (const part of this.details) part.hidden = true;
    for (const line of [this.paceLine, this.liveRegion]) setText(line, "");
    this.showMessage("");
  }

  /** @param {JobStatus} status */
  show(status) {
    const { id, state, detail, steps, done, points, mine, title } = status;
    this.state = state;
    this.element.hidden = false;
    for (const part of this.details) part.hidden = false;
    setText(this.title, title);
    this.bar.max = steps;
    this.bar.value = done;
    const percent = Math.floor((100 * done) / steps);
    this.bar.textContent = `${percent}%`;
    setText(this.percentLine, `${STATES[state]}: ${percent}%.`);
    setText(this.paceLine, [waitingText(status), detail, mine ? "" : READ_ONLY].filter(Boolean).join(" "));
    const tenth = `${STATES[state]}: ${10 * Math.floor(percent / 10)} percent.`;
    setText(this.liveRegion, [tenth, detail].filter(Boolean).join(" "));
    this.pauseButton.textContent = isActive(state) ? "Pause" : "Resume";
    this.pauseButton.hidden = this.stopButton.hidden = !mine || !(isActive(state) || state === "paused");
    this.files.hidden = points === 0;
    FILES.forEach(([ending], i) => (this.links[i].href = this.trainer.measurements(id, ending)));
    // If the focused button disappears, move the focus to the title.
    if ([this.pauseButton, this.stopButton].some((node) => node.hidden && node === document.activeElement)) this.focus();
  }

  /**
   * Show that the server cannot be reached.
   * @param {string} sentence
   */
  showUnreachable(sentence) {
    this.element.hidden = false;
    setText(this.paceLine, sentence);
    setText(this.liveRegion, sentence);
  }

  /** @param {string} text */
  showMessage(text) {
    this.element.hidden &&= !text;
    setText(this.alert, text);
  }

  focus() {
    this.title.focus();
  }
}

const READ_ONLY = "These runs were started in another browser. You can watch them here, but not change them.";

/** Return whether a job is waiting or running. @param {JobStatus["state"] | ""} state */
function isActive(state) {
  return state === "queued" || state === "running";
}

/** Return the remaining time, or the position in the queue. @param {JobStatus} status */
function waitingText({ state, ahead, pace, left }) {
  if (state === "queued") {
    if (!ahead) return "They are next in line.";
    return `${pluralize(ahead, "training")} ${ahead === 1 ? "is" : "are"} ahead of them.`;
  }
  if (state !== "running" || pace === null) return "";
  const speed = `${formatNumber(pace, "g3")} steps a second`;
  return left === null ? `${speed}.` : `${speed}, ${duration(left)} left.`;
}
