import assert from "node:assert/strict";
import test from "node:test";

import { hide, show, wait } from "../../../lnviz/frontend/engine/visible_state.js";

test("what waits for a figure looks until it is done", () => {
  const seen = [];
  show("figure-a", { gain: "1" });
  wait("figure-a", ({ gain }) => seen.push(gain) && gain === "3");
  for (const gain of ["2", "3", "4"]) show("figure-a", { gain });
  assert.deepEqual(seen, ["1", "2", "3"]);
});

test("a figure that is gone shows nothing", () => {
  show("figure-b", { gain: "1" });
  hide("figure-b");
  wait("figure-b", () => assert.fail("it is gone"));
});
