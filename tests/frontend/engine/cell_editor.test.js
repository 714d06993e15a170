import assert from "node:assert/strict";
import test from "node:test";

import { beginsNumber, cellText, editTable } from "../../../lnviz/frontend/engine/cell_editor.js";

/** Two examples of two features, with headings. */
const table = () => ({ parameter: "data", pointer: "cell", prefix: "table.", first: [1, 1], lines: [["", "a", "b"], ["one", "1", "2"], ["two", "3", "-4.5"]] });
const key = (key, more = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, ...more });

test("a cell is found below and beside the headings", () => {
  assert.deepEqual([0, 1, 2, 3].map((position) => cellText(table(), position)), ["1", "2", "3", "-4.5"]);
});

test("a number changes its cell alone, and stays while others are typed", () => {
  const edits = table();
  assert.equal(editTable(edits, 2, "−0,5"), "table._a_b*one_1_2*two_-0.5_-4.5");
  assert.equal(editTable(edits, 1, "1e21"), "table._a_b*one_1_1e21*two_-0.5_-4.5");
});

for (const text of ["much", "", "-", "1e999"]) {
  test(`${JSON.stringify(text)} changes nothing`, () => {
    const edits = table();
    assert.equal(editTable(edits, 0, text), null);
    assert.deepEqual(edits, table());
  });
}

test("digits, signs and points begin a number; shortcuts and other keys do not", () => {
  for (const each of ["0", "9", "-", "−", "+", ".", ","]) assert.ok(beginsNumber(key(each)), each);
  for (const each of ["a", "Enter", "ArrowUp", "Tab", " ", "F5"]) assert.ok(!beginsNumber(key(each)), each);
  for (const held of ["ctrlKey", "metaKey", "altKey"]) assert.ok(!beginsNumber(key("0", { [held]: true })), held);
});
