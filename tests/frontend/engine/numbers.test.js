import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { formatNumber } from "../../../lnviz/frontend/engine/numbers.js";

const SPECIAL = new Map([[null, NaN], ["infinity", Infinity], ["-infinity", -Infinity]]);
const cases = JSON.parse(readFileSync(new URL("numbers.json", import.meta.url), "utf8"));

for (const { value, form, text } of cases) {
  test(`${value} as ${form} is ${text}`, () => {
    assert.equal(formatNumber(SPECIAL.has(value) ? SPECIAL.get(value) : value, form), text);
  });
}
