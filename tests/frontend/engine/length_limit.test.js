import assert from "node:assert/strict";
import test from "node:test";

import { lengthNote } from "../../../lnviz/frontend/engine/length_limit.js";

test("a field says its limit before it is reached, and by how much a text exceeds it", () => {
  assert.deepEqual([0, 59, 60, 80, 86].map((length) => lengthNote(length, 80)), ["", "", "60 of 80 characters", "80 of 80 characters", "86 of 80 characters: 6 too many"]);
});
