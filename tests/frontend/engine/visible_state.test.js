import assert from "node:assert/strict";
import test from "node:test";

import { removeState, publishState, waitForState } from "../../../lnviz/frontend/engine/visible_state.js";

test("a waiting callback is called until it is done", () => {
  const seen = [];
  publishState("figure-a", { gain: "1" });
  waitForState("figure-a", ({ gain }) => seen.push(gain) && gain === "3");
  for (const gain of ["2", "3", "4"]) publishState("figure-a", { gain });
  assert.deepEqual(seen, ["1", "2", "3"]);
});

test("a removed figure has no state", () => {
  publishState("figure-b", { gain: "1" });
  removeState("figure-b");
  waitForState("figure-b", () => assert.fail("it is gone"));
});
