import assert from "node:assert/strict";
import test from "node:test";

import { fittingTitle } from "../../../lnviz/frontend/engine/axis_titles.js";

const wide = (text) => 10 * text.length;
const fit = (title, length) => fittingTitle(title, length, { size: 20, family: "sans-serif" }, wide);

test("a title is whole, in two lines, or without its unit, as its axis has room", () => {
  const title = "loss, nats per character";
  assert.equal(fit(title, 240), title);
  assert.equal(fit(title, 150), "loss, nats<br>per character");
  assert.equal(fit(title, 129), "loss");
});

test("a title that has no shorter form stays", () => {
  assert.equal(fit("length", 10), "length");
  assert.equal(fit("mean<br>square", 60), "mean<br>square");
});
