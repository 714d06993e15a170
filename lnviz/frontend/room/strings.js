// Texts of the phone; the others' are in `projector_strings.js` and `remote_strings.js`. An @ is a placeholder, set in bold.

import { pluralize } from "../engine/counts.js";

export const CONNECTION_TEXT = {
  connected: "connected",
  sending: "sending",
  offline: "your phone is offline",
  away: "can’t reach the server",
};

/** Signs before the connection state. */
export const CONNECTION_SIGNS = { connected: "✓", sending: "…", offline: "!", away: "!" };

export const PHONE = {
  app: "lnviz",
  room: "Room",
  connecting: "connecting",
  // Joining
  join: "Join a room",
  code: "The six digits on the projector",
  enter: "Join",
  private: "No name, no account. The teacher sees how many chose each answer, never who.",
  wrong: "There is no room @. Either it has ended, or the code is another one: the projector shows six digits.",
  unfinished: "The code has six digits, like 482 913.",
  out: "This phone was removed from the room.",
  knocking: "This phone tries again every few seconds.",
  removedAnswer: "Your teacher removed your answer.",
  removed: "Your teacher removed this phone and its answers. It has joined again, and its new answers count.",
  another: "Another code",
  lesson: "Read the lesson",
  // Position
  where: (/** @type {number} */ place, /** @type {number} */ count) => `screen ${place} of ${count}`,
  turned: (/** @type {number} */ place, /** @type {number} */ count, /** @type {string} */ called) => `Screen ${place} of ${count}: ${called}`,
  around: (/** @type {number} */ place, /** @type {number} */ count, /** @type {number} */ teacher) =>
    `Screen ${place} of ${count} · the teacher is on ${teacher}`,
  round: (/** @type {number} */ round) => `Round ${round}`,
  isRoundClosed: (/** @type {number} */ round) => `Round ${round} is closed`,
  isClosed: "Closed",
  talking: "Talk",
  answer: "The answer",
  answers: "All answers",
  settings: "All settings",
  // States of an answer
  open: "Choose one. You can change it until the question closes.",
  again: "Your first answer: @. Now choose again: the same answer or a different one.",
  anew: "Same question. Choose again.",
  sending: "Sending @.",
  kept: "Saved: @. You can change it until the question closes.",
  offline: "Your phone is offline. @ is saved on this phone and will be sent when you are back online.",
  away: "The server can’t be reached; your phone is fine. @ is saved on this phone. Trying again in @.",
  late: "The question closed before @ arrived. Your answer in this round: @.",
  none: "none",
  closed: "Closed. Your answer: @.",
  nothing: "Closed. No answer from you was counted.",
  nothingAgain: "Closed. You answered @ in round 1, and not in round 2.",
  talk: "Tell your neighbor your answer and why. Then vote again.",
  right: "The answer is @.",
  had: "You answered @.",
  hadBoth: "You answered @, then @.",
  hadFirst: "You answered @ in round 1, and not in round 2.",
  hadNone: "No answer from you was counted.",
  // Marks on option buttons
  marks: {
    kept: "✓ saved",
    sending: "… sending",
    unsent: "not sent yet",
    right: "✓ right",
    rightMine: "✓ right, your answer",
    mine: "yours",
    first: "your answer in round 1",
  },
  // Numbers
  number: "Your number",
  send: "Send this number",
  type: "Type a number, then send it. You can change it until the question closes.",
  unread: "@ is not a number we can read. Write it like 0.25, 8,192 or 2.5e-3.",
  tooLarge: "@ is too large. A number has at most 300 digits.",
  // Settings
  hand: (/** @type {string} */ setting) => `Hand in: ${setting}`,
  chooseCell: "Choose a cell to hand in",
  move: "Try settings, then hand one in.",
  slide: "Move the slider, then hand in.",
  handed: "Saved: @. You can hand in another.",
  unnamed: "your setting",
  handedShown: "You handed in @. The projector shows what everyone found.",
  handedNone: "No setting from you was counted. The projector shows what everyone found.",
  // Following and browsing
  look: "Look around",
  back: "Back to the teacher",
  earlier: "← Earlier",
  later: "Later →",
  ahead: "You can look back. Later screens open after the question on the projector.",
  own: "This is your own setting. When the projector’s figure moves, yours follows it again.",
  free: "Try it yourself until the teacher takes over again.",
  coming: "Loading this screen.",
  nowhere: "The figure could not be loaded.",
  retry: "Try again",
  unasked: "You answer here when the teacher asks.",
  // Questions to the teacher
  questions: "Ask the teacher",
  questionsClose: "Close",
  question: "Your question",
  sendQuestion: "Send the question",
  questionHint: "No name goes with it. The class can see it and second it.",
  noQuestions: "There are no questions here.",
  second: (/** @type {number} */ count) => `Me too (${count})`,
  seconded: (/** @type {number} */ count) => `✓ Me too (${count})`,
  ownQuestion: (/** @type {number} */ count) => (count ? `Your question, also asked by ${pluralize(count, "other")}` : "Your question"),
  notSent: "That was not sent. Try again.",
  // "I am lost"
  lost: "I am lost",
  fades: "(for 5 minutes)",
  classQuestion: "A question from the class",
  // The end
  paused: "Eyes up front. The teacher continues in a moment.",
  ended: "This room has ended. Your answers were anonymous.",
};

/** Format a code for reading aloud: 482 913. @param {string} code */
export function spacedCode(code) {
  return `${code.slice(0, 3)} ${code.slice(3)}`;
}

/**
 * Write a sentence whose placeholders are set in bold.
 * @param {Element} parent
 * @param {string} sentence
 * @param {(string | Node)[]} named values of the placeholders
 */
export function writeSentence(parent, sentence, ...named) {
  const [first, ...rest] = sentence.split("@");
  const parts = rest.flatMap((text, i) => {
    const bold = document.createElement("b");
    bold.append(named[i]);
    return [bold, text];
  });
  parent.replaceChildren(first, ...parts);
}

/** Return an option's HTML without the period at its end: it is named within a sentence. @param {string} html */
export function withoutPeriod(html) {
  return html.replace(/\.(?=\s*(<\/\w+>\s*)*$)/, "");
}
