import assert from "node:assert/strict";
import test from "node:test";

import { coverCommand, differsOnlyInPose, hasArrived, hasTurned, hint, isBehind, isRight, percentRight, nextActions, shownSteps, stepAt } from "../../../lnviz/frontend/room/presenter_actions.js";
import { poll, room } from "./page.js";

const SCREEN = { asked: { kind: "choice", right: 1 }, figure: null };
const FIGURE = { asked: null, figure: { goal: null } };
const GOAL = { asked: { kind: "setting" }, figure: { goal: { conditions: { size: [[25, Infinity]], norm: ["batch", "group"] } } } };

const tally = (counts, more = {}) => ({ counts, values: [], answered: counts.reduce((a, b) => a + b, 0), ...more });

/** Return the buttons' texts. */
function said(asked, screen = SCREEN, counts = [], more = {}) {
  const { main, others } = nextActions(room(4, { poll: asked && poll(asked), ...more }), screen, tally(counts));
  return [main, ...others].map(({ words }) => words);
}

/** Return settings with their counts. */
const handed = (...settings) => settings.map(([pose, many]) => [pose, many]);

test("the next action of a question is always the main button", () => {
  assert.deepEqual(said(null), ["Ask"]);
  assert.deepEqual(said({}), ["Close the question", "Start over …"]);
  assert.deepEqual(said({ phase: "closed" }), ["Let them talk", "Reopen round 1", "Show the answer"]);
  assert.deepEqual(said({ phase: "talking" }), ["Ask again (round 2)", "Reopen round 1", "Show the answer"]);
  assert.deepEqual(said({ round: 2 }), ["Close the question", "Start over …"]);
  assert.deepEqual(said({ round: 2, phase: "closed" }), ["Show the answer", "Reopen round 2"]);
  assert.deepEqual(said({ phase: "shown" }), ["Next screen", "Ask again (round 2)"]);
  assert.deepEqual(said({ round: 2, phase: "shown" }), ["Next screen", "Start over …"]);
});

test("what covers the slide is taken off the projector before anything else", () => {
  assert.deepEqual(said({}, SCREEN, [], { card: true }), ["Hide the join card"]);
  const featured = { id: 3, text: "Why?" };
  assert.deepEqual(said(null, SCREEN, [], { featured }), ["Take off the projector"]);
  assert.deepEqual(coverCommand(room(4, { card: true, featured })), { verb: "card", open: false });
  assert.deepEqual(coverCommand(room(4, { featured })), { verb: "feature", question: null });
  assert.equal(coverCommand(room(4)), null);
});

test("the main button does what the hint recommends", () => {
  const closed = { phase: "closed" };
  assert.deepEqual(said(closed, SCREEN, [78, 22, 0, 0]), ["Ask again (round 2)", "Let them talk", "Reopen round 1", "Show the answer"]);
  assert.deepEqual(said(closed, SCREEN, [50, 50, 0, 0]), ["Let them talk", "Reopen round 1", "Show the answer"]);
  assert.deepEqual(said(closed, SCREEN, [10, 90, 0, 0]), ["Show the answer", "Let them talk", "Reopen round 1"]);
  assert.deepEqual(said(closed, SCREEN, [2, 0, 0, 0]), ["Let them talk", "Reopen round 1", "Show the answer"], "too few for a suggestion");
});

test("a result that hides the slide's figure or question is put away before the next step", () => {
  const results = [{ id: 7, kind: "setting", text: "" }];
  const counted = [2, 9, 1, 4];
  const setting = { kind: "setting", phase: "shown" };
  for (const screen of [FIGURE, GOAL]) {
    assert.deepEqual(said(setting, screen, [], { counted }), ["Back to the figure", "Start over …"]);
    assert.deepEqual(said(null, screen, [], { results, counted }), ["Next step", "What was handed in", "Ask for a setting"]);
  }
  assert.deepEqual(nextActions(room(4, { results }), FIGURE, null).others[0].command, { verb: "recall", poll: 7 });
  assert.deepEqual(said({ phase: "shown", text: "Which norm?" }), ["Back to the screen", "Ask again (round 2)"]);
  const own = [{ id: 8, kind: "number", text: "How many?" }];
  assert.deepEqual(said(null, SCREEN, [], { results: own }), ["Ask"], "the slide's own question is still to be asked");
  for (const hidden of [{ poll: poll(setting) }, { task: "Find it." }]) {
    assert.deepEqual([shownSteps(room(4, { counted, ...hidden })), stepAt(room(4, { counted, ...hidden }), 1)], [[], 0]);
  }
});

