// Texts of the phone and the projector; the remote's are in `remote_strings.js`. An @ is a placeholder, set in bold.

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
  wrong: "There is no room @. Check the projector: the code has six digits.",
  unfinished: "The code has six digits, like 482 913.",
  door: "This room is closed to newcomers. Ask the teacher.",
  another: "Another code",
  lesson: "Read the lesson",
  // Position
  where: (/** @type {number} */ place, /** @type {number} */ count) => `screen ${place} of ${count}`,
  turned: (/** @type {number} */ place, /** @type {number} */ count, /** @type {string} */ called) => `Screen ${place} of ${count}: ${called}`,
  around: (/** @type {number} */ place, /** @type {number} */ count, /** @type {number} */ teacher) =>
    `Screen ${place} of ${count} · the teacher is on ${teacher}`,
  round: (/** @type {number} */ round) => `Round ${round}`,
  isClosed: (/** @type {number} */ round) => `Round ${round} is closed`,
  talking: "Talk",
  answer: "The answer",
  settings: "All settings",
  // States of an answer
  open: "Choose one. You can change it until the teacher closes the question.",
  again: "Your first answer: @. Now choose again: the same answer or a different one.",
  anew: "Same question. Choose again.",
  sending: "Sending @.",
  kept: "Saved: @. You can change it until the teacher closes the question.",
  offline: "Your phone is offline. @ is saved on this phone and will be sent when you are back online.",
  away: "The server can’t be reached; your phone is fine. @ is saved on this phone. Trying again in @.",
  late: "The question closed before @ arrived. Your answer in this round: @.",
  none: "none",
  closed: "Closed. Your answer: @.",
  nothing: "Closed. You did not answer.",
  talk: "Tell your neighbor your answer and why. Then vote again.",
  right: "The answer is @.",
  had: "You chose @.",
  hadBoth: "You chose @, then @.",
  hadNone: "You did not answer.",
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
  type: "Type a number, then send it. You can change it until the teacher closes the question.",
  unread: "@ is not a number we can read. Write it like 0.25 or 2.5e-3.",
  // Settings
  hand: (/** @type {string} */ setting) => `Hand in: ${setting}`,
  move: "Try settings, then hand one in.",
  slide: "Move the slider, then hand in.",
  handed: "Saved: @. You can hand in another.",
  setting: "Find the setting your teacher asked for.",
  handedShown: "You handed in @. The projector shows what everyone found.",
  handedNone: "You handed in nothing. The projector shows what everyone found.",
  // Following and browsing
  follow: "Follow",
  look: "Look around",
  which: "Which screen",
  back: "Back to the teacher",
  earlier: "← Earlier",
  later: "Later →",
  ahead: "A question is open. You can look back; later screens open when the answer is shown.",
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
  noQuestions: "Nobody has asked anything yet.",
  second: (/** @type {number} */ count) => `Me too (${count})`,
  seconded: (/** @type {number} */ count) => `✓ Me too (${count})`,
  notSent: "That was not sent. Try again.",
  // "I am lost"
  lost: "I am lost",
  isLost: "✓ I am lost (fades in 5 minutes)",
  // The end
  paused: "Eyes up front. The teacher continues in a moment.",
  ended: "This room has ended. Your answers were anonymous.",
};

/** Phones that lead, or ask to. */
export const LEADERS = {
  asks: (/** @type {number} */ number) => `A phone asks to lead. It shows the number ${number}.`,
  leads: (/** @type {number} */ number) => `Phone ${number} leads, too.`,
  allow: "Let it lead",
  refuse: "Refuse",
  remove: "Remove",
};

export const PROJECTOR = {
  resume: (/** @type {string} */ code, /** @type {number} */ here) => `Go on in room ${code} (${here} here)`,
  openNew: "Open a new room",
  resumeTitle: "You have an open room",
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
  answered: (/** @type {number} */ answered, /** @type {number} */ here) => `${answered} of ${here} answered`,
  handed: (/** @type {number} */ answered, /** @type {number} */ here) => `${answered} of ${here} handed in`,
  asking: "Answer on your phone. You can change your answer until the question closes.",
  again: "Same question. Choose again: the same answer or a different one.",
  closed: (/** @type {number} */ round) => `Round ${round} is closed.`,
  talk: "Tell your neighbor your answer and why. Then everyone votes again.",
  right: "✓ right",
  first: "Which of these comes first?",
  move: "Try settings on your phone, then hand one in.",
  found: "What was handed in.",
  answers: (/** @type {number} */ count) => (count === 1 ? "1 answer" : `${count} answers`),
  settings: (/** @type {number} */ count) => (count === 1 ? "1 setting" : `${count} settings`),
  met: (/** @type {number} */ met, /** @type {number} */ all) => `${met ? "✓ " : ""}${met} of ${all} meet the task`,
  others: "others",
  students: "students",
  picture: "QR code of the room’s address",
  away: "The server can’t be reached. The presentation keeps working.",
  failed: "The server did not get that. Try again.",
  leave: "A question is open. Press again to leave it.",
  ended: "This room has ended.",
};

/** Add to a count how many simulated students are in it. @param {string} words @param {number} [simulated] */
export function withSimulated(words, simulated = 0) {
  return simulated ? `${words} · ${simulated} simulated` : words;
}

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
