// Marks of a chart that Plotly has drawn.

import assert from "node:assert/strict";
import test from "node:test";

import { moveMarks } from "../../../lnviz/frontend/engine/marks.js";

test("labels that do not change leave points to be moved without Plotly", () => {
  const text = { at: {}, getAttribute: (name) => text.at[name], setAttribute: (name, value) => (text.at[name] = value) };
  const trace = { querySelectorAll: (marks) => (marks.includes("text") ? [text] : []), querySelector: () => null };
  const axis = { autorange: false, _length: 100, l2p: (value) => value };
  const data = [{ x: [1], y: [2], text: ["3"] }];
  const plot = { data, _fullLayout: { xaxis: axis, yaxis: axis }, querySelectorAll: (layer) => (layer.includes("scatter") ? [trace] : []) };
  assert.ok(moveMarks(plot, { 0: { x: [4], text: ["3"] } }));
  assert.deepEqual(text.at, { x: "4", y: "2" });
  assert.ok(!moveMarks(plot, { 0: { x: [4], text: ["3, 5"] } }));
});