test("submitted settings are shown without a discussion", () => {
  assert.deepEqual(said(null, GOAL), ["Ask for a setting"]);
  assert.deepEqual(said({ kind: "setting" }, GOAL), ["Close the question", "Start over …"]);
  assert.deepEqual(said({ kind: "setting", phase: "closed" }, GOAL), ["Show the settings", "Reopen"]);
});

test("a figure without a task, or a slide without a question, leads to the next slide", () => {
  assert.deepEqual(said(null, FIGURE), ["Next screen", "Ask for a setting"]);
  assert.deepEqual(said(null, { asked: null, figure: null }), ["Next screen"]);
});

test("the next action is the figure's next step, and after the last one the next screen", () => {
  const said = (counted) => nextActions(room(4, { counted }), FIGURE, null).main.words;
  assert.deepEqual([[2, 9, 1, 4], [2, 9, 4, 4], [2, 9]].map(said), ["Next step", "Next screen", "Next screen"]);
  assert.deepEqual([1, -1].map((by) => stepAt(room(4, { counted: [2, 9, 4, 4] }), by)), [0, 3]);
});

test("a round is reopened as itself, and asked again as the second", () => {
  const does = (asked) => nextActions(room(4, { poll: poll(asked) }), SCREEN, null);
  assert.deepEqual(does({ round: 2, phase: "closed" }).others[0].command, { verb: "again", round: 2 });
  assert.deepEqual(does({ phase: "closed" }).others[0].command, { verb: "again", round: 1 });
  assert.deepEqual(does({ phase: "talking" }).main.command, { verb: "again", round: 2 });
});

test("a student's question on the projector is what the remote takes off first", () => {
  const { title, main, others } = nextActions(room(4, { poll: poll({ phase: "shown" }), featured: { id: 7, text: "Why?" } }), SCREEN, tally([]));
  assert.deepEqual([title, main.command, others], ["A student’s question is on the projector.", { verb: "feature", question: null }, []]);
});

test("the result of a question without a right answer is no answer", () => {
  const words = (right) => said({ phase: "talking" }, { asked: { kind: "choice", right }, figure: null }).at(-1);
  assert.deepEqual([1, null].map(words), ["Show the answer", "Show the result"]);
});

test("answers are discarded only by starting over, which asks first", () => {
  for (const asked of [{}, { phase: "closed" }, { phase: "talking" }, { phase: "shown" }, { round: 2, phase: "shown" }]) {
    for (const screen of [SCREEN, GOAL]) {
      const { main, others } = nextActions(room(4, { poll: poll({ ...asked, kind: screen.asked.kind }) }), screen, null);
      for (const action of [main, ...others]) assert.equal(action?.discards ?? false, action?.command.verb === "over");
    }
  }
});

test("no action changes a result that is shown", () => {
  for (const [asked, screen] of [[{ round: 1 }, SCREEN], [{ round: 2 }, SCREEN], [{ kind: "setting" }, GOAL], [{ kind: "number" }, SCREEN]]) {
    const { others } = nextActions(room(4, { poll: poll({ ...asked, phase: "shown" }) }), screen, null);
    const { verb, round } = others[0].command;
    assert.ok(verb === "over" || (verb === "again" && round > asked.round), `${verb} ${round}`);
  }
});

test("the hint depends on the percentage of right answers", () => {
  const says = (counts, asked = {}) => hint(room(4, { poll: poll(asked) }), SCREEN, tally(counts)).join(" ");
  assert.equal(says([66, 34, 0, 0]), "34% right: too few for a discussion to help. Explain, then ask again.");
  assert.equal(says([65, 35, 0, 0]), "35% right: have them discuss, then ask again.");
  assert.equal(says([30, 70, 0, 0]), "70% right: have them discuss, then ask again.");
  assert.equal(says([29, 71, 0, 0]), "71% right: most of them know. Show the answer and move on.");
  assert.equal(says([66, 34, 0, 0], { round: 2 }), "34% right: show the answer, and explain it.");
  assert.equal(says([30, 70, 0, 0], { round: 2 }), "70% right: show the answer, and explain it.");
});

