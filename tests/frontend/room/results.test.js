import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { allowedPositions, labelLayout, labeledPositions, markedPositions, settingAxes, mostCommon, nextCommand, meetsConditions, positionAt, differsBesides, roundShares, sharedChoices, joinColumns, stackDots, placeable } from "../../../lnviz/frontend/room/results.js";

const SIZE = { name: "batch size", slug: "batch-size", kind: "slider", values: [1, 2, 4, 8], labels: ["1", "2", "4", "8"] };
const NORM = { name: "norm", slug: "norm", kind: "choice", values: ["layer", "batch"], labels: ["LayerNorm", "BatchNorm"] };
const CELL = { name: "cell", slug: "cell", kind: "pointer", rows: ["rate 1", "rate 2"], columns: ["4", "8"], labels: ["rate 1, depth 4", "rate 1, depth 8"] };

test("fractions are percentages, or counts if there are few answers", () => {
  assert.deepEqual(roundShares([31, 43, 8, 18]).map(({ label }) => label), ["31%", "43%", "8%", "18%"]);
  assert.deepEqual(roundShares([3, 16]).map(({ label }) => label), ["3", "16"]);
  assert.deepEqual(roundShares([0, 0]), [{ share: 0, label: "0" }, { share: 0, label: "0" }]);
  assert.equal(roundShares([5, 15])[1].share, 0.75);
});

test("the right number and the most common ones are in ascending order, and the others are counted", () => {
  /** @type {[number, number][]} */
  const values = [[3.5, 9], [1.87, 40], [2, 1], [5, 1], [6, 1], [7, 1], [8, 1], [9, 2], [11, 1], [12, 1]];
  const { rows, others } = mostCommon(values, (value) => value === 8);
  assert.deepEqual(rows, [[1.87, 40], [2, 1], [3.5, 9], [5, 1], [8, 1], [9, 2]]);
  assert.equal(others, 4);
  assert.deepEqual(mostCommon(values.slice(0, 9), () => false).others, 0, "all have room");
});

test("settings are placed along the controls in which they differ", () => {
  assert.deepEqual(settingAxes([NORM, SIZE, CELL], [[{ "batch-size": "2" }, 3], [{ "batch-size": "4" }, 1]]), [SIZE]);
  assert.deepEqual(settingAxes([NORM, SIZE], [[{ "batch-size": "2", norm: "batch" }, 3], [{ "batch-size": "4", norm: "layer" }, 1]]), [SIZE, NORM]);
  assert.deepEqual(settingAxes([NORM, SIZE], [[{ norm: "batch", "batch-size": "2" }, 8], [{ norm: "layer" }, 2]]), [NORM], "each has a place");
  assert.deepEqual(settingAxes([NORM, SIZE], [[{ norm: "batch", "batch-size": "2" }, 19], [{ norm: "layer" }, 1]]), [SIZE, NORM], "nearly each");
  assert.deepEqual(settingAxes([NORM, SIZE], [[{ norm: "batch" }, 9]]), [NORM], "a control that was not handed in says nothing");
  assert.deepEqual(settingAxes([NORM, SIZE], []), []);
  assert.deepEqual(settingAxes([CELL], []), []);
});

test("what all settings have in common beside their axes is said in words", () => {
  const layer = { norm: "layer", "batch-size": "2" };
  assert.deepEqual(sharedChoices([NORM, SIZE, CELL], [SIZE], [[layer, 3], [{ ...layer, "batch-size": "4" }, 1]]), ["norm LayerNorm"]);
  assert.deepEqual(sharedChoices([NORM, SIZE], [SIZE], [[layer, 3], [{ ...layer, norm: "batch" }, 1]]), []);
  assert.deepEqual(sharedChoices([NORM, SIZE], [NORM], [[layer, 3]]), [], "a slider's value is on its axis");
  assert.deepEqual(sharedChoices([NORM], [], [["a text", 3]]), []);
});

test("settings that differ in another choice than their axes are not drawn along them", () => {
  const settings = /** @type {[Record<string, string>, number][]} */ ([[{ "batch-size": "2", norm: "batch" }, 3], [{ "batch-size": "4", norm: "layer" }, 1]]);
  assert.ok(differsBesides([SIZE, NORM], [SIZE], settings));
  assert.ok(!differsBesides([SIZE, NORM], [SIZE, NORM], settings));
  assert.ok(!differsBesides([SIZE, NORM], [NORM], settings), "of a slider, one value may stand for others");
  assert.ok(!differsBesides([SIZE, NORM], [SIZE], settings.slice(1)));
});

