import assert from "node:assert/strict";
import { test } from "node:test";

import { sampledPositions } from "../../../lnviz/frontend/engine/reserve_height.js";

const labels = (/** @type {number} */ count) => Array.from({ length: count }, (_, i) => String(i % 10));

test("few positions are all measured", () => {
  assert.deepEqual(sampledPositions(labels(4)), [0, 1, 2, 3]);
});

test("of many positions a sample and the longest label are measured", () => {
  const many = labels(201);
  many[7] = "0.0105";
  assert.deepEqual(sampledPositions(many), [0, 25, 50, 75, 100, 125, 150, 175, 200, 7]);
});
