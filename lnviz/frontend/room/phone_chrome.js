// What stands around the screen of a phone: where it is, where one can go, and whether one is lost.

import { setChildren, div, button, element, setText } from "../engine/dom.js";
import { horizon, stage } from "./question_view.js";
import { PHONE } from "./words.js";

/** @typedef {import("./deck.js").Screen} Screen */
/** @typedef {import("./room_connection.js").Room} Room */
/**
 * @typedef {object} Ways
 * @property {(by: number) => void} go
 * @property {() => void} follow
 * @property {() => void} look
 * @property {() => void} lose says that one is lost, or is not any more
 */
/**
 * @typedef {object} Standing
 * @property {Room} room
 * @property {Screen | null} teachers the teacher's screen, as far as it has come
 * @property {boolean} isCurrent whether that is the one the room is at
 * @property {number} look the place where a student looks around; 0 while following
 * @property {number} place the same, and 0 where the teacher is, too
 * @property {boolean} isLost
 */

export class Frame {
  /** @param {Ways} ways */
  constructor({ go, follow, look, lose }) {
    /** The lesson's title, cut where it is long, and the place in it. */
    this.lesson = element("span", "lesson");
    this.at = element("span");
    this.where = element("p", "where");
    this.where.append(this.lesson, this.at);
    this.earlier = button(PHONE.earlier, () => go(-1));
    this.later = button(PHONE.later, () => go(1));
    this.turner = div("turner", [this.earlier, this.later]);
    /** For whoever does not see that another screen has come. */
    this.turned = element("p", "turned");
    this.turned.setAttribute("role", "status");
    this.back = button(PHONE.back, follow, "main");
    this.follows = button(PHONE.follow, follow);
    this.looks = button(PHONE.look, look);
    this.segments = div("segments", [this.follows, this.looks]);
    this.segments.setAttribute("role", "group");
    this.segments.ariaLabel = PHONE.which;
    this.lost = button(PHONE.lost, lose, "lost");
    this.footer = element("footer");
    this.footer.hidden = true;
  }

  /** @param {Standing} standing @param {Element[]} bar what of the screen stays in sight */
  show({ room, teachers, isCurrent, look, place, isLost }, bar) {
    const [at, count] = teachers ? counted(room, teachers) : [0, 0];
    const title = teachers && !place ? teachers.title : "";
    const whole = teachers ? (place ? PHONE.around(place, teachers.count, teachers.place) : PHONE.where(at, count)) : "";
    const words = teachers ? [whole, place ? "" : stage(room)].filter(Boolean) : [];
    setText(this.lesson, title);
    setText(this.at, [...(title ? [""] : []), ...words].join(" · "));
    this.follows.setAttribute("aria-pressed", String(!look));
    this.looks.setAttribute("aria-pressed", String(look > 0));
    const most = teachers ? horizon(room, teachers.place, teachers.count) : 1;
    this.earlier.setAttribute("aria-disabled", String(look <= 1));
    this.later.setAttribute("aria-disabled", String(look >= most));
    this.back.hidden = !place;
    if (teachers && !place && isCurrent) setText(this.turned, PHONE.turned(at, count, room.task || teachers.called));
    this.lost.setAttribute("aria-pressed", String(isLost));
    this.lost.textContent = isLost ? PHONE.isLost : PHONE.lost;
    this.footer.hidden = false;
    setChildren(this.footer, [...bar, this.back, this.segments, this.lost]);
  }
}

/** Which of how many the teacher's screen is: as the wall counts, or else in its lesson. @param {Room} room @param {Screen} screen */
function counted({ counted }, { place, count }) {
  return counted.length ? counted : [place, count];
}
