import assert from "node:assert/strict";
import test from "node:test";

import { Leaving } from "../../../lnviz/frontend/room/confirm_leave.js";

test("an open question is left by a second press, and not by a key that is held down", () => {
  const leaving = new Leaving();
  assert.equal(leaving.turn(true, false, 0), "warned");
  assert.equal(leaving.turn(true, true, 1000), "ignored");
  assert.equal(leaving.turn(true, false, 1500), "taken");
  assert.equal(new Leaving().turn(false, true, 0), "taken");
  assert.equal(leaving.turn(true, false, 9000), "warned");
  assert.equal(leaving.turn(true, false, 13_000), "warned", "too late to be the second press");
});

test("a press right after a question was left turns no further screen", () => {
  const leaving = new Leaving();
  leaving.turn(true, false, 0);
  leaving.turn(true, false, 1000);
  assert.equal(leaving.turn(false, false, 1399), "ignored");
  assert.equal(leaving.turn(false, false, 1400), "taken");
});
