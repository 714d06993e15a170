import assert from "node:assert/strict";
import test from "node:test";

import { Ranking } from "../../../lnviz/frontend/book/ranking.js";
import { statusText } from "../../../lnviz/frontend/book/search.js";
import { isWithinOneEdit, tokenize } from "../../../lnviz/frontend/book/tokenizer.js";

const section = (heading, text = "", page = "A page", weight = 1) => ({ page, heading, address: "/", text, weight });
const headings = (sections, asked) => new Ranking(sections).search(asked).sections.map(({ heading }) => heading);

test("word forms and synonyms become the same term", () => {
  for (const [one, other] of [
    ["vanishing gradients", "a gradient vanishes"],
    ["pre-norm", "Pre-LN"],
    ["fp16", "half precision"],
    ["layer normalization", "LayerNorm"],
    ["neuron", "a unit"],
  ]) {
    assert.deepEqual(tokenize(one).sort(), tokenize(other).sort(), one);
  }
});

test("stop words are ignored", () => {
  assert.deepEqual(tokenize("why do we need it?"), []);
});

test("the last word matches as a prefix, and misspelled words match", () => {
  const sections = [section("1", "learning a residual stream"), section("2", "abnormal")];
  assert.deepEqual(headings(sections, "resid"), ["1"]);
  assert.deepEqual(headings(sections, "risidual stream"), ["1"]);
  assert.deepEqual(headings(sections, "normal"), []);
});

test("one inserted, deleted, replaced, or two swapped letters match", () => {
  assert.ok(["gains", "gan", "gaim", "gian"].every((word) => isWithinOneEdit("gain", word)));
  assert.ok(!isWithinOneEdit("gain", "grin us") && !isWithinOneEdit("gain", "rain x"));
});

test("a table's row headings count like headings", () => {
  const table = { ...section("models", "zebra, horse"), rows: ["zebra", "horse"] };
  assert.deepEqual(headings([section("1", "zebra zebra zebra"), table, section("2", "bear")], "zebra"), ["models", "1"]);
});

test("headings count more than titles, and titles more than text", () => {
  const sections = [section("1", "softmax"), section("2", "", "Softmax"), section("softmax")];
  assert.deepEqual(headings(sections, "softmax"), ["softmax", "2", "1"]);
});

test("sections with most terms come first, and whether they contain all is returned", () => {
  const sections = [section("1", "gain"), section("2", "gain and bias")];
  assert.deepEqual(headings(sections, "gain bias"), ["2", "1"]);
  assert.equal(new Ranking(sections).search("gain bias").all, true);
  assert.equal(new Ranking(sections).search("gain bias zebra").all, false);
});

test("a term counts less in a long text, and in a list", () => {
  const sections = [section("long", `gain ${"x ".repeat(3000)}`), section("list", "gain", "A page", 0.3), section("short", "gain")];
  assert.equal(headings(sections, "gain")[0], "short");
});

test("an empty query and an empty index have no results", () => {
  assert.deepEqual(headings([section("1", "zebra")], "?!"), []);
  assert.match(statusText("?!", 0, true), /^Nothing in the book matches “\?!”/);
  assert.match(statusText("a b", 2, false), /Closest: 2$/);
});
