// What stands in the middle of a phone while its room is open: a question, a figure to be handed in, or a screen to look at.

import { element } from "../engine/dom.js";
import { Choice, NumberField } from "./asked.js";
import { Setting } from "./figures.js";
import { Look } from "./browse.js";
import { PHONE } from "./words.js";

/** @typedef {import("./deck.js").Screen} Screen */
/** @typedef {import("./room_connection.js").Poll} Poll */
/** @typedef {import("./room_connection.js").Room} Room */
/** @typedef {import("./room_connection.js").Value} Value */
/**
 * What stands in the middle of the phone, and what of it stays in sight below that.
 * @typedef {{element: Element, bar?: Element, show?: (facts: import("./question_view.js").Facts) => void, remove?: () => void}} Panel
 */

/**
 * What is asked.
 * @param {Room} room
 * @param {Poll} poll
 * @param {Screen | null} screen null where its words have not come
 * @param {(value: Value) => void} give
 * @returns {Panel}
 */
export function asking(room, poll, screen, give) {
  if (poll.kind === "choice") return new Choice(poll, screen?.asked ?? null, give);
  if (poll.kind === "number") return new NumberField(poll, screen?.asked ?? null, give);
  if (!screen?.figure) return looking(room, screen, false);
  const setting = new Setting(screen, screen.figure, give, room.task);
  // It begins where the teacher has set it, unless that may be what is to be found.
  if (room.task || !screen.figure.goal) setting.figure.follow(room.pose);
  return setting;
}

/**
 * What is looked at.
 * @param {Room} room
 * @param {Screen | null} screen null where it has not come
 * @param {boolean} isApart whether it is not the teacher's
 * @returns {Panel}
 */
export function looking(room, screen, isApart) {
  return screen ? new Look(screen, !isApart, isApart ? "" : room.task) : { element: element("p", "told", PHONE.coming) };
}

/**
 * Says what a student who looks should know, and has the figure follow.
 * @param {Look} look
 * @param {Room} room
 * @param {boolean} isApart whether the screen is not the teacher's
 */
export function tell(look, room, isApart) {
  const { mode, poll, pose } = room;
  const isPaused = mode === "paused";
  const isOpen = poll !== null && poll.phase !== "shown";
  look.figure?.element.toggleAttribute("inert", isPaused);
  look.say(isPaused ? PHONE.paused : isApart && isOpen ? PHONE.ahead : mode === "free" && look.figure && !isApart ? PHONE.free : "");
  if (mode === "led" && !isApart) look.figure?.follow(pose);
  else look.figure?.release();
}
