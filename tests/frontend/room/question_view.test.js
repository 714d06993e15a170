import assert from "node:assert/strict";
import test from "node:test";

import { parseNumber } from "../../../lnviz/frontend/engine/numbers.js";
import { PHONE } from "../../../lnviz/frontend/room/strings.js";
import { canLookAhead, isOpen, needsAttention, numberProblem, statusNote, optionMarks, roundText, connectionState } from "../../../lnviz/frontend/room/question_view.js";
import { poll, room } from "./page.js";

const LABELS = ["its column", "its row", "the whole table", "only that one"];

const given = (value, more = {}) => ({ poll: 7, round: 1, value, attempt: 1, kept: true, ...more });

/** Return the facts of an open first round, with changes. */
function facts({ asked = {}, state = {}, ...more } = {}) {
  return { room: room(4, { poll: poll(asked), ...state }), answer: null, previous: null, late: null, connection: "connected", seconds: 0, ...more };
}

/** Return the status note as text. */
function read(known) {
  const name = (each) => {
    if ("answer" in each) return each.short ? "ABCD"[each.answer] : `${"ABCD"[each.answer]}, ${LABELS[each.answer]}`;
    return "seconds" in each ? `${each.seconds} s` : each.text;
  };
  return statusNote(known)
    .sentences.map(({ words, named }) => {
      const names = named.map(name);
      return words.replace(/@/g, () => names.shift());
    })
    .join(" ");
}

const marks = (known) => optionMarks(known, 4).map(({ mark }) => mark);

const SAID = [
  ["open", facts(), "Choose one. You can change it until the question closes."],
  ["sending", facts({ answer: given(1, { kept: false }) }), "Sending B, its row."],
  ["kept", facts({ answer: given(1) }), "Saved: B, its row. You can change it until the question closes."],
  ["offline", facts({ answer: given(1, { kept: false }), connection: "offline" }), "Your phone is offline. B, its row is saved on this phone and will be sent when you are back online."],
  ["away", facts({ answer: given(1, { kept: false }), connection: "away", seconds: 8 }), "The server can’t be reached; your phone is fine. B, its row is saved on this phone. Trying again in 8 s."],
  ["late", facts({ asked: { phase: "closed" }, late: 1 }), "The question closed before B arrived. Your answer in this round: none."],
  ["late, after an earlier one", facts({ asked: { phase: "closed" }, late: 1, answer: given(0) }), "The question closed before B arrived. Your answer in this round: A."],
  ["closed", facts({ asked: { phase: "closed" }, answer: given(1) }), "Closed. Your answer: B, its row."],
  ["closed without an answer", facts({ asked: { phase: "closed" } }), "Closed. No answer from you was counted."],
  ["closed with an answer in round 1 alone", facts({ asked: { phase: "closed", round: 2 }, previous: given(0) }), "Closed. You answered A in round 1, and not in round 2."],
  ["talk", facts({ asked: { phase: "talking" }, answer: given(1) }), "Tell your neighbor your answer and why. Then vote again."],
  ["round 2", facts({ asked: { round: 2 }, previous: given(1) }), "Your first answer: B, its row. Now choose again: the same answer or a different one."],
  ["round 2 without an answer before", facts({ asked: { round: 2 } }), "Same question. Choose again."],
  ["paused", facts({ state: { mode: "paused" }, answer: given(1) }), "Eyes up front. The teacher continues in a moment."],
  ["shown", facts({ asked: { phase: "shown", round: 2 }, state: { shown: { right: 1 } }, previous: given(0), answer: given(1) }), "The answer is B, its row. You answered A, then B."],
  ["shown after one round", facts({ asked: { phase: "shown" }, state: { shown: { right: 1 } }, answer: given(3) }), "The answer is B, its row. You answered D."],
  ["shown without an answer", facts({ asked: { phase: "shown" }, state: { shown: { right: 1 } } }), "The answer is B, its row. No answer from you was counted."],
];

for (const [state, known, sentence] of SAID) {
  test(`${state}: ${sentence}`, () => assert.equal(read(known), sentence));
}

test("an option's mark shows the state of the answer", () => {
  assert.deepEqual(marks(facts({ answer: given(1) })), ["", "✓ saved", "", ""]);
  assert.deepEqual(marks(facts({ answer: given(1, { kept: false }) })), ["", "… sending", "", ""]);
  for (const connection of ["away", "offline"]) {
    assert.deepEqual(marks(facts({ answer: given(1, { kept: false }), connection })), ["", "not sent yet", "", ""]);
  }
});

