import assert from "node:assert/strict";
import test from "node:test";

import { csv, month, pointRows, power, tables } from "../../../lnviz/frontend/engine/csv.js";

const PAYLOAD = { title: "f", controls: [{ name: "norm" }], parameters: [{ name: "seed", value: 3 }] };
const TENSORS = { mean: { words: [] }, word: { words: ["a", "b"] } };
const STATE = { payload: PAYLOAD, tensors: TENSORS, labelOf: () => "LayerNorm", valueOf: (name) => (name === "word" ? 1 : 0.5) };
const HAND = { state: STATE };
const table = (...rows) => csv({ controller: HAND, views: [{ element: {}, spec: { title: ["t"] }, numbers: () => rows }] }, ["lnviz: f", "https://a.b/c"]);

test("a CSV file begins with its source and the figure's state", () => {
  assert.equal(table(["a"]).split("\r\n\r\n")[0], "lnviz: f\r\nhttps://a.b/c\r\nseed,3\r\nnorm,LayerNorm");
});

test("cells are quoted, formulas are escaped, and numbers have the digits of float32", () => {
  assert.equal(table(["a,b", '"', "=1+1", NaN, 0.44525039196]).split("\r\n\r\n")[1], 't\r\n"a,b","""",\'=1+1,,0.4452504\r\n');
});

test("a figure with only pictures exports the numbers of its sentences", () => {
  const field = (name) => ({ name, format: "2", style: "" });
  const said = { element: {}, spec: { pieces: ["A ", field("mean"), field("word"), field("norm"), field("mean")] } };
  const [found] = tables({ controller: HAND, views: [{ element: {}, spec: {} }, said] });
  assert.deepEqual(found, { title: "f", rows: [["what", "value"], ["mean", 0.5], ["word", "b"]] });
});

test("column names are unique", () => {
  const [head] = pointRows([{ name: "a", x: [1], y: [2] }, { name: "a", x: [1], y: [3] }], (axis) => axis);
  assert.deepEqual(head, ["x", "y: a", "y: a (2)"]);
});

test("unnamed markers are marks, and labels are left out", () => {
  const line = { name: "a", mode: "lines", x: [1, 2], y: [3, 4] };
  const traces = [line, { mode: "markers", x: [2], y: [4] }, { mode: "text", x: [2], y: [4.5] }];
  assert.deepEqual(pointRows(traces, (axis) => axis), [["x", "y: a", "x: marked", "y: marked"], [1, 3, 2, 4], [2, 4, "", ""]]);
});

test("traces are columns, and a shared x is written once", () => {
  const traces = [{ name: "one", x: [1, 2], y: [3, 4] }, { name: "two", x: [1, 2], y: [5, 6] }];
  assert.deepEqual(pointRows(traces, (axis) => axis), [["x", "y: one", "y: two"], [1, 3, 5], [2, 4, 6]]);
});

test("positions with tick labels are written as these", () => {
  const named = (axis, values) => (axis === "y" ? values.map((value) => ["no norm", "LayerNorm"][value]) : values);
  const rows = pointRows([{ x: [2019, 2020], y: [1, 0] }], (axis) => axis, named);
  assert.deepEqual(rows, [["x", "y"], [2019, "LayerNorm"], [2020, "no norm"]]);
});

test("a date is written as its month, despite float32 rounding", () => {
  assert.equal(month(Date.UTC(2019, 9, 1) - 60_000), "2019-10");
});

test("a number whose logarithm is drawn is written itself", () => {
  assert.equal(power(10, Math.fround(Math.log10(61.67))), 61.67);
  assert.equal(power(2, 10), 1024);
  assert.ok(Number.isNaN(power(10, NaN)));
});

test("a band is written as its two edges", () => {
  const band = { fill: "toself", line: { color: "c" }, x: [1, 2, 2, 1], y: [4, 5, 1, 0] };
  const [head, ...rows] = pointRows([{ name: "line", line: { color: "c" } }, band], (axis) => axis);
  assert.deepEqual(head, ["x", "y: line, upper end of the band", "y: line, lower end of the band"]);
  assert.deepEqual(rows, [[1, 4, 0], [2, 5, 1]]);
});
