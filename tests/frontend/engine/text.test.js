import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { joinNumbers } from "../../../lnviz/frontend/engine/dom.js";
import { parseNumber } from "../../../lnviz/frontend/engine/numbers.js";
import { State } from "../../../lnviz/frontend/engine/state.js";
import { decode } from "../../../lnviz/frontend/engine/tensors.js";
import { Template, plainText } from "../../../lnviz/frontend/engine/text.js";
import { openPage } from "./page.js";
import { PAYLOAD, packed } from "./payloads.js";

const tensor = (numbers, more = {}) => decode(packed(Float32Array.of(...numbers), { over: [], shape: [numbers.length], ...more }));
const tensors = {
  x: await tensor([-1.25]),
  terms: await tensor([1, -2, NaN, 3]),
  word: await tensor([1], { words: ["falls", "rises"] }),
};
const controller = { state: new State(PAYLOAD, tensors, { norm: 1 }) };
const field = (name, format = "") => plainText([{ name, format, style: "" }], controller);

test("a template contains numbers, words and labels of controls", () => {
  assert.equal(plainText(["x is ", { name: "x", format: "1", style: "" }, "."], controller), "x is −1.3.");
  assert.deepEqual([field("word"), field("norm"), field("x")], ["rises", "layer", "−1.25"]);
});

test("asterisks around words are emphasis, and no part of plain text", () => {
  assert.equal(plainText(["Drag *weight scale*, 2 * 3."], controller), "Drag weight scale, 2 * 3.");
  openPage();
  const parts = [];
  new Template({ append: (...nodes) => parts.push(...nodes) }, ["Drag *weight scale*, 2 * 3."], controller);
  assert.deepEqual(parts.map((part) => part.textContent ?? part), ["Drag ", "weight scale", ", 2 * 3."]);
});

test("negative numbers get parentheses where the format says so", () => {
  assert.deepEqual([field("x", "1n"), field("norm", "n")], ["(−1.3)", "layer"]);
});

test("a sum is written out without NaN", () => {
  assert.equal(field("terms", "0+"), "1 − 2 + 3");
});

for (const [typed, value] of [
  ["2.5", 2.5],
  [" −1,5 ", -1.5],
  ["1e-7", 1e-7],
  [".5", 0.5],
  ["1,500", 1500],
  ["0,125", 0.125],
  ["", NaN],
  ["1.2.3", NaN],
  ["٣", NaN],
  ["Infinity", NaN],
]) {
  test(`“${typed}” is parsed as ${value}`, () => assert.equal(parseNumber(typed), value));
}

for (const [text, parts] of JSON.parse(readFileSync(new URL("joined.json", import.meta.url), "utf8"))) {
  test(`“${text}” breaks before no number`, () => {
    openPage();
    assert.deepEqual(joinNumbers(text).map((part) => part.textContent ?? part), parts);
  });
}

test("a template's number is joined to the word or sign before it", () => {
  openPage();
  const template = new Template({ append() {} }, ["It varies by ± ", { name: "x", format: "1", style: "" }, "."], controller);
  assert.deepEqual(template.fields.map(({ node, around }) => around.children.map((part) => (part === node ? "x" : part))), [["± ", "x"]]);
});
