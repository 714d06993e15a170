import assert from "node:assert/strict";
import test from "node:test";

import { named } from "../../../lnviz/front/present/screens.js";

test("an address names a screen, or the nearest there is", () => {
  const said = { 3: 2, 3.2: 2, 1: 0, 0: 0, "-1": 0, 999: 13, "1e999": 13, "-1e999": 0, "": 0, x: 0, "<script>": 0 };
  for (const [text, at] of Object.entries(said)) assert.equal(named(text, 14), at, text);
});

test("an address without a screen names the first", () => {
  assert.equal(named(null, 14), 0);
});
