import assert from "node:assert/strict";
import test from "node:test";

import { LeaveConfirmation } from "../../../lnviz/frontend/room/confirm_leave.js";

test("leaving an open question needs a second press, not a held key", () => {
  const leaving = new LeaveConfirmation();
  assert.equal(leaving.check(true, false, 0, 1), "warned");
  assert.equal(leaving.check(true, true, 1000, 1), "ignored");
  assert.equal(leaving.check(true, false, 1500, 1), "allowed");
  assert.equal(new LeaveConfirmation().check(false, true, 0, 1), "allowed");
  assert.equal(leaving.check(true, false, 9000, 1), "warned");
  assert.equal(leaving.check(true, false, 16_001, 1), "warned", "too late to be the second press");
});

test("a bouncing press neither confirms nor, after leaving, turns further", () => {
  const leaving = new LeaveConfirmation();
  leaving.check(true, false, 0, 1);
  assert.equal(leaving.check(true, false, 399, 1), "ignored");
  leaving.check(true, false, 1000, 1);
  assert.equal(leaving.check(false, false, 1399, 1), "ignored");
  assert.equal(leaving.check(false, false, 1400, 1), "allowed");
});

test("a press in the other direction takes the first one back", () => {
  const leaving = new LeaveConfirmation();
  assert.equal(leaving.check(true, false, 0, 1), "warned");
  assert.equal(leaving.check(true, false, 1000, -1), "taken back");
  assert.equal(leaving.check(true, false, 2000, -1), "warned");
  assert.equal(leaving.check(true, false, 3000, -1), "allowed");
});
