import { test } from "node:test";
import assert from "node:assert/strict";

import { figureInQuery, hashAfterToggle } from "../../../lnviz/frontend/page/folds.js";

const HOLDS = ["the-last-layer", "figure-depth", "ask-deeper"];

test("the address says which fold was opened last", () => {
  assert.equal(hashAfterToggle("", HOLDS, true), "#the-last-layer");
  assert.equal(hashAfterToggle("#another", HOLDS, true), "#the-last-layer");
});

test("what an address names in a fold stays named while the fold is open", () => {
  assert.equal(hashAfterToggle("#figure-depth", HOLDS, true), "#figure-depth");
});

test("the address says nothing of a fold that is closed", () => {
  assert.equal(hashAfterToggle("#the-last-layer", HOLDS, false), "");
  assert.equal(hashAfterToggle("#figure-depth", HOLDS, false), "");
  assert.equal(hashAfterToggle("#another", HOLDS, false), "#another");
});

test("an address that gives a figure a value names the figure", () => {
  const figures = { depth: ["layers", "seed"], blocks: ["walk"] };
  assert.equal(figureInQuery(figures, new URLSearchParams("direction=forward&walk=3")), "figure-blocks");
  assert.equal(figureInQuery(figures, new URLSearchParams("seed=0")), "figure-depth");
  assert.equal(figureInQuery(figures, new URLSearchParams("hide=layers")), "");
});
