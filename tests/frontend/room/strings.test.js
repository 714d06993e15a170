// Texts that depend on counts or on an option's text.

import assert from "node:assert/strict";
import test from "node:test";

import { PROJECTOR } from "../../../lnviz/frontend/room/projector_strings.js";
import { REMOTE } from "../../../lnviz/frontend/room/remote_strings.js";
import { withoutPeriod } from "../../../lnviz/frontend/room/strings.js";

test("an option is named in a sentence without a period of its own", () => {
  assert.equal(withoutPeriod("It stays similar."), "It stays similar");
  assert.equal(withoutPeriod("<p>It is <b>0.5</b>.</p>"), "<p>It is <b>0.5</b></p>");
  assert.equal(withoutPeriod("0.5"), "0.5");
});

test("counts say what differs, in words that fit none, one and many", () => {
  assert.equal(REMOTE.settings(0, 0), "0 settings");
  assert.equal(REMOTE.settings(1, 1), "1 setting");
  assert.equal(REMOTE.settings(2, 1), "2 settings, all the same");
  assert.equal(REMOTE.numbers(2, 2), "2 numbers, all different");
  assert.equal(REMOTE.numbers(5, 3), "5 numbers, 3 of them different");
  assert.deepEqual([0, 1, 2].map(REMOTE.seconds), ["", "Also asked by 1 other", "Also asked by 2 others"]);
  assert.equal(PROJECTOR.met(0, 0), "No setting was handed in");
  assert.equal(PROJECTOR.met(2, 3), "✓ 2 of 3 meet the task");
});