test("settings are placed along the controls that a task is about, and nowhere without them", () => {
  const settings = /** @type {[Record<string, string>, number][]} */ ([[{ "batch-size": "2", norm: "batch" }, 3], [{ "batch-size": "4", norm: "batch" }, 1], [{ "batch-size": "8" }, 1]]);
  assert.deepEqual(settingAxes([SIZE, NORM], settings, { norm: ["layer"] }), [NORM]);
  assert.deepEqual(settingAxes([SIZE, NORM], settings, { norm: ["layer"], "batch-size": ["2"] }), [SIZE, NORM]);
  assert.deepEqual(settingAxes([SIZE, { ...NORM, kind: "switch" }], settings, { norm: ["layer"] }).map(({ slug }) => slug), ["norm"]);
  assert.deepEqual(settingAxes([SIZE, NORM], settings.slice(0, 2), { data: ["digits"] }), [SIZE], "data is no control");
  assert.deepEqual(placeable([NORM], settings), settings.slice(0, 2));
});

test("labels of an axis do not lie on each other, and answers come first, then ends", () => {
  const places = [0, 10, 20, 30, 40];
  assert.deepEqual(labeledPositions(places, [9, 9, 9, 9, 9], [0, 0, 0, 0, 0]), [0, 1, 2, 3, 4]);
  assert.deepEqual(labeledPositions(places, [15, 15, 15, 15, 15], [0, 0, 0, 0, 0]), [0, 2, 4]);
  assert.deepEqual(labeledPositions(places, [15, 15, 15, 15, 15], [0, 5, 1, 0, 0]), [1, 4]);
});

