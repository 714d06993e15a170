import assert from "node:assert/strict";
import test from "node:test";

import { attendanceText } from "../../../lnviz/frontend/room/projector_strings.js";
import { poll, room } from "./page.js";

const heads = { here: 21, poll: 7, round: 1, answered: 16, asked: 22, simulated: 0 };

test("a projector counts answers to the present round only", () => {
  const text = (asked) => attendanceText(room(4, { poll: asked }), heads);
  assert.equal(text(poll()), "16 of 22 answered");
  assert.equal(text(poll({ kind: "setting" })), "16 of 22 handed in");
  for (const other of [null, poll({ round: 2 }), poll({ id: 8 })]) assert.equal(text(other), "21 here");
});

test("a projector says who is simulated, and that phones do not follow", () => {
  assert.equal(attendanceText(room(4), { ...heads, simulated: 20 }), "21 here · 20 simulated");
  assert.equal(attendanceText(room(4, { mode: "free" }), heads), "21 here · phones are free");
});
