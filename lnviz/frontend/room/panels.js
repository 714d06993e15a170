// What stands in the middle of a phone while its room is open: a question, a figure to be handed in, or a screen to look at.

import { element } from "../engine/dom.js";
import { ChoicePanel, NumberPanel } from "./question_panels.js";
import { SettingPanel } from "./phone_figure.js";
import { BrowsePanel } from "./browse.js";
import { PHONE } from "./strings.js";

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
 * @param {(value: Value) => void} onSubmit
 * @returns {Panel}
 */
export function questionPanel(room, poll, screen, onSubmit) {
  if (poll.kind === "choice") return new ChoicePanel(poll, screen?.asked ?? null, onSubmit);
  if (poll.kind === "number") return new NumberPanel(poll, screen?.asked ?? null, onSubmit);
  if (!screen?.figure) return browsePanel(room, screen, false);
  const setting = new SettingPanel(screen, screen.figure, onSubmit, room.task);
  // It begins where the teacher has set it, unless that may be what is to be found.
  if (room.task || !screen.figure.goal) setting.figure.follow(room.pose);
  return setting;
}

/**
 * What is looked at.
 * @param {Room} room
 * @param {Screen | null} screen null where it has not come
 * @param {boolean} isOwn whether it is not the teacher's
 * @returns {Panel}
 */
export function browsePanel(room, screen, isOwn) {
  return screen ? new BrowsePanel(screen, !isOwn, isOwn ? "" : room.task) : { element: element("p", "told", PHONE.coming) };
}

/**
 * Says what a student who looks should know, and has the figure follow.
 * @param {BrowsePanel} panel
 * @param {Room} room
 * @param {boolean} isOwn whether the screen is not the teacher's
 */
export function updateBrowsePanel(panel, room, isOwn) {
  const { mode, poll, pose } = room;
  const isPaused = mode === "paused";
  const isOpen = poll !== null && poll.phase !== "shown";
  panel.figure?.element.toggleAttribute("inert", isPaused);
  panel.setStatus(isPaused ? PHONE.paused : isOwn && isOpen ? PHONE.ahead : mode === "free" && panel.figure && !isOwn ? PHONE.free : "");
  if (mode === "led" && !isOwn) panel.figure?.follow(pose);
  else panel.figure?.stopFollowing();
}
