import assert from "node:assert/strict";
import test from "node:test";

import { architectureError } from "../../../lnviz/frontend/lab/form.js";

const error = (layers, warm_up) => architectureError({ layers, warm_up }, 12);

test("a number of layers is a whole number up to the largest", () => {
  assert.deepEqual([error(1, 0), error(12, 0)], ["", ""]);
  for (const layers of [0, 13, 2.5, NaN]) assert.equal(error(layers, 0), "Choose from 1 to 12 layers.");
});

test("a warm-up is a whole number of steps, or none", () => {
  assert.deepEqual([error(6, 0), error(6, 200)], ["", ""]);
  for (const steps of [-1, 0.5, NaN]) assert.match(error(6, steps), /at least 0/);
});
