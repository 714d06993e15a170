// What a phone says of a question, of a number or of a setting, as it stands. Nothing here knows a page.

import { PHONE } from "./words.js";

/** @typedef {import("./room_connection.js").Room} Room */
/** @typedef {import("./room_connection.js").Value} Value */
/** @typedef {import("./room_connection.js").Connection} Connection */
/** @typedef {import("./answer_outbox.js").Given} Given */
/**
 * What is named in a sentence: an answer, with the words of its option or without, or some text.
 * @typedef {{answer: Value, short?: boolean} | {text: string} | {seconds: number}} Named
 */
/**
 * A sentence, with what stands for each @ in it.
 * @typedef {{words: string, named: Named[]}} Sentence
 */
/** @typedef {"" | "kept" | "warn"} Tone */
/** @typedef {{sentences: Sentence[], tone: Tone}} Note */
/** @typedef {{mark: string, isMine: boolean, isRight: boolean}} Option */
/**
 * @typedef {object} Facts
 * @property {Room} room
 * @property {Given | null} given in the present round
 * @property {Given | null} first in the round before
 * @property {Value | null} late what came when the present round was closed
 * @property {Connection | ""} connection
 * @property {number} seconds until the server is asked again
 * @property {boolean} [isCurve] whether what is handed in is a place on a curve
 */

/**
 * The line below what is asked.
 * @param {Facts} facts
 * @returns {Note}
 */
export function note(facts) {
  const { room, given, late } = facts;
  const { poll } = room;
  if (!poll || room.mode === "paused") return say("", PHONE.paused);
  if (poll.phase === "shown") return told(facts);
  if (given && !given.kept) return unsent(facts, given);
  if (late !== null && poll.phase !== "asking") {
    return say("warn", PHONE.late, { answer: late, short: true }, given ? { answer: given.value, short: true } : { text: PHONE.none });
  }
  if (poll.phase === "talking") return say("", PHONE.talk);
  if (poll.phase === "closed") return given ? say("kept", PHONE.closed, { answer: given.value }) : say("", PHONE.nothing);
  return asking(facts);
}

/** @param {Facts} facts @returns {Note} */
function asking({ room: { poll }, given, first, isCurve }) {
  const isSetting = poll?.kind === "setting";
  if (given) return say("kept", isSetting ? PHONE.handed : PHONE.kept, { answer: given.value });
  if (isSetting) return say("", isCurve ? PHONE.slide : PHONE.move);
  if (poll && poll.round > 1) return first ? say("", PHONE.again, { answer: first.value }) : say("", PHONE.anew);
  return say("", poll?.kind === "number" ? PHONE.type : PHONE.open);
}

/**
 * @param {Facts} facts
 * @param {Given} given
 * @returns {Note}
 */
function unsent({ connection, seconds }, { value }) {
  if (connection === "offline") return say("warn", PHONE.offline, { answer: value });
  if (connection === "away") return say("warn", PHONE.away, { answer: value }, { seconds });
  return say("", PHONE.sending, { answer: value });
}

/** @param {Facts} facts @returns {Note} */
function told({ room: { poll, shown }, given, first }) {
  if (poll?.kind === "setting") {
    return given ? say("kept", PHONE.handedShown, { answer: given.value }) : say("", PHONE.handedNone);
  }
  /** @type {Sentence[]} */
  const sentences = [];
  if (shown && shown.right !== null) sentences.push({ words: PHONE.right, named: [{ answer: shown.right }] });
  const [before, now] = [first, given].map((each) => (each ? { answer: each.value, short: true } : null));
  if (before && now) sentences.push({ words: PHONE.hadBoth, named: [before, now] });
  else if (before || now) sentences.push({ words: PHONE.had, named: [before ?? now ?? { text: "" }] });
  else sentences.push({ words: PHONE.hadNone, named: [] });
  return { sentences, tone: "kept" };
}

/**
 * What stands on the buttons of a choice.
 * @param {Facts} facts
 * @param {number} count of the options
 * @returns {Option[]}
 */
export function options({ room: { poll, shown }, given, first, connection }, count) {
  const { marks } = PHONE;
  const isShown = poll?.phase === "shown";
  const mine = given ?? (isShown || (poll?.phase === "talking") ? first : null);
  return Array.from({ length: count }, (_, place) => {
    const isMine = mine?.value === place;
    const isRight = isShown && shown?.right === place;
    let mark = "";
    if (isRight) mark = isMine ? marks.rightMine : marks.right;
    else if (isShown) mark = isMine ? marks.mine : "";
    else if (isMine) mark = mine.kept ? marks.kept : connection === "connected" ? marks.sending : marks.unsent;
    else if (!given && poll?.round !== 1 && first?.value === place) mark = marks.first;
    return { mark, isMine, isRight };
  });
}

/** Whether an answer can be given now. @param {Room} room */
export function isOpen({ mode, poll }) {
  return poll?.phase === "asking" && mode !== "paused" && mode !== "ended";
}

/** What the phone says of a round. @param {Room} room */
export function stage({ poll }) {
  if (!poll) return "";
  if (poll.phase === "talking") return PHONE.talking;
  if (poll.phase === "shown") return poll.kind === "setting" ? PHONE.settings : PHONE.answer;
  if (poll.kind === "setting") return "";
  return poll.phase === "closed" ? PHONE.isClosed(poll.round) : PHONE.round(poll.round);
}

/**
 * The state of the connection in words, as the header says it.
 * @param {Connection | ""} connection
 * @param {boolean} isSending
 * @returns {"connected" | "sending" | "offline" | "away" | ""}
 */
export function standing(connection, isSending) {
  return connection === "connected" && isSending ? "sending" : connection;
}

/**
 * How far one may look: to the last screen, or to that of an open question.
 * @param {Room} room
 * @param {number} teacher the place of the teacher's screen
 * @param {number} count
 */
export function horizon({ poll }, teacher, count) {
  return poll && poll.phase !== "shown" ? Math.min(teacher, count) : count;
}

/**
 * @param {Tone} tone
 * @param {string} words
 * @param {Named[]} named
 * @returns {Note}
 */
function say(tone, words, ...named) {
  return { sentences: [{ words, named }], tone };
}