test("labels have the room that they need where the style sheet makes a drawing lowest", () => {
  const sheet = readFileSync(new URL("../../../lnviz/frontend/room/projector.css", import.meta.url), "utf8");
  const [, height] = /\.dot-track \{[^}]*?max-height: (\d+)rem/.exec(sheet) ?? [];
  const [, size] = /\.dot-track \{[^&]*& text \{\s*font-size: (\d+)px/.exec(sheet) ?? [];
  for (const lines of [2, 3]) {
    for (let above = 46; above <= 496; above += 10) {
      const font = labelLayout(above, lines);
      assert.ok(font.size >= Number(size) && font.size >= font.height / Number(height) - 1e-9, "1 rem");
      assert.ok(font.line > 1.2 * font.size, "no line lies on another");
      assert.ok(Math.abs(font.height - above - lines * font.line) < 1e-9);
    }
  }
});

test("settings that pin different cells are placed along columns and rows", () => {
  /** @type {[Record<string, string>, number][]} */
  const values = [[{ "batch-size": "2", cell: "2.1" }, 3], [{ "batch-size": "2", cell: "2.2" }, 1], [{ "batch-size": "4" }, 1]];
  const along = settingAxes([NORM, SIZE, CELL], values);
  assert.deepEqual(along.map(({ name, labels }) => [name, ...labels]), [["depth", "4", "8"], ["rate", "1", "2"]]);
  assert.deepEqual(placeable(along, values), values.slice(0, 2));
  assert.deepEqual(values.slice(0, 2).map(([pose]) => along.map((side) => positionAt(side, pose, 0))), [[0, 1], [1, 1]]);
  assert.deepEqual(settingAxes([SIZE, CELL], values.slice(0, 1)), [SIZE]);
  assert.deepEqual(settingAxes([SIZE, CELL], values.slice(1).concat([[{ "batch-size": "8" }, 1]])), [SIZE]);
});

test("a setting has its position, or the default if it names no known one", () => {
  assert.equal(positionAt(SIZE, { "batch-size": "4" }, 3), 2);
  assert.equal(positionAt(SIZE, { norm: "batch" }, 3), 3);
  assert.equal(positionAt(SIZE, { "batch-size": "<b>" }, 3), 3);
});

test("columns that are closer than a dot are one column", () => {
  const joined = joinColumns([[30, 2], [0, 1], [6, 0], [9, 3], [11, 1], [16, 1]], 10);
  assert.deepEqual(joined.map(({ x, count }) => [x, count]), [[5.5, 5], [16, 1], [30, 2]]);
  for (const size of [1, 7, 22]) {
    const many = joinColumns(Array.from({ length: 200 }, (_, at) => [at * 1.7, 1]), size).map(({ x }) => x);
    assert.ok(many.every((x, i) => !i || x - many[i - 1] >= size));
  }
});

test("any number of dots fits the track", () => {
  const room = { width: 100, height: 50, size: 10 };
  for (const count of [1, 5, 6, 15, 40, 300]) {
    const dots = stackDots([[0, count], [100, 1]], room);
    assert.equal(dots.length, count + 1);
    for (const { x, y, size } of dots) {
      assert.ok(x >= size / 2 && x <= 100 - size / 2, `x of ${count}`);
      assert.ok(y + size / 2 <= 50 + 1e-9, `y of ${count}`);
    }
  }
});

test("no column of dots reaches into another, however close they are", () => {
  const [low, high] = [stackDots([[0, 0], [40, 30], [47, 9]], { width: 100, height: 50, size: 10 }), stackDots([[40, 1], [40, 7], [90, 2]], { width: 100, height: 50, size: 10 })];
  const right = Math.max(...low.slice(0, 30).map(({ x, size }) => x + size / 2));
  assert.ok(right <= Math.min(...low.slice(30).map(({ x, size }) => x - size / 2)) + 1e-9);
  assert.ok(high.every(({ size }) => size > 7), "rows share their columns");
});

test("a setting meets a task if every condition holds", () => {
  /** @type {import("../../../lnviz/frontend/room/results.js").Conditions} */
  const conditions = { norm: ["batch"], "batch-size": [[2, 4]] };
  assert.ok(meetsConditions(conditions, { norm: "batch", "batch-size": "4" }));
  assert.ok(!meetsConditions(conditions, { norm: "batch", "batch-size": "8" }));
  assert.ok(!meetsConditions(conditions, { norm: "batch" }));
  assert.deepEqual(allowedPositions(conditions, SIZE), [false, true, true, false]);
  assert.deepEqual(allowedPositions({}, SIZE), [false, false, false, false]);
});

test("the next command leads through two rounds of a question, and one of a setting", () => {
  const at = (/** @type {any} */ poll, /** @type {any} */ results = []) => nextCommand(/** @type {any} */ ({ poll, results }));
  const choice = (/** @type {string} */ phase, round = 1, text = "") => at({ kind: "choice", phase, round, text });
  assert.deepEqual(at(null), { verb: "ask" });
  assert.deepEqual(choice("asking"), { verb: "close" });
  assert.deepEqual(choice("closed"), { verb: "talk" });
  assert.deepEqual(choice("talking"), { verb: "again", round: 2 });
  assert.deepEqual(choice("asking", 2), { verb: "close" });
  assert.deepEqual(choice("closed", 2), { verb: "show" });
  assert.equal(choice("shown", 2), null);
  assert.deepEqual(choice("shown", 2, "Which norm?"), { verb: "away" }, "the slide's own question is not done with");
  assert.deepEqual(at({ kind: "setting", phase: "closed", round: 1, text: "" }), { verb: "show" });
  assert.deepEqual(at({ kind: "setting", phase: "shown", round: 1, text: "" }), { verb: "away" });
  assert.equal(at(null, [{ id: 7, kind: "setting", text: "" }]), null, "not asked for again");
});

test("a task about two controls has an axis for each, and marks only positions at which all settings meet it", () => {
  /** @type {import("../../../lnviz/frontend/room/results.js").Conditions} */
  const conditions = { norm: ["batch"], "batch-size": ["8"] };
  const wrong = /** @type {[Record<string, string>, number][]} */ ([[{ norm: "layer", "batch-size": "8" }, 2]]);
  assert.deepEqual(settingAxes([NORM, SIZE], wrong, conditions).map(({ slug }) => slug).sort(), ["batch-size", "norm"]);
  assert.deepEqual(markedPositions(conditions, SIZE, wrong), [false, false, false, false]);
  assert.deepEqual(markedPositions(conditions, SIZE, [[{ norm: "batch", "batch-size": "8" }, 1]]), [false, false, false, true]);
});
