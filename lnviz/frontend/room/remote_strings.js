// Texts of the remote, in a module that phones do not load. An @ is a placeholder, set in bold.

import { pluralize } from "../engine/counts.js";
import { HANDED_IN } from "./projector_strings.js";

export const REMOTE = {
  remote: "Remote",
  // Counts
  here: "here",
  answered: "answered",
  handed: "handed in",
  away: "away",
  lost: "lost",
  few: "shown from five students on",
  // Navigation
  back: "← Back",
  next: "Next →",
  step: (/** @type {number} */ step, /** @type {number} */ steps) => `step ${step} of ${steps}`,
  at: (/** @type {string} */ slide, /** @type {number} */ place, /** @type {number} */ count, /** @type {string} */ step) =>
    `${place} of ${count}${step && `, ${step}`}${slide && ` · ${slide}`}`,
  then: "then: @",
  last: "last screen",
  modes: "The phones are",
  mode: { led: "led", free: "free", paused: "paused" },
  modeSays: {
    led: "follow your figure",
    free: "move the figure",
    paused: "take no answers",
  },
  // Steps of a question
  steps: ["ask", "talk", "again", "show"],
  settingSteps: ["ask", "closed", "show"],
  soFar: (/** @type {number} */ round) => `Round ${round}, so far`,
  closed: (/** @type {number} */ round) => `Round ${round}, closed`,
  shown: (/** @type {number} */ round) => `Round ${round}, shown`,
  settings: (/** @type {number} */ answered, /** @type {number} */ different) =>
    `${pluralize(answered, "setting")}${variety(answered, different)}`,
  numbers: (/** @type {number} */ answered, /** @type {number} */ different) =>
    `${pluralize(answered, "number")}${variety(answered, different)}`,
  cover: "Cover",
  uncover: "Uncover",
  covered: "Hidden, so that nobody next to you can see it.",
  asks: "The question on this screen is ready to ask.",
  asksSetting: "Students can hand in a setting of this figure.",
  asksNothing: "This screen has no question.",
  tells: "The class sees:",
  columns: ["Answer", "Percent", "Votes"],
  // Buttons
  ask: "Ask",
  askSetting: "Ask for a setting",
  close: "Close the question",
  talk: "Let them talk",
  again: "Ask again (round 2)",
  show: "Show the answer",
  showResult: "Show the result",
  showSettings: "Show the settings",
  showNumbers: "Show the numbers",
  backToFigure: "Back to the figure",
  backToScreen: "Back to the screen",
  handedIn: HANDED_IN,
  nextScreen: "Next screen",
  nextStep: "Next step",
  over: "Start over …",
  overAsk: "Start this question over?",
  overSays: (/** @type {number} */ answers) => `${answers === 1 ? "The answer so far no longer counts" : `The ${answers} answers so far no longer count`}, and everyone answers again.`,
  overIt: "Start over",
  reopen: (/** @type {number} */ round) => (round ? `Reopen round ${round}` : "Reopen"),
  // Recommendations
  share: (/** @type {number} */ share) => `${share}% right:`,
  advice: {
    explain: "too few for a discussion to help. Explain, then ask again.",
    discuss: "have them discuss, then ask again.",
    finish: "show the answer, and explain it.",
    most: "most of them know. Show the answer and move on.",
    early: "Fewer than five answers: too few for a suggestion.",
    wait: "Fewer than half have answered: too few for a suggestion.",
  },
  meet: (/** @type {number} */ share) => `${share}% meet the task.`,
  more: (/** @type {number} */ more) => `and ${more} more`,
  // Locking and ending
  lock: "Close the room to newcomers",
  isLocked: "✓ Closed to newcomers",
  end: "End …",
  endAsk: "End this room?",
  endSays: (/** @type {string} */ code) =>
    `Phones disconnect, ${code} stops working, and the answers are deleted. Download them first.`,
  csv: "Download CSV",
  endIt: "End the room",
  goOn: "Keep teaching",
  ended: "This room has ended, and its answers are deleted.",
  isOver: "This room has ended. Its answers are deleted within a day.",
  // Set-up
  setUp: "The room",
  withQuestions: (/** @type {number} */ count) => `The room, ${pluralize(count, "question")}`,
  joinWith: (/** @type {string} */ code) => `and type ${code}.`,
  coming: "Opening the room.",
  noProjector: "No projector is connected to this room. If none comes back on its own, open the presentation again in the browser that opened the room.",
  reached: "✓ A phone has opened this address.",
  unreached: "No phone has opened this address yet. Try yours first.",
  joinAt: "Phones join at",
  nowhere: "The server has no address that a phone could reach. Is this computer on a network, and was lnviz serve started with --address 0.0.0.0?",
  rehearse: "Rehearse with 30 simulated students",
  rehearsing: (/** @type {number} */ count) => `✓ ${count} simulated students are here. Remove them`,
  makeRemote: "Use a phone as the remote",
  once: "Scan this code with the phone. The phone then shows a number: let the phone with this number lead. The code works for one phone and expires after ten minutes.",
  asking: "Asking to lead this room.",
  waiting: "On the projector or on another remote, choose “Let it lead” for this number:",
  timeLimit: "Time limit of the next questions from this device",
  noLimit: "none",
  withLimit: (/** @type {string} */ words, /** @type {number} */ seconds) => (seconds ? `${words} · ${REMOTE.limits(seconds)}` : words),
  limits: (/** @type {number} */ seconds) => (seconds < 60 ? `${seconds} s` : `${seconds / 60} min`),
  // A question of the teacher's own
  own: "Ask a question of your own",
  ownText: "Question",
  ownOption: (/** @type {string} */ letter) => `Option ${letter}`,
  ownRight: "Correct answer",
  noRight: "none",
  ownHint: "Without options, students answer with a number, and no number is marked as correct. Drafts stay in this browser.",
  ownAsk: "Ask this question",
  ownCancel: "Close",
  ownResults: "Your own questions on this screen",
  recall: (/** @type {string} */ text) => `Show again: ${text}`,
  closeFirst: "Close the question first",
  ownLater: "Close the question before you ask your own",
  // The join card
  hasCard: "The projector shows how to join.",
  showCard: "Show the join card",
  hideCard: "Hide the join card",
  // Students' questions
  questions: (/** @type {number} */ count) => `Students’ questions (${count})`,
  takeQuestions: "Let students ask questions",
  takesQuestions: "✓ Students may ask questions",
  features: "A student’s question is on the projector.",
  onWall: "Show on the projector",
  offWall: "Take off the projector",
  hide: "Hide",
  unhide: "Show again",
  seconds: (/** @type {number} */ count) => (count ? `Also asked by ${pluralize(count, "other")}` : ""),
  // Where phones come from
  network: (/** @type {number} */ number, /** @type {number} */ seats) => `Address ${number}: ${pluralize(seats, "phone")}`,
  block: "Close to newcomers",
  unblock: "✓ Closed to newcomers",
  clearNetwork: "Remove its phones and answers …",
  clearAsk: (/** @type {number} */ seats, /** @type {number} */ answers) =>
    `Remove ${pluralize(seats, "phone")} and ${pluralize(answers, "answer")}?`,
  clearSays:
    "The questions that they asked are removed, too. A whole class can share one address. Phones that are still here join again, without their answers, unless the room or their address is closed to newcomers.",
  clearIt: "Remove them",
  keep: "Cancel",
  networks: "Phones by address",
  discard: "Remove this answer",
  discardAsk: (/** @type {number} */ count, /** @type {string} */ words) => `Remove ${pluralize(count, "answer")}: ${words}?`,
  discardSays: "Whoever gave this answer then counts as not having answered, also in the table of all answers. While the question is open, they can answer again.",
  discardIt: "Remove",
  shut: "Back to the lesson",
  // Errors
  busy: "Your last press is still being sent. Press again in a moment.",
  failed: "The server did not get that. Try again.",
  undone: "Your press was undone: the projector or another remote has gone back.",
  noKey: "This browser does not control this room. Use the browser that opened the room, or a new link from it.",
};

/** Return how many of the answers differ, for a heading. @param {number} answered @param {number} different */
function variety(answered, different) {
  if (answered < 2) return "";
  if (different === answered) return ", all different";
  return different === 1 ? ", all the same" : `, ${different} of them different`;
}
