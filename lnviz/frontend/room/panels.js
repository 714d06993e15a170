// Panels in the middle of a phone: a question, a figure to submit, or a slide.

import { element } from "../engine/dom.js";
import { ChoicePanel, NumberPanel } from "./question_panels.js";
import { SettingPanel } from "./phone_figure.js";
import { BrowsePanel } from "./browse.js";
import { askedScreen } from "./own_question.js";
import { PHONE } from "./strings.js";

/** @typedef {import("./deck.js").Screen} Screen */
/** @typedef {import("./room_connection.js").Poll} Poll */
/** @typedef {import("./room_connection.js").Room} Room */
/** @typedef {import("./room_connection.js").Value} Value */
/**
 * A panel, and the part of it that stays visible at the bottom.
 * @typedef {{element: Element, bar?: Element, show?: (facts: import("./question_view.js").Facts) => void, remove?: ()
 * => void}} Panel
 */

/**
 * Return the panel of a question.
 * @param {Room} room
 * @param {Poll} poll
 * @param {Screen | null} slide null if not loaded
 * @param {(value: Value) => void} onSubmit
 * @param {Partial<import("./slide_position.js").Stop>} stop the slide in the projector's plan, as far as known
 * @returns {Panel}
 */
export function questionPanel(room, poll, slide, onSubmit, stop) {
  const screen = askedScreen(poll, slide);
  if (poll.kind === "choice") return new ChoicePanel(poll, screen?.asked ?? null, onSubmit);
  if (poll.kind === "number") return new NumberPanel(poll, screen?.asked ?? null, onSubmit);
  if (!screen?.figure) return browsePanel(room, screen, false, {});
  const setting = new SettingPanel(screen, screen.figure, onSubmit, room.task, stop.control);
  // Start at the projector's pose, or where it began the exercise.
  if (room.task || !screen.figure.goal) setting.startAt(room);
  else setting.figure.start = screen.figure.goal.conditions;
  return setting;
}

/**
 * Return the panel of a slide.
 * @param {Room} room
 * @param {Screen | null} screen null if not loaded
 * @param {boolean} isOwn whether the participant browses, instead of following
 * @param {Partial<import("./slide_position.js").Stop>} stop the slide in the projector's plan, as far as known
 * @returns {Panel}
 */
export function browsePanel(room, screen, isOwn, stop) {
  return screen ? new BrowsePanel(screen, !isOwn, isOwn ? (stop.task ?? "") : room.task, stop) : { element: element("p", "told", PHONE.coming) };
}

/**
 * Update the panel of a slide: its status line, and whether its figure follows.
 * @param {BrowsePanel} panel
 * @param {Room} room
 * @param {boolean} isOwn whether the participant browses, instead of following
 * @param {boolean} isShut whether the participant browses, but may not look ahead
 */
export function updateBrowsePanel(panel, room, isOwn, isShut) {
  const { mode, pose, counted: [, , step] } = room;
  const isPaused = mode === "paused";
  panel.figure?.element.toggleAttribute("inert", isPaused);
  const isLed = mode === "led" && !isOwn;
  if (isLed) panel.figure?.follow(pose, step);
  else if (panel.follows) panel.figure?.stopFollowing();
  // Who comes while phones are free begins where the projector is.
  else if (panel.follows === null && !isOwn) panel.figure?.apply(pose, step);
  panel.follows = isLed;
  panel.setStatus(isPaused ? PHONE.paused : isShut ? PHONE.ahead : mode === "free" && panel.figure && !isOwn ? PHONE.free : "");
}
