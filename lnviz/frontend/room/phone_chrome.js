// Header and footer of a phone: position in the lesson, navigation, and the "I am lost" button.

import { setChildren, div, button, element, setText } from "../engine/dom.js";
import { roundText } from "./question_view.js";
import { PHONE } from "./strings.js";

/** @typedef {import("./deck.js").Screen} Screen */
/** @typedef {import("./room_connection.js").Room} Room */
/**
 * @typedef {object} ChromeActions
 * @property {(by: number) => void} go
 * @property {() => void} follow
 * @property {() => void} browse
 * @property {() => void} lose toggles "I am lost"
 * @property {HTMLButtonElement} questionsButton opens the questions to the teacher
 */
/**
 * Header, navigation and footer of a phone.
 * @typedef {object} ChromeState
 * @property {Room} room
 * @property {Screen | null} teacherScreen the projector's slide, as far as loaded
 * @property {boolean} isCurrent whether that is the room's current slide
 * @property {string} title of the plan or the lesson
 * @property {string} called task or title of the projector's slide
 * @property {number} browsedPlace number of the slide being browsed; 0 while following
 * @property {number} ownPlace the same, but 0 at the projector's slide
 * @property {number} place number of the projector's slide; 0 before it is loaded
 * @property {number} count number of slides
 * @property {boolean} isFirst whether no earlier slide can be browsed
 * @property {boolean} isLast whether no later slide can be browsed
 * @property {boolean} isLost
 */

export class PhoneChrome {
  /** @param {ChromeActions} ways */
  constructor({ go, follow, browse, lose, questionsButton }) {
    /** The title of the plan or the lesson, truncated if long, and the position in it. */
    this.title = element("span", "title");
    this.position = element("span");
    this.where = element("p", "where");
    this.where.append(this.title, this.position);
    this.earlier = button(PHONE.earlier, () => go(-1));
    this.later = button(PHONE.later, () => go(1));
    this.turner = div("turner", [this.earlier, this.later]);
    /** Announces slide changes to screen readers. */
    this.announcement = element("p", "turned");
    this.announcement.setAttribute("role", "status");
    this.backButton = button(PHONE.back, follow, "main");
    /** Pressed while the participant looks around instead of following. */
    this.browseButton = button(PHONE.look, () => (this.isBrowsing ? follow() : browse()));
    this.isBrowsing = false;
    this.lostButton = button(PHONE.lost, lose);
    this.buttons = div("participant-buttons", [this.browseButton, this.lostButton, questionsButton]);
    this.footer = element("footer");
    this.footer.hidden = true;
  }

  /** @param {ChromeState} standing @param {Element[]} bar sticky elements of the panel */
  show({ room, teacherScreen, isCurrent, title, called, browsedPlace, ownPlace, place, count, isFirst, isLast, isLost }, bar) {
    const shownTitle = teacherScreen && !ownPlace ? title : "";
    const whole = teacherScreen ? (ownPlace ? PHONE.around(ownPlace, count, place) : PHONE.where(place, count)) : "";
    const words = teacherScreen ? [whole, ownPlace ? "" : roundText(room)].filter(Boolean) : [];
    setText(this.title, shownTitle);
    setText(this.position, [...(shownTitle ? [""] : []), ...words].join(" · "));
    this.isBrowsing = browsedPlace > 0;
    this.browseButton.setAttribute("aria-pressed", String(this.isBrowsing));
    this.browseButton.setAttribute("aria-disabled", String(room.mode === "paused" || !place));
    this.earlier.setAttribute("aria-disabled", String(isFirst));
    this.later.setAttribute("aria-disabled", String(isLast));
    this.backButton.hidden = !ownPlace;
    if (teacherScreen && !ownPlace && isCurrent) setText(this.announcement, PHONE.turned(place, count, called));
    this.lostButton.setAttribute("aria-pressed", String(isLost));
    if (isLost) this.lostButton.replaceChildren(PHONE.lost, " ", element("small", "", PHONE.fades));
    else this.lostButton.textContent = PHONE.lost;
    this.footer.hidden = false;
    setChildren(this.footer, [...bar, this.backButton, this.buttons]);
  }
}
