import assert from "node:assert/strict";
import test from "node:test";

import { joinedLabels, spreadLabels, topLabels } from "../../../lnviz/frontend/engine/label_layout.js";

const NEAR = 1e-9;

test("labels with enough room stay at their lines", () => {
  assert.deepEqual(spreadLabels([3, 1, 2], 0.5, [0, 4]), [3, 1, 2]);
});

test("overlapping labels spread around their center, in order", () => {
  assert.deepEqual(spreadLabels([2.25, 2, 5], 1, [0, 10]), [2.625, 1.625, 5]);
});

test("labels stay within the axis", () => {
  assert.deepEqual(spreadLabels([0, 0.5, 10], 1, [0, 10]), [0, 1, 10]);
  assert.deepEqual(spreadLabels([12, 9.5], 1, [0, 10]), [10, 9]);
});

test("a line without an end takes no room", () => {
  assert.deepEqual(spreadLabels([1, NaN, 1], 1, [0, 10]), [0.5, NaN, 1.5]);
});

test("labels are never closer than the gap", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const wanted = Array.from({ length: 6 }, (_, i) => (Math.sin(seed * (i + 1.7) * 12.9898) + 1) * 5);
    const placed = spreadLabels(wanted, 1, [0, 10]).sort((a, b) => a - b);
    placed.slice(1).forEach((at, i) => assert.ok(at - placed[i] >= 1 - NEAR));
    assert.ok(placed[0] >= -NEAR && placed[5] <= 10 + NEAR);
  }
});

test("labels of points that lie on each other are joined on the first", () => {
  const points = { x: [0, 2, 0.05, 0], y: [1, 1, 1, 0], textposition: ["top", "top", "top", "top"] };
  assert.deepEqual(joinedLabels(["1", "2", "3", "4"], points, [0.1, 0]), ["1, 3", "2", "", "4"]);
  assert.deepEqual(joinedLabels(["1", "2", "3", "4"], points, [0.1, 1]), ["1, 3, 4", "2", "", ""]);
  assert.deepEqual(joinedLabels(["1", "2", "", "4"], points, [0.1, 0]), ["1", "2", "", "4"]);
  points.textposition[2] = "bottom";
  assert.deepEqual(joinedLabels(["1", "2", "3", "4"], points, [0.1, 0]), ["1", "2", "3", "4"]);
});

test("of dots that lie on each other, the last one has its label", () => {
  const points = { x: [0, 2, 0.05, 0], y: [1, 1, 1, 0] };
  assert.deepEqual(topLabels(["1", "2", "3", "4"], points, [0.1, 0]), ["", "2", "3", "4"]);
  assert.deepEqual(topLabels(["1", "2", "3", "4"], points, [0.1, 1]), ["", "2", "", "4"]);
  assert.deepEqual(topLabels(["1", "2", "", "4"], points, [0.1, 0]), ["1", "2", "", "4"]);
});
