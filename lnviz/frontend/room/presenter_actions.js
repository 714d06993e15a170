// The presenter's next actions, as pure functions of the room's state.

import { hasRounds } from "./question_view.js";
import { handedIn, isPutAway, meetsConditions } from "./results.js";
import { REMOTE } from "./remote_strings.js";

/** @typedef {import("./room_connection.js").Room} Room */
/** @typedef {import("./room_connection.js").Tally} Tally */
/** @typedef {import("./room_connection.js").Value} Value */
/** @typedef {import("./deck.js").Screen} Screen */
/** @typedef {{verb: string, round?: number, poll?: number, question?: null, open?: boolean}} Command */
/** @typedef {"" | "early" | "wait" | "most" | "finish" | "explain" | "discuss"} Advice */
/**
 * A button: its text and command; `next` turns to the figure's next step, or to the next slide. Before one with `discards`, the remote asks.
 * @typedef {{words: string, command: Command | "next", discards?: boolean}} Action
 */
/**
 * @typedef {object} PresenterActions
 * @property {string} title of the question
 * @property {string[]} steps
 * @property {number} step index of the present step; -1 before the first
 * @property {Action} main
 * @property {Action[]} others
 */

/** Below this number of answers, hints could identify individuals. */
export const MIN_ANSWERS = 5;
/** Percentages of right answers between which discussion helps. */
const [LOW, HIGH] = [35, 70];

/**
 * Return the command that uncovers the slide, in whose place the projector shows how to join or a student's question; null
 * if it shows the slide.
 * @param {Pick<Room, "card" | "featured">} room
 * @returns {Command | null}
 */
export function coverCommand({ card, featured }) {
  if (card) return { verb: "card", open: false };
  return featured ? { verb: "feature", question: null } : null;
}

/** Return the step of the figure and the number of its steps; nothing where it has none, or a question or a task hides them. @param {Room} room */
export function shownSteps({ poll, task, counted }) {
  return poll || task ? [] : counted.slice(2);
}

/** Return the step of the figure at an offset from the current one; 0 if there is none. @param {Room} room @param {number} by */
export function stepAt(room, by) {
  const [step = 0, steps = 0] = shownSteps(room);
  return step && step + by <= steps ? step + by : 0;
}

/**
 * Return whether two states differ at most in the figure and the join card, for which a command stays as it was meant.
 * @param {Room} one
 * @param {Room} other
 */
export function differsOnlyInPose(one, other) {
  const fields = /** @type {const} */ (["mode", "lesson", "screen", "slide", "task", "locked", "poll", "shown"]);
  return fields.every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]));
}

/**
 * Return whether a command that changes neither slide nor question may have arrived, although its response did not.
 * @param {Room} one
 * @param {Room} other
 */