test("below five answers there is no hint", () => {
  const says = (counts) => hint(room(4, { poll: poll() }), SCREEN, tally(counts)).join("");
  assert.match(says([1, 3, 0, 0]), /too few/);
  assert.equal(says([0, 0, 0, 0]), "");
});

test("there is no hint while most have yet to answer", () => {
  const says = (answered, asked) => hint(room(4, { poll: poll(asked) }), SCREEN, tally([0, answered, 0, 0], { here: 120 })).join("");
  assert.match(says(26, {}), /Fewer than half/);
  for (const [answered, asked] of [[60, {}], [26, { phase: "closed" }]]) assert.match(says(answered, asked), /most of them know/);
});

test("a prompt is what the class sees, and no question", () => {
  const said = (task) => nextActions(room(4, { task }), { asked: null, figure: null }, null);
  assert.deepEqual([said("").title, said("Write it down.").title], ["This screen has no question.", "The class sees:"]);
  assert.deepEqual(said("").steps, []);
});

test("a setting meets a task if all conditions hold", () => {
  assert.equal(isRight(GOAL, { size: "25", norm: "group" }), true);
  assert.equal(isRight(GOAL, { size: "24", norm: "group" }), false);
  assert.equal(isRight(GOAL, { size: "25", norm: "layer" }), false);
  assert.equal(isRight(GOAL, { norm: "batch" }), false);
  assert.equal(isRight(FIGURE, { size: "25" }), null);
});

test("a number is right within its tolerance", () => {
  const screen = { asked: { kind: "number", value: 0.1, tolerance: 0.01 }, figure: null };
  assert.deepEqual([0.11, 0.09, 0.12].map((value) => isRight(screen, value)), [true, true, false]);
  assert.equal(percentRight(screen, tally([], { values: [[0.1, 3], [0.5, 1]] })), 75);
});

test("for settings the hint says how many meet the task", () => {
  const [good, bad] = [{ size: "25", norm: "batch" }, { size: "2", norm: "batch" }];
  const says = (screen, ...many) => {
    const given = tally([], { values: handed([good, many[0]], [bad, many[1]]), answered: many[0] + many[1] });
    return hint(room(4, { poll: poll({ kind: "setting" }) }), screen, given).join("");
  };
  assert.equal(says(GOAL, 18, 7), "72% meet the task.");
  assert.equal(says(GOAL, 3, 1), "", "so few would point at somebody");
  assert.equal(says(FIGURE, 18, 7), "");
});

test("a command is still meant where only the figure has moved, and its error is over once something is turned", () => {
  const before = room(4, { slide: "axes.grid", counted: [1, 9, 2, 4] });
  const after = (more) => [differsOnlyInPose(before, { ...before, rev: 5, ...more }), hasTurned(before, { ...before, ...more })];
  assert.deepEqual(after({ pose: { norm: "batch" } }), [true, false]);
  assert.deepEqual(after({ counted: [1, 9, 3, 4] }), [true, true]);
  assert.deepEqual(after({ slide: "axes.grid.2", counted: [5, 9] }), [false, true]); // the same screen in a plan
  for (const more of [{ screen: "grid" }, { slide: "axes.grid.2" }, { task: "Write it down." }, { poll: poll() }]) assert.deepEqual(after(more), [false, false]);
});

test("a room that has gone back is at an earlier slide, or at an earlier step of one figure, of the same slides", () => {
  const before = room(4, { slides: ["a", "b"], counted: [3, 9, 2, 4] });
  const behind = (more) => isBehind(before, { ...before, ...more });
  for (const counted of [[2, 9], [2, 9, 4, 4], [3, 9, 1, 4]]) assert.equal(behind({ counted }), true);
  for (const counted of [[], [3, 9], [3, 9, 2, 4], [3, 9, 3, 4], [4, 9, 1, 2]]) assert.equal(behind({ counted }), false);
  assert.equal(behind({ counted: [1, 9], slides: ["a"] }), false, "the slides have changed");
  assert.equal(isBehind({ ...before, slides: [] }, { ...before, slides: [], lesson: "why", counted: [1, 9] }), false);
});

test("a command whose response was lost may have arrived if the room has changed in more than its figure", () => {
  assert.ok(!hasArrived(room(1, { card: false }), room(2, { card: false, pose: { gain: "1" } })));
  assert.ok(hasArrived(room(1, { card: false }), room(2, { card: true })));
});
