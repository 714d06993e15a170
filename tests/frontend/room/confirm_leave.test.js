import assert from "node:assert/strict";
import test from "node:test";

import { LeaveConfirmation } from "../../../lnviz/frontend/room/confirm_leave.js";

test("an open question is left by a second press, and not by a key that is held down", () => {
  const leaving = new LeaveConfirmation();
  assert.equal(leaving.check(true, false, 0), "warned");
  assert.equal(leaving.check(true, true, 1000), "ignored");
  assert.equal(leaving.check(true, false, 1500), "allowed");
  assert.equal(new LeaveConfirmation().check(false, true, 0), "allowed");
  assert.equal(leaving.check(true, false, 9000), "warned");
  assert.equal(leaving.check(true, false, 13_000), "warned", "too late to be the second press");
});

test("a press right after a question was left turns no further screen", () => {
  const leaving = new LeaveConfirmation();
  leaving.check(true, false, 0);
  leaving.check(true, false, 1000);
  assert.equal(leaving.check(false, false, 1399), "ignored");
  assert.equal(leaving.check(false, false, 1400), "allowed");
});
