// The time left in a round that has a time limit.

import { element, setText } from "../engine/dom.js";

/** Milliseconds between updates. */
const TICK_MS = 250;

export class TimeLeft {
  constructor() {
    /** Not announced: a screen reader would read every second. */
    this.element = element("span", "time-left");
    this.element.ariaHidden = "true";
    this.element.hidden = true;
    this.endsAt = 0;
    this.timer = 0;
  }

  /** Show the time until a round ends. @param {import("./room_connection.js").Poll | null | undefined} poll */
  show(poll) {
    this.endsAt = (poll?.phase === "asking" && poll.endsAt) || 0;
    clearInterval(this.timer);
    this.timer = this.endsAt ? setInterval(() => this.draw(), TICK_MS) : 0;
    this.draw();
  }

  draw() {
    // Rounded: by a clock that is a little late, a limit of a minute would start at 1:01.
    const seconds = Math.max(0, Math.round((this.endsAt - Date.now()) / 1000));
    this.element.hidden = !this.endsAt;
    if (this.endsAt) setText(this.element, `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`);
  }
}
