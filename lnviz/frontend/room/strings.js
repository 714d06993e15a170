// Texts of the phone and the projector; the remote's are in `remote_strings.js`. An @ is a placeholder, set in bold.

export const CONNECTION_TEXT = {
  connected: "connected",
  sending: "sending",
  offline: "your phone is offline",
  away: "the server is away",
};

/** Signs before the connection state. */
export const CONNECTION_SIGNS = { connected: "✓", sending: "…", offline: "!", away: "!" };

export const PHONE = {
  app: "lnviz",
  room: "Room",
  connecting: "connecting",
  // Joining
  join: "Join a room",
  code: "The six digits on the wall",
  enter: "Join",
  private: "No name, no account. The teacher sees how many answer what, never who.",
  wrong: "There is no room @. Look at the wall again: the code has six digits.",
  unfinished: "The code has six digits, such as 482 913.",
  door: "This room takes nobody new. Ask the teacher.",
  another: "Another code",
  // Position
  where: (/** @type {number} */ place, /** @type {number} */ count) => `screen ${place} of ${count}`,
  turned: (/** @type {number} */ place, /** @type {number} */ count, /** @type {string} */ called) => `Screen ${place} of ${count}: ${called}`,
  around: (/** @type {number} */ place, /** @type {number} */ count, /** @type {number} */ teacher) =>
    `Screen ${place} of the lesson's ${count} · the teacher is on ${teacher}`,
  round: (/** @type {number} */ round) => `Round ${round}`,
  isClosed: (/** @type {number} */ round) => `Round ${round} is closed`,
  talking: "Talk",
  answer: "The answer",
  settings: "All settings",
  // States of an answer
  open: "Choose one. You can change it until the teacher closes.",
  again: "You had @. Choose again: the same or another.",
  anew: "The same question. Choose again.",
  sending: "Sending @.",
  kept: "Kept: @. You can change it until the teacher closes.",
  offline: "Your phone is offline. @ is kept on this phone and goes out when the network is back.",
  away: "The server is away; your phone is fine. @ is kept on this phone and goes out by itself. We try again in @.",
  late: "It was closed before @ arrived. Your answer in this round: @.",
  none: "none",
  closed: "Closed. Your answer: @.",
  nothing: "Closed. You gave no answer.",
  talk: "Tell your neighbor your answer, and why. Then vote again.",
  right: "The answer is @.",
  had: "You had @.",
  hadBoth: "You had @, then @.",
  hadNone: "You gave no answer.",
  // Marks on option buttons
  marks: {
    kept: "✓ kept",
    sending: "… sending",
    unsent: "on this phone",
    right: "✓ right",
    rightMine: "✓ right, yours",
    mine: "yours",
    first: "yours in round 1",
  },
  // Numbers
  number: "Your number",
  send: "Send this number",
  type: "Type a number, then send it. You can change it until the teacher closes.",
  unread: "@ is no number that we can read. Write it as 0.25 or 2.5e-3.",
  // Settings
  hand: (/** @type {string} */ setting) => `Hand in this setting: ${setting}`,
  move: "Move the figure, look at it, then hand in. You can hand in again until it is closed.",
  slide: "Move the slider, look at the curve, then hand in. You can hand in again until it is closed.",
  handed: "Kept: @. Hand in another until the teacher closes.",
  setting: "Find the setting that your teacher asks for.",
  handedShown: "You handed in @. The wall shows what all have found.",
  handedNone: "You handed in nothing. The wall shows what all have found.",
  // Following and browsing
  follow: "Follow",
  look: "Look around",
  which: "Which screen",
  back: "Back to the teacher",
  earlier: "← Earlier",
  later: "Later →",
  ahead: "A question is open: you can look back. The screens after it open with the answer.",
  free: "Try it yourself: the figure is yours until the teacher leads again.",
  coming: "This screen is on its way.",
  nowhere: "The figure could not be loaded.",
  retry: "Try again",
  unasked: "The teacher has not asked this yet.",
  // "I am lost"
  lost: "I am lost",
  isLost: "✓ I am lost (fades in 5 minutes)",
  // The end
  paused: "Eyes to the front. The teacher goes on in a moment.",
  ended: "This room has ended. Your answers were never under a name.",
};

export const PROJECTOR = {
  join: "Join with your phone",
  shows: "The phone shows what the wall shows. You answer there: no name, no account.",
  wifi: "No network? Wi-Fi @",
  password: "password @",
  network: "QR code of the Wi-Fi",
  reached: "A phone has reached this address.",
  nowhere: "No phone can reach this server: it listens to this computer alone. Start it again, with --address 0.0.0.0.",
  unreached: "No phone has reached this address yet. Try with yours first.",
  here: (/** @type {number} */ here) => `${here} here`,
  answered: (/** @type {number} */ answered, /** @type {number} */ here) => `${answered} of ${here} answered`,
  handed: (/** @type {number} */ answered, /** @type {number} */ here) => `${answered} of ${here} handed in`,
  asking: "Answer on your phone. You can change it until it is closed.",
  again: "The same question. Choose again: the same or another.",
  closed: (/** @type {number} */ round) => `Round ${round} is closed.`,
  talk: "Tell your neighbor your answer, and why. Then all vote again.",
  right: "✓ right",
  first: "Which of these comes first?",
  move: "Move the figure on your phone, then hand in a setting.",
  found: "What has been handed in.",
  answers: (/** @type {number} */ count) => (count === 1 ? "1 answer" : `${count} answers`),
  settings: (/** @type {number} */ count) => (count === 1 ? "1 setting" : `${count} settings`),
  met: (/** @type {number} */ met, /** @type {number} */ all) => `✓ ${met} of ${all} meet the task`,
  others: "others",
  students: "students",
  picture: "QR code of the room's address",
  away: "The server is away. What is presented goes on.",
  failed: "That did not reach the server. Try again.",
  leave: "A question is open. Turn again to leave it.",
  ended: "This room has ended.",
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
