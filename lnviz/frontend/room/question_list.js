// Students' questions on the remote: the most wanted first; each can be shown on the projector, or hidden.

import { div, button, element, setChildren } from "../engine/dom.js";
import { request } from "./requests.js";
import { REMOTE } from "./remote_strings.js";

/** @typedef {import("./room_connection.js").Room} Room */
/** @typedef {import("./room_connection.js").Tally} Tally */
/** @typedef {{id: number, text: string, seconds: number, hidden: boolean, own: boolean, seconded: boolean}} StudentQuestion */

/** Milliseconds between two requests while the list is open. */
const REFRESH_MS = 3_000;

export class QuestionList {
  /**
   * @param {string} address URL of the room
   * @param {(verb: "questions" | "feature", more: Record<string, unknown>) => Promise<boolean>} command
   */
  constructor(address, command) {
    this.address = address;
    this.command = command;
    /** @type {Room | null} */
    this.room = null;
    this.summary = element("summary");
    this.toggle = button(REMOTE.takeQuestions, () => this.command("questions", { open: !this.room?.questions }));
    this.list = element("ul", "asked-questions");
    this.element = element("details", "questions");
    this.element.append(this.summary, this.toggle, this.list);
    this.element.addEventListener("toggle", () => this.load());
    this.timer = 0;
  }

  /** @param {Room} room @param {Tally | null} tally */
  show(room, tally) {
    this.room = room;
    this.summary.textContent = REMOTE.questions(tally?.questions ?? 0);
    this.toggle.textContent = room.questions ? REMOTE.takesQuestions : REMOTE.takeQuestions;
    this.toggle.setAttribute("aria-pressed", String(room.questions));
  }

  async load() {
    clearTimeout(this.timer);
    if (!this.element.open || !this.element.isConnected) return;
    const { status, body } = await request(`${this.address}/questions?as=remote`);
    if (status === 200) this.draw(body.questions);
    this.timer = setTimeout(() => this.load(), REFRESH_MS);
  }

  /** @param {StudentQuestion[]} questions */
  draw(questions) {
    setChildren(this.list, questions.map((question) => this.line(question)));
  }

  /** @param {StudentQuestion} question */
  line({ id, text, seconds, hidden }) {
    const isShown = this.room?.featured?.id === id;
    const show = button(isShown ? REMOTE.offWall : REMOTE.onWall, () => this.change(this.command("feature", { question: isShown ? null : id })));
    show.hidden = hidden;
    const hide = button(hidden ? REMOTE.unhide : REMOTE.hide, () => this.change(request(`${this.address}/questions`, "PATCH", { id, hidden: !hidden })));
    const item = element("li", hidden ? "is-hidden" : "");
    item.append(element("p", "", text), element("p", "soft", REMOTE.seconds(seconds)), div("two", [show, hide]));
    return item;
  }

  /** @param {Promise<unknown>} done */
  async change(done) {
    await done;
    await this.load();
  }
}
