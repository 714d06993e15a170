// How a training stands, and what can be done with it.

import { div, button, element, setText } from "../engine/dom.js";
import { formatNumber } from "../engine/numbers.js";
import { duration, many } from "./words.js";

/** @typedef {import("./trainer.js").Status} Status */

/** In words. */
export const STATES = {
  queued: "Waiting",
  running: "Training",
  paused: "Paused",
  stopped: "Stopped",
  done: "Done",
  failed: "Failed",
};
const FILES = [["csv", "CSV"], ["parquet", "Parquet"]];

export class Report {
  /**
   * @param {import("./trainer.js").Trainer} trainer
   * @param {(change: import("./trainer.js").Change) => void} change
   */
  constructor(trainer, change) {
    this.trainer = trainer;
    /** @type {Status["state"] | ""} */
    this.state = "";
    this.title = element("p", "title");
    this.title.tabIndex = -1;
    this.bar = element("progress");
    this.bar.setAttribute("aria-label", "Steps trained");
    this.far = element("p", "far");
    this.pace = element("p", "pace");
    this.told = element("p", "told");
    this.told.setAttribute("role", "alert");
    /** What a screen reader hears: not every second. */
    this.spoken = element("p", "heard");
    this.spoken.setAttribute("role", "status");
    this.toggle = button("Pause", () => change(goes(this.state) ? "pause" : "resume"));
    this.end = button("Stop", () => change("stop"));
    this.links = FILES.map(([, text]) => element("a", "", text));
    this.files = element("span", "files", "All measurements:");
    this.files.append(...this.links);
    const actions = div("actions", [this.toggle, this.end, this.files]);
    this.element = element("section", "report");
    this.element.setAttribute("aria-label", "These runs");
    this.element.append(this.title, this.far, this.bar, this.pace, this.told, actions, this.spoken);
    /** What there is of a training that something is known of. */
    this.known = [this.title, this.bar, this.far, actions];
    this.clear();
  }

  /** Nothing is known yet. */
  clear() {
    this.state = "";
    this.element.hidden = true;
    for (const part of this.known) part.hidden = true;
    for (const line of [this.pace, this.spoken]) setText(line, "");
    this.say("");
  }

  /** @param {Status} status */
  show(status) {
    const { id, state, detail, steps, done, points, mine, title } = status;
    this.state = state;
    this.element.hidden = false;
    for (const part of this.known) part.hidden = false;
    setText(this.title, title);
    this.bar.max = steps;
    this.bar.value = done;
    const percent = Math.floor((100 * done) / steps);
    this.bar.textContent = `${percent}%`;
    setText(this.far, `${STATES[state]}: ${percent} %.`);
    setText(this.pace, [wait(status), detail, mine ? "" : WATCHED].filter(Boolean).join(" "));
    const tenth = `${STATES[state]}: ${10 * Math.floor(percent / 10)} percent.`;
    setText(this.spoken, [tenth, detail].filter(Boolean).join(" "));
    this.toggle.textContent = goes(state) ? "Pause" : "Resume";
    this.toggle.hidden = this.end.hidden = !mine || !(goes(state) || state === "paused");
    this.files.hidden = points === 0;
    FILES.forEach(([ending], i) => (this.links[i].href = this.trainer.measurements(id, ending)));
    // A button that goes leaves the keyboard's focus here.
    if ([this.toggle, this.end].some((gone) => gone.hidden && gone === document.activeElement)) this.focus();
  }

  /**
   * Nobody answers, or somebody who cannot tell now.
   * @param {string} sentence
   */
  silence(sentence) {
    this.element.hidden = false;
    setText(this.pace, sentence);
    setText(this.spoken, sentence);
  }

  /** @param {string} text */
  say(text) {
    this.element.hidden &&= !text;
    setText(this.told, text);
  }

  focus() {
    this.title.focus();
  }
}

const WATCHED = "Another browser has asked for these runs. Here they can be watched, not changed.";

/** Whether a training goes on by itself. @param {Status["state"] | ""} state */
function goes(state) {
  return state === "queued" || state === "running";
}

/** What is still to be waited for. @param {Status} status */
function wait({ state, ahead, pace, left }) {
  if (state === "queued") {
    if (!ahead) return "They are next.";
    return `${many(ahead, "training")} ${ahead === 1 ? "is" : "are"} before them.`;
  }
  if (state !== "running" || pace === null) return "";
  const speed = `${formatNumber(pace, "g3")} steps a second`;
  return left === null ? `${speed}.` : `${speed}, about ${duration(left)} left.`;
}
