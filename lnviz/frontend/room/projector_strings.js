// Texts of the projector, in a module that phones do not load. An @ is a placeholder, set in bold.

import { pluralize } from "../engine/counts.js";
import { PHONE } from "./strings.js";

/** Phones that lead, or ask to. */
export const LEADERS = {
  asks: (/** @type {number} */ number) => `A phone asks to lead. It shows the number ${number}.`,
  leads: (/** @type {number} */ number) => `Phone ${number} is a remote, too.`,
  isThis: (/** @type {number} */ number) => `This phone is remote number ${number}.`,
  allow: "Let it lead",
  refuse: "Refuse",
  remove: "Remove …",
  removeAsk: (/** @type {number} */ number) => `Remove remote number ${number}?`,
  removeSays: "It will no longer control this room.",
  removeThis: "This phone will no longer control this room.",
  removeIt: "Remove",
};

/** Shows settings again that were put away. */
export const HANDED_IN = "What was handed in";

export const PROJECTOR = {
  figure: "The figure",
  resume: (/** @type {string} */ code, /** @type {number} */ here) => `Return to room ${code} (${here} here)`,
  goTo: (/** @type {string} */ code, /** @type {number} */ here) => `Go to the class in room ${code} (${here} here)`,
  bring: (/** @type {string} */ code) => `Bring the class in room ${code} here`,
  bringBack: (/** @type {string} */ code, /** @type {number} */ place) => `Bring the class in room ${code} back to screen ${place}`,
  elsewhere: (/** @type {string} */ code) => `The class in room ${code} is in another presentation.`,
  endsQuestion: "Bringing the class here ends its question.",
  open: "Open a room for phones",
  openNew: "Open a new room",
  noRoom: "Present without a room",
  resumeTitle: (/** @type {number} */ rooms) => (rooms > 1 ? `You have ${rooms} open rooms` : "You have an open room"),
  notOpened: "No room was opened.",
  join: "Join with your phone",
  shows: "Your phone shows what the projector shows, and you answer on it. No name, no account.",
  wifi: "No network? Wi-Fi @",
  password: "password @",
  network: "QR code of the Wi-Fi",
  reached: "A phone has opened this address.",
  nowhere: "No phone can reach this server: it accepts connections from this computer only. Restart it with --address 0.0.0.0.",
  unreached: "No phone has opened this address yet. Try yours first.",
  here: (/** @type {number} */ here) => `${here} here`,
  /** What phones do, unless they follow. */
  modes: { led: "", free: "phones are free", paused: "phones are paused", ended: "" },
  answered: (/** @type {number} */ answered, /** @type {number} */ here) => `${answered} of ${here} answered`,
  handed: (/** @type {number} */ answered, /** @type {number} */ here) => `${answered} of ${here} handed in`,
  asking: "Answer on your phone. You can change your answer until the question closes.",
  again: "Same question. Choose again: the same answer or a different one.",
  paused: "Paused: phones take no answers now.",
  closed: (/** @type {number} */ round) => (round ? `Round ${round} is closed.` : "Closed."),
  talk: "Tell your neighbor your answer and why. Then everyone votes again.",
  right: "✓ right",
  first: "Which of these comes first?",
  move: "Try settings on your phone, then hand one in.",
  moveFreely: "Your teacher says what to look for. Try settings on your phone, then hand one in.",
  found: "These settings were handed in.",
  answers: (/** @type {number} */ count) => pluralize(count, "answer"),
  settings: (/** @type {number} */ count) => pluralize(count, "setting"),
  undrawn: (/** @type {number} */ count, /** @type {string[]} */ settings) =>
    [`${pluralize(count, "setting")} ${count === 1 ? "has" : "have"} no place in this chart`, settings.slice(0, 3).join("; ")].filter(Boolean).join(": "),
  inAll: (/** @type {string[]} */ settings) => `in all: ${settings.join(", ")}`,
  classQuestion: PHONE.classQuestion,
  met: (/** @type {number} */ met, /** @type {number} */ all) => (all ? `${met ? "✓ " : ""}${met} of ${all} meet the task` : "No setting was handed in"),
  larger: "larger dot: more students",
  others: "others",
  students: "students",
  picture: "QR code of the room’s address",
  ended: "The room has ended.",
  away: "The server can’t be reached. The presentation keeps working.",
  overtaken: "The class was turned to this screen meanwhile.",
  behind: "The phones do not have this screen yet. It is sent again.",
  failed: "The server did not get that. Try again.",
  leave: "A question is open. Press again to leave it.",
  leaveClosed: "The result has not been shown. Press again to leave it.",
  locked: "This room is closed to newcomers.",
};

/**
 * Return how many are here or, once they are counted for the present round, how many of them have answered; and what phones
 * do, unless they follow.
 * @param {{poll: {id: number, round: number, kind: string} | null, mode: import("./room_connection.js").Room["mode"]}} room
 * @param {import("./room_connection.js").HeadCounts} heads
 */
export function attendanceText({ poll, mode }, heads) {
  const isCounted = poll !== null && heads.poll === poll.id && heads.round === poll.round;
  const count = poll?.kind === "setting" ? PROJECTOR.handed : PROJECTOR.answered;
  const counted = withSimulated(isCounted ? count(heads.answered, heads.asked) : PROJECTOR.here(heads.here), heads.simulated);
  return [counted, PROJECTOR.modes[mode]].filter(Boolean).join(" · ");
}

/** Add to a count how many simulated students are in it. @param {string} words @param {number} [simulated] */
export function withSimulated(words, simulated = 0) {
  return simulated ? `${words} · ${simulated} simulated` : words;
}
