// Students' questions on the remote: the most wanted first; each can be shown on the projector, or hidden.

import { div, button, element, isRendered } from "../engine/dom.js";
import { LiveList } from "./live_list.js";
import { request } from "./requests.js";
import { REMOTE } from "./remote_strings.js";

/** @typedef {import("./room_connection.js").Room} Room */
/** @typedef {import("./room_connection.js").Tally} Tally */
/** @typedef {{id: number, text: string, seconds: number, hidden: boolean, own: boolean, seconded: boolean}} StudentQuestion */

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
    const list = element("ul", "asked-questions");
    this.element = element("details", "questions");
    this.element.append(this.summary, this.toggle, list);
    /** @type {LiveList<StudentQuestion>} */
    this.live = new LiveList({
      list,
      isOpen: () => this.element.open && isRendered(this.element),
      load: () => this.load(),
      describe: (question) => JSON.stringify([question, this.isShown(question), this.isVoteOpen]),
      line: (question) => this.line(question),
    });
    this.element.addEventListener("toggle", () => this.live.refresh());
  }

  /** Whether a vote is open, which a question must not hide. */
  get isVoteOpen() {
    return this.room?.poll?.phase === "asking";
  }

  /** Return whether the projector shows a question. @param {StudentQuestion} question */
  isShown({ id }) {
    return this.room?.featured?.id === id;
  }

  /** @param {Room} room @param {Tally | null} tally */
  show(room, tally) {
    this.room = room;
    this.summary.textContent = REMOTE.questions(tally?.questions ?? 0);
    this.toggle.textContent = room.questions ? REMOTE.takesQuestions : REMOTE.takeQuestions;
    this.toggle.setAttribute("aria-pressed", String(room.questions));
    this.live.draw();
  }

  /** Load the questions. @returns {Promise<StudentQuestion[] | null>} */
  async load() {
    const { status, body } = await request(`${this.address}/questions?as=remote`);
    return status === 200 ? body.questions : null;
  }

  /** @param {StudentQuestion} question */
  line(question) {
    const { id, text, seconds, hidden } = question;
    const isShown = this.isShown(question);
    const isShut = this.isVoteOpen && !isShown;
    const show = button(isShut ? REMOTE.closeFirst : isShown ? REMOTE.offWall : REMOTE.onWall, () => {
      if (!isShut) this.change(this.command("feature", { question: isShown ? null : id }));
    });
    show.setAttribute("aria-disabled", String(isShut));
    show.hidden = hidden;
    const hide = button(hidden ? REMOTE.unhide : REMOTE.hide, () => this.change(request(`${this.address}/questions`, "PATCH", { id, hidden: !hidden })));
    const item = element("li", hidden ? "is-hidden" : "");
    item.append(element("p", "", text), element("p", "soft", REMOTE.seconds(seconds)), div("two", [show, hide]));
    return item;
  }

  /** @param {Promise<unknown>} done */
  async change(done) {
    await done;
    await this.live.refresh();
  }
}
