import assert from "node:assert/strict";
import test from "node:test";

import { attendanceText } from "../../../lnviz/frontend/room/projector_strings.js";

test("a projector counts answers to the present round only", () => {
  const heads = { here: 21, poll: 7, round: 1, answered: 16, asked: 22, simulated: 0 };
  assert.equal(attendanceText({ id: 7, round: 1, kind: "choice" }, heads), "16 of 22 answered");
  assert.equal(attendanceText({ id: 7, round: 1, kind: "setting" }, heads), "16 of 22 handed in");
  for (const poll of [null, { id: 7, round: 2, kind: "choice" }, { id: 8, round: 1, kind: "choice" }]) {
    assert.equal(attendanceText(poll, heads), "21 here");
  }
  assert.equal(attendanceText(null, { ...heads, simulated: 20 }), "21 here · 20 simulated");
});
