import assert from "node:assert/strict";
import test from "node:test";

import { placeIn } from "../../../lnviz/front/room/stops.js";

const grid = (pose) => ({ lesson: "axes", screen: "grid", pose });
const PLAN = [grid({ step: "mean" }), grid({ norm: "batch" }), { lesson: "axes", screen: "shared" }, grid({ norm: "batch" }), grid({ step: "scale" })];
const at = (before, pose, screens = ["grid"]) => placeIn(PLAN, before, { lesson: "axes", screens, pose });

test("a screen that comes several times is told apart by its setting", () => {
  assert.equal(at(0, { norm: "batch" }), 1);
  assert.equal(at(4, { norm: "batch" }), 3);
  assert.equal(at(1, { step: "scale" }), 4);
});

test("whoever moves the figure stays at their place", () => {
  for (const place of [0, 1, 3, 4]) assert.equal(at(place, { norm: "group", step: "mean" }), place);
  assert.equal(at(1, { norm: "batch" }), 1);
});

test("of places that are equally far the one ahead is meant", () => {
  assert.equal(at(2, { norm: "batch" }), 3);
  assert.equal(at(0, {}, ["3", "shared"]), 2);
  assert.equal(at(0, {}, ["other"]), -1);
});