export function hasArrived(one, other) {
  const fields = /** @type {const} */ (["card", "featured", "questions", "remotes"]);
  return fields.some((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
}

/** Return whether the figure is at another step, or the projector at another slide. @param {Room} one @param {Room} other */
export function hasTurned({ counted: before }, { counted: after }) {
  return before[0] !== after[0] || before[2] !== after[2];
}

/**
 * Return whether the room is at an earlier slide than before, or an earlier step of the figure there.
 * @param {Room} before
 * @param {Room} after
 */
export function isBehind({ slides, lesson, counted: [slide = 0, , step = 0] }, { slides: slidesAfter, lesson: lessonAfter, counted: [slideAfter = 0, , stepAfter = 0] }) {
  if (String(slides) !== String(slidesAfter) || (!slides?.length && lesson !== lessonAfter)) return false;
  return slideAfter > 0 && (slideAfter < slide || (slideAfter === slide && stepAfter > 0 && stepAfter < step));
}

/**
 * Return the kind of question on a slide; "" for none.
 * @param {Screen | null} screen
 * @returns {"" | "choice" | "number" | "setting"}
 */
export function questionKind(screen) {
  return screen?.asked?.kind ?? (screen?.figure ? "setting" : "");
}

/**
 * Return the actions for the present state.
 * @param {Room} room
 * @param {Screen | null} screen
 * @param {Tally | null} tally
 * @returns {PresenterActions}
 */
export function nextActions(room, screen, tally) {
  const { poll } = room;
  const cover = coverCommand(room);
  if (cover) {
    const [title, words] = room.card ? [REMOTE.hasCard, REMOTE.hideCard] : [REMOTE.features, REMOTE.offWall];
    return { title, steps: [], step: -1, main: { words, command: cover }, others: [] };
  }
  /** @type {Action} */
  const next = { words: stepAt(room, 1) ? REMOTE.nextStep : REMOTE.nextScreen, command: "next" };
  if (!poll) return beforeQuestion(room, screen, next);
  const { kind, round, phase, text } = poll;
  const isChoice = kind === "choice";
  const reopen = { words: REMOTE.reopen(hasRounds(poll) ? round : 0), command: { verb: "again", round } };
  const startOver = { words: REMOTE.over, command: { verb: "over" }, discards: true };
  const [words, title] = isChoice ? [screen?.asked?.right === null ? REMOTE.showResult : REMOTE.show, heading(round, phase)] : countText(kind, tally);
  const show = { words, command: { verb: "show" } };
  const steps = isChoice ? REMOTE.steps : REMOTE.settingSteps;
  const step = stepOf(isChoice, round, phase);
  const all = { title, steps, step };
  if (phase === "asking") return { ...all, main: { words: REMOTE.close, command: { verb: "close" } }, others: [startOver] };
  const talk = { words: REMOTE.talk, command: { verb: "talk" } };
  const askAgain = { words: REMOTE.again, command: { verb: "again", round: 2 } };
  if (phase === "shown") {
    const putAway = { words: text ? REMOTE.backToScreen : REMOTE.backToFigure, command: { verb: "away" } };
    // A result that the class has seen does not change any more.
    return { ...all, main: isPutAway(poll) ? putAway : next, others: [isChoice && round === 1 ? askAgain : startOver] };
  }
  if (phase === "talking") return { ...all, main: askAgain, others: [reopen, show] };
  if (!isChoice || round > 1) return { ...all, main: show, others: [reopen] };
  const advised = tally ? advice(room, screen, tally) : "";
  if (advised === "explain") return { ...all, main: askAgain, others: [talk, reopen, show] };
  if (advised === "most") return { ...all, main: show, others: [talk, reopen] };
  return { ...all, main: talk, others: [reopen, show] };
}

/**
 * Return the actions before a question is asked, or after its result was put away.
 * @param {Room} room
 * @param {Screen | null} screen
 * @param {Action} next
 * @returns {PresenterActions}
 */
function beforeQuestion({ task, results = [] }, screen, next) {
  const kind = questionKind(screen);
  const steps = { "": [], choice: REMOTE.steps, number: REMOTE.settingSteps, setting: REMOTE.settingSteps }[kind];
  const all = { steps, step: -1 };
  const ask = { words: kind === "setting" ? REMOTE.askSetting : REMOTE.ask, command: { verb: "ask" } };
  if (!kind) return { ...all, title: task ? REMOTE.tells : REMOTE.asksNothing, main: next, others: [] };
  const handed = handedIn(results);
  if (handed) return { ...all, title: REMOTE.asksSetting, main: next, others: [{ words: REMOTE.handedIn, command: { verb: "recall", poll: handed.id } }, ask] };
  // A figure without a task is for viewing: asking is the secondary action.
  if (kind === "setting" && !screen?.figure?.goal && !task) return { ...all, title: REMOTE.asksSetting, main: next, others: [ask] };
  return { ...all, title: REMOTE.asks, main: ask, others: [] };
}

/**
 * Return the heading of a choice's results.
 * @param {number} round
 * @param {import("./room_connection.js").Phase} phase
 */
function heading(round, phase) {
  if (phase === "asking") return REMOTE.soFar(round);
  return phase === "shown" ? REMOTE.shown(round) : REMOTE.closed(round);
}

/**
 * Return the texts of the show button and the heading.
 * @param {"number" | "setting"} kind
 * @param {Tally | null} tally
 */
function countText(kind, tally) {
  const [answered, different] = [tally?.answered ?? 0, tally?.values.length ?? 0];
  if (kind === "number") return [REMOTE.showNumbers, REMOTE.numbers(answered, different)];
  return [REMOTE.showSettings, REMOTE.settings(answered, different)];
}

/**
 * Return the index of the present step.
 * @param {boolean} isChoice
 * @param {number} round
 * @param {import("./room_connection.js").Phase} phase
 */
function stepOf(isChoice, round, phase) {
  if (!isChoice) return { asking: 0, closed: 1, talking: 1, shown: 2 }[phase];
  if (phase === "shown") return 3;
  return round === 2 ? 2 : phase === "talking" ? 1 : 0;
}

/** Return whether an answer is right; null if that is undefined. @param {Screen | null} screen @param {Value} value */
export function isRight(screen, value) {
  const { asked, figure } = screen ?? {};
  if (typeof value === "object") return figure?.goal ? meetsConditions(figure.goal.conditions, value) : null;
  if (asked?.kind === "choice") return asked.right === null ? null : asked.right === value;
  if (asked?.value === undefined) return null;
  return Math.abs(value - asked.value) <= (asked.tolerance ?? 0) * (1 + 1e-9);
}

/**
 * Return the percentage of right answers; null if there are none, or if that is undefined.
 * @param {Screen | null} screen
 * @param {Tally} tally
 */
export function percentRight(screen, { counts, values }) {
  /** @type {[Value, number][]} */
  const counted = values.length ? values.map(([value, count]) => [value, count]) : counts.map((count, place) => [place, count]);
  const all = counted.reduce((sum, [, count]) => sum + count, 0);
  if (!all || counted.some(([value]) => isRight(screen, value) === null)) return null;
  const right = counted.reduce((sum, [value, count]) => sum + (isRight(screen, value) ? count : 0), 0);
  return Math.round((100 * right) / all);
}

/**
 * Return what the answers suggest to do next, which the hint says, and the main button does once the round is closed.
 * @param {Room} room
 * @param {Screen | null} screen
 * @param {Tally} tally of the present round
 * @returns {Advice}
 */
function advice({ poll }, screen, tally) {
  const percent = percentRight(screen, tally);
  if (!poll || poll.kind === "setting" || poll.phase === "shown" || !tally.answered || percent === null) return "";
  if (tally.answered < MIN_ANSWERS) return "early";
  if (poll.phase === "asking" && 2 * tally.answered < tally.here) return "wait";
  if (percent > HIGH) return "most";
  if (poll.round > 1 || poll.kind === "number") return "finish";
  return percent < LOW ? "explain" : "discuss";
}

/**
 * Return a recommendation based on the answers: a bold part and the rest, both possibly "".
 * @param {Room} room
 * @param {Screen | null} screen
 * @param {Tally} tally of the present round
 * @returns {[string, string]}
 */
export function hint(room, screen, tally) {
  const percent = percentRight(screen, tally);
  if (room.poll?.kind === "setting") return settingHint(tally, percent);
  const advised = advice(room, screen, tally);
  if (!advised) return ["", ""];
  return [advised === "early" || advised === "wait" || percent === null ? "" : REMOTE.share(percent), REMOTE.advice[advised]];
}

/**
 * Return the hint for submitted settings: how many meet the task.
 * @param {Tally} tally
 * @param {number | null} percent
 * @returns {[string, string]}
 */
function settingHint({ answered }, percent) {
  return ["", percent === null || answered < MIN_ANSWERS ? "" : REMOTE.meet(percent)];
}
