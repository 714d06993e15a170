import assert from "node:assert/strict";
import test from "node:test";

import { best, summary, wordsOf } from "../../../lnviz/front/book/search.js";

const section = (heading, text = "", page = "A page") => ({ page, heading, address: "/", text });
const headings = (sections, asked) => best(sections, wordsOf(asked)).sections.map(({ heading }) => heading);

test("words begin where they are found to begin", () => {
  const sections = [section("1", "normalize"), section("2", "abnormal")];
  assert.deepEqual(headings(sections, "Norm"), ["1"]);
});

test("a heading speaks for more than the title, and the title for more than the text", () => {
  const sections = [section("1", "gain"), section("2", "", "Gain"), section("gain")];
  assert.deepEqual(headings(sections, "gain"), ["gain", "2", "1"]);
});

test("those that hold the most words are found, and whether they hold all", () => {
  const sections = [section("1", "gain"), section("2", "gain and bias")];
  assert.deepEqual(best(sections, ["gain", "bias", "depth"]).all, false);
  assert.deepEqual(headings(sections, "gain bias depth"), ["2"]);
});

test("in a long text a word says less", () => {
  const sections = [section("long", `gain ${"x ".repeat(3000)}`), section("short", "gain")];
  assert.deepEqual(headings(sections, "gain"), ["short", "long"]);
});

test("no word and no section are said", () => {
  assert.deepEqual(headings([section("1", "a")], "?!"), []);
  assert.match(summary("?!", 0, true), /^Nothing in the book holds “\?!”/);
  assert.match(summary("a b", 2, false), /The nearest: 2$/);
});
