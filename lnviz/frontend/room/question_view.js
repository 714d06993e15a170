// Texts of a question on a phone, as pure functions of its state.

import { PHONE } from "./strings.js";

/** @typedef {import("./room_connection.js").Room} Room */
/** @typedef {import("./room_connection.js").Value} Value */
/** @typedef {import("./room_connection.js").Connection} Connection */
/** @typedef {import("./answer_outbox.js").StoredAnswer} StoredAnswer */
/**
 * A value in a sentence: an answer (optionally without its text), a text, or a countdown.
 * @typedef {{answer: Value, short?: boolean} | {text: string} | {seconds: number}} Placeholder
 */
/**
 * A sentence, and the values of its @ placeholders.
 * @typedef {{words: string, named: Placeholder[]}} Sentence
 */
/** @typedef {"" | "kept" | "warn"} Tone */
/** @typedef {{sentences: Sentence[], tone: Tone}} Note */
/** @typedef {{mark: string, isMine: boolean, isRight: boolean}} Option */
/**
 * @typedef {object} Facts
 * @property {Room} room
 * @property {StoredAnswer | null} answer in the present round
 * @property {StoredAnswer | null} previous in the previous round
 * @property {Value | null} late an answer that arrived after the round was closed
 * @property {Connection | ""} connection
 * @property {number} seconds until the next connection attempt
 * @property {boolean} [isCurve] whether the setting is a position on a curve
 */

/**
 * Return the status note of a question.
 * @param {Facts} facts
 * @returns {Note}
 */
export function statusNote(facts) {
  const { room, answer, late, previous } = facts;
  const { poll } = room;
  if (!poll || room.mode === "paused") return noteOf("", PHONE.paused);
  if (poll.phase === "shown") return resultNote(facts);
  if (answer && !answer.kept) return unsentNote(facts, answer);
  if (late !== null && poll.phase !== "asking") {
    return noteOf("warn", PHONE.late, { answer: late, short: true }, answer ? { answer: answer.value, short: true } : { text: PHONE.none });
  }
  if (poll.phase === "talking") return noteOf("", PHONE.talk);
  if (poll.phase === "closed" && answer) return noteOf("kept", PHONE.closed, { answer: answer.value });
  if (poll.phase === "closed") return previous ? noteOf("", PHONE.nothingAgain, { answer: previous.value, short: true }) : noteOf("", PHONE.nothing);
  return openNote(facts);
}

/** Return the note while the round is open. @param {Facts} facts @returns {Note} */
function openNote({ room: { poll }, answer, previous, isCurve }) {
  const isSetting = poll?.kind === "setting";
  if (answer) return noteOf("kept", isSetting ? PHONE.handed : PHONE.kept, { answer: answer.value });
  if (isSetting) return noteOf("", isCurve ? PHONE.slide : PHONE.move);
  if (poll && poll.round > 1) return previous ? noteOf("", PHONE.again, { answer: previous.value }) : noteOf("", PHONE.anew);
  return noteOf("", poll?.kind === "number" ? PHONE.type : PHONE.open);
}

/**
 * Return the note of an answer that the server has not confirmed.
 * @param {Facts} facts
 * @param {StoredAnswer} answer
 * @returns {Note}
 */
function unsentNote({ connection, seconds }, { value }) {
  if (connection === "offline") return noteOf("warn", PHONE.offline, { answer: value });
  if (connection === "away") return noteOf("warn", PHONE.away, { answer: value }, { seconds });
  return noteOf("", PHONE.sending, { answer: value });
}

/** Return the note once the results are shown. @param {Facts} facts @returns {Note} */
function resultNote({ room: { poll, shown }, answer, previous }) {
  if (poll?.kind === "setting") {
    return answer ? noteOf("kept", PHONE.handedShown, { answer: answer.value }) : noteOf("", PHONE.handedNone);
  }
  /** @type {Sentence[]} */
  const sentences = [];
  if (shown && shown.right !== null) sentences.push({ words: PHONE.right, named: [{ answer: shown.right }] });
  const [before, now] = [previous, answer].map((each) => (each ? { answer: each.value, short: true } : null));
  if (before && now) sentences.push({ words: PHONE.hadBoth, named: [before, now] });
  else if (before) sentences.push({ words: PHONE.hadFirst, named: [before] });
  else if (now) sentences.push({ words: PHONE.had, named: [now] });
  else sentences.push({ words: PHONE.hadNone, named: [] });
  return { sentences, tone: "kept" };
}

