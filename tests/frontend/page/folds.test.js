import { test } from "node:test";
import assert from "node:assert/strict";

import { figureInQuery, hashAfterToggle } from "../../../lnviz/frontend/page/folds.js";

const HOLDS = ["the-last-layer", "figure-depth", "ask-deeper"];

test("the fragment names the section opened last", () => {
  assert.equal(hashAfterToggle("", HOLDS, true), "#the-last-layer");
  assert.equal(hashAfterToggle("#another", HOLDS, true), "#the-last-layer");
});

test("a fragment for something in a section stays while the section is open", () => {
  assert.equal(hashAfterToggle("#figure-depth", HOLDS, true), "#figure-depth");
});

test("closing a section removes its fragment", () => {
  assert.equal(hashAfterToggle("#the-last-layer", HOLDS, false), "");
  assert.equal(hashAfterToggle("#figure-depth", HOLDS, false), "");
  assert.equal(hashAfterToggle("#another", HOLDS, false), "#another");
});

test("a query with a figure's parameter names that figure", () => {
  const figures = { depth: ["layers", "seed"], blocks: ["walk"] };
  assert.equal(figureInQuery(figures, new URLSearchParams("direction=forward&walk=3")), "figure-blocks");
  assert.equal(figureInQuery(figures, new URLSearchParams("seed=0")), "figure-depth");
  assert.equal(figureInQuery(figures, new URLSearchParams("hide=layers")), "");
});