test("round 2 begins without a choice", () => {
  const known = facts({ asked: { round: 2 }, previous: given(1) });
  assert.deepEqual(marks(known), ["", "your answer in round 1", "", ""]);
  assert.ok(optionMarks(known, 4).every(({ isMine }) => !isMine));
});

test("the right option is marked only once results are shown", () => {
  const asked = { phase: "shown", round: 2 };
  const known = (value) => facts({ asked, state: { shown: { right: 1 } }, answer: given(value) });
  assert.deepEqual(marks(known(1)), ["", "✓ right, your answer", "", ""]);
  assert.deepEqual(marks(known(2)), ["", "✓ right", "yours", ""]);
  for (const phase of ["asking", "closed", "talking"]) {
    assert.ok(optionMarks(facts({ asked: { phase } }), 4).every(({ isRight }) => !isRight));
  }
});

test("a submitted setting gets no verdict before results are shown", () => {
  const asked = { kind: "setting" };
  const value = { size: "25" };
  assert.match(read(facts({ asked })), /then hand one in/);
  assert.equal(statusNote(facts({ asked, answer: given(value) })).sentences[0].words, "Saved: @. You can hand in another.");
  assert.match(statusNote(facts({ asked: { ...asked, phase: "shown" }, answer: given(value) })).sentences[0].words, /projector/);
});

test("closed, discussed, shown or paused questions accept no answers", () => {
  assert.ok(isOpen(room(4, { poll: poll() })));
  for (const phase of ["closed", "talking", "shown"]) assert.ok(!isOpen(room(4, { poll: poll({ phase }) })));
  assert.ok(!isOpen(room(4, { poll: poll(), mode: "paused" })));
  assert.ok(!isOpen(room(4)));
});

test("later slides are shut until the answer to the projector's question is shown", () => {
  const [none, asked] = [null, { kind: "choice" }];
  const may = (question, more, resolved = false) => canLookAhead(room(4, { poll: more ? poll(more) : null, resolved }), question);
  assert.deepEqual([may(none), may(asked)], [true, false], "a question that is not asked yet");
  for (const question of [none, asked]) {
    for (const phase of ["asking", "closed", "talking"]) assert.ok(!may(question, { phase }, true));
    assert.ok(may(question, { phase: "shown" }, true));
    assert.ok(may(question, null, true), "its result was put away");
  }
  const own = { phase: "shown", text: "Who has trained a network?" };
  assert.deepEqual([may(none, own), may(asked, own), may(asked, own, true)], [true, false, true], "the teacher's own instead");
});

test("a round has a description", () => {
  const said = (asked) => roundText(room(4, { poll: poll(asked) }));
  assert.equal(said({}), "Round 1");
  assert.equal(said({ round: 2, phase: "closed" }), "Round 2 is closed");
  assert.equal(said({ phase: "talking" }), "Talk");
  assert.equal(said({ phase: "shown" }), "The answer");
  assert.equal(said({ kind: "setting", phase: "shown" }), "All settings");
  for (const kind of ["number", "setting"]) {
    assert.deepEqual([said({ kind }), said({ kind, phase: "closed" })], ["", "Closed"], "only a choice has rounds");
  }
  const own = (right) => roundText(room(4, { poll: poll({ text: "Which?", phase: "shown" }), shown: { right } }));
  assert.deepEqual([own(0), own(null)], ["The answer", "All answers"]);
});

test("a number that cannot be sent gets the reason", () => {
  const said = (text, unit = "") => numberProblem(parseNumber(text, unit));
  for (const text of ["8,192", "8192,5", "-0.5", "1e299"]) assert.equal(said(text), "");
  assert.deepEqual([said("0,5 MB", "MB"), said("1,2,3"), said("many")], ["", PHONE.unread, PHONE.unread]);
  for (const text of ["1e400", "-1e300"]) assert.equal(said(text), PHONE.tooLarge);
});

test('"sending" is shown only while connected', () => {
  assert.equal(connectionState("connected", true), "sending");
  assert.equal(connectionState("away", true), "away");
  assert.equal(connectionState("connected", false), "connected");
});

test("a vote, its result and a pause come before a dialog; that a vote is put away does not", () => {
  const [none, open, paused] = [room(4), room(4, { poll: poll() }), room(4, { poll: poll(), mode: "paused" })];
  const [closed, shown] = ["closed", "shown"].map((phase) => room(4, { poll: poll({ phase }) }));
  const other = room(4, { poll: poll({ id: 8 }) });
  for (const [before, after] of [[none, open], [paused, open], [open, paused], [closed, shown], [open, other]]) assert.ok(needsAttention(before, after));
  for (const [before, after] of [[open, open], [open, closed], [shown, none], [paused, paused], [none, none]]) assert.ok(!needsAttention(before, after));
});