/**
 * Return the marks of a choice's options.
 * @param {Facts} facts
 * @param {number} count of the options
 * @returns {Option[]}
 */
export function optionMarks({ room: { poll, shown }, answer, previous, connection }, count) {
  const { marks } = PHONE;
  const isShown = poll?.phase === "shown";
  const mine = answer ?? (isShown || (poll?.phase === "talking") ? previous : null);
  return Array.from({ length: count }, (_, place) => {
    const isMine = mine?.value === place;
    const isRight = isShown && shown?.right === place;
    let mark = "";
    if (isRight) mark = isMine ? marks.rightMine : marks.right;
    else if (isShown) mark = isMine ? marks.mine : "";
    else if (isMine) mark = mine.kept ? marks.kept : connection === "connected" ? marks.sending : marks.unsent;
    else if (!answer && poll?.round !== 1 && previous?.value === place) mark = marks.first;
    return { mark, isMine, isRight };
  });
}

/** Numbers from this size on are refused by the server. */
const TOO_LARGE = 1e300;

/**
 * Return why a typed number cannot be sent; "" if it can.
 * @param {number} value as parsed
 */
export function numberProblem(value) {
  if (Number.isNaN(value)) return PHONE.unread;
  return Math.abs(value) >= TOO_LARGE ? PHONE.tooLarge : "";
}

/** Return whether answers are accepted now. @param {Room} room */
export function isOpen({ mode, poll }) {
  return poll?.phase === "asking" && mode !== "paused" && mode !== "ended";
}

/**
 * Return whether a vote or its result has come, or a pause, which a dialog must not cover.
 * @param {Room} before
 * @param {Room} after
 */
export function needsAttention(before, after) {
  const stages = [isOpen, (/** @type {Room} */ { poll }) => poll?.phase === "shown", (/** @type {Room} */ { mode }) => mode === "paused"];
  return stages.some((isAt) => isAt(after) && (!isAt(before) || after.poll?.id !== before.poll?.id));
}

/** Return whether a poll can have a second round. @param {Pick<import("./room_connection.js").Poll, "kind">} poll */
export function hasRounds({ kind }) {
  return kind === "choice";
}

/** Return the description of the present round. @param {Room} room */
export function roundText({ poll, shown }) {
  if (!poll) return "";
  if (poll.phase === "talking") return PHONE.talking;
  if (poll.phase === "shown" && poll.kind === "setting") return PHONE.settings;
  // A question of the teacher's own may have no right answer, and a number of theirs has none.
  if (poll.phase === "shown") return poll.text && typeof shown?.right !== "number" ? PHONE.answers : PHONE.answer;
  if (!hasRounds(poll)) return poll.phase === "closed" ? PHONE.isClosed : "";
  return poll.phase === "closed" ? PHONE.isRoundClosed(poll.round) : PHONE.round(poll.round);
}

/**
 * Return the connection state for the header.
 * @param {Connection | ""} connection
 * @param {boolean} isSending
 * @returns {"connected" | "sending" | "offline" | "away" | ""}
 */
export function connectionState(connection, isSending) {
  return connection === "connected" && isSending ? "sending" : connection;
}

/**
 * Return whether slides after the projector's can be browsed: not before the answer to its question is shown.
 * @param {Room} room
 * @param {unknown} asked the question on the projector's slide, asked already or not; null for none
 */
export function canLookAhead({ poll, resolved }, asked) {
  const isOver = !poll || poll.phase === "shown";
  return isOver && (!asked || resolved);
}

/**
 * Return a note of one sentence.
 * @param {Tone} tone
 * @param {string} words
 * @param {Placeholder[]} named
 * @returns {Note}
 */
function noteOf(tone, words, ...named) {
  return { sentences: [{ words, named }], tone };
}
