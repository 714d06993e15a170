import assert from "node:assert/strict";
import test from "node:test";

import { goalStart } from "../../../lnviz/frontend/room/goal_start.js";

const STEPS = { name: "training steps", slug: "training-steps", kind: "slider", values: [0, 10, 20], labels: ["0", "10", "20"], start: 2 };
const WARM_UP = { name: "warm-up", slug: "warm-up", kind: "choice", values: ["without", "with"], labels: ["no warm-up", "warm-up"], start: 0 };
const start = (/** @type {any} */ conditions) => goalStart(/** @type {any} */ ([STEPS, WARM_UP]), conditions);

test("an exercise begins with the figure's defaults, but no slider is where it is wanted", () => {
  assert.deepEqual(start({ "warm-up": ["with"], "training-steps": ["20"] }), { "training steps": 0, "warm-up": 0 });
  assert.deepEqual(start({ "warm-up": ["with"], "training-steps": [[5, 15]] }), { "training steps": 2, "warm-up": 0 });
  assert.deepEqual(start({ "warm-up": ["without"] }), { "training steps": 2, "warm-up": 0 });
  assert.deepEqual(start({ "training-steps": [[0, 20]] }), { "training steps": 2, "warm-up": 0 }, "no other position");
});
