import assert from "node:assert/strict";
import test from "node:test";

import { withLegibleLabels } from "../../../lnviz/frontend/engine/chart.js";

test("a label that is larger than its dot stands for it, in the dot's color", () => {
  const dots = (size, more = {}) => ({ mode: "markers+text", marker: { size: 13, color: "teal" }, textfont: { size, color: "white" }, ...more });
  assert.deepEqual(withLegibleLabels(dots(9)), dots(9));
  const { marker, textfont } = withLegibleLabels(dots(20));
  assert.deepEqual([marker.opacity, textfont.color], [0, "teal"]);
  assert.deepEqual(withLegibleLabels(dots(20, { textposition: "top center" })), dots(20, { textposition: "top center" }), "beside its dot");
});
