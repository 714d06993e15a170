import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { formatNumber, parseNumber } from "../../../lnviz/frontend/engine/numbers.js";

const SPECIAL = new Map([[null, NaN], ["infinity", Infinity], ["-infinity", -Infinity]]);
const cases = JSON.parse(readFileSync(new URL("numbers.json", import.meta.url), "utf8"));

for (const { value, form, text } of cases) {
  test(`${value} as ${form} is ${text}`, () => {
    assert.equal(formatNumber(SPECIAL.has(value) ? SPECIAL.get(value) : value, form), text);
  });
}

for (const [text, value] of [["1/3", 1 / 3], ["33 %", 0.33], ["33%", 0.33], [".33", 0.33], ["−1/4", -0.25], ["8,192", 8192], ["1,234,567.5", 1234567.5], ["1.23 × 10²⁹", 1.23e29], ["4 × 10⁻⁵", 4e-5], ["0,5", 0.5], ["8192,5", 8192.5], ["1,50", 1.5], ["0,500", 0.5], ["1,2,3", NaN], ["1.5,5", NaN], ["1/2/3", NaN], ["a/b", NaN], ["1/0", NaN], ["%", NaN]]) {
  test(`${text} is read as ${value}`, () => {
    assert.equal(parseNumber(text), value);
  });
}

test("what is printed is read", () => {
  for (const value of [0, 8192, -0.25, 65504, 999999, 1e6, 16777216, 1e20, -1.5e-7, 1234.5]) assert.equal(parseNumber(formatNumber(value, "g")), value);
});

test("a number may carry the unit that is asked for", () => {
  assert.equal(parseNumber("17 %", "%"), 17);
  assert.equal(parseNumber("33.6MB", "MB"), 33.6);
  assert.equal(parseNumber("33.6", "MB"), 33.6);
});
