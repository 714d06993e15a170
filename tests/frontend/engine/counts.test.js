import assert from "node:assert/strict";
import test from "node:test";

import { duration, pluralize } from "../../../lnviz/frontend/engine/counts.js";

test("counts have singular and plural, and thousands separators", () => {
  assert.deepEqual([pluralize(1, "run"), pluralize(0, "run"), pluralize(1500, "step")], ["1 run", "0 runs", "1,500 steps"]);
});

test("durations are rounded", () => {
  const said = [0.2, 9.4, 33, 90, 5399, 7200].map(duration);
  assert.deepEqual(said, ["a few seconds", "a few seconds", "about 35 seconds", "about 2 minutes", "about 90 minutes", "about 2 hours"]);
});
