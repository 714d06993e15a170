import assert from "node:assert/strict";
import test from "node:test";

import { includedScreens, indexOfScreen, writeSequence, turnedIndex } from "../../../lnviz/frontend/present/sequence.js";

const ENTRIES = [
  { name: "start", part: "" },
  { name: "grid", part: "" },
  { name: "shared", part: "" },
  { name: "about-more", part: "More" },
  { name: "depth", part: "More" },
];

test("a URL selects a slide by name or number, or the nearest one", () => {
  const said = { grid: 1, depth: 4, 3: 2, 3.2: 2, 1: 0, 0: 0, "-1": 0, 999: 4, "1e999": 4, "-1e999": 0, "": 0, x: 0, "<b>": 0 };
  for (const [text, at] of Object.entries(said)) assert.equal(indexOfScreen(text, ENTRIES), at, text);
  assert.equal(indexOfScreen(null, ENTRIES), 0);
});

test("optional sections are included on request, others unless skipped", () => {
  const shown = (/** @type {string} */ query) => includedScreens(ENTRIES, new URLSearchParams(query));
  assert.deepEqual(shown(""), [true, true, true, false, false]);
  assert.deepEqual(shown("with=depth&without=grid,gone"), [true, false, true, false, true]);
});

test("the included slides are written to and read from the URL", () => {
  for (const query of ["norm=batch", "norm=batch&with=depth", "without=grid%2Cshared&with=about-more%2Cdepth"]) {
    const search = new URLSearchParams(query);
    const shown = includedScreens(ENTRIES, search);
    writeSequence(ENTRIES, shown, search);
    assert.deepEqual(includedScreens(ENTRIES, search), shown);
    assert.equal(search.get("norm"), new URLSearchParams(query).get("norm"));
  }
});

test("a turn passes over skipped slides, and stops at the ends", () => {
  const shown = [true, false, true, false, true];
  assert.equal(turnedIndex(0, 1, shown), 2);
  assert.equal(turnedIndex(2, 1, shown), 4);
  assert.equal(turnedIndex(4, 1, shown), 4);
  assert.equal(turnedIndex(4, -1, shown), 2);
  assert.equal(turnedIndex(1, -Infinity, shown), 0);
  assert.equal(turnedIndex(0, Infinity, shown), 4);
  assert.equal(turnedIndex(0, Infinity, [true, true, true, false, false]), 2);
});
