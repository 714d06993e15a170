import assert from "node:assert/strict";
import test from "node:test";

import { addressOf, bibtex, wrapLines, sourceLines } from "../../../lnviz/frontend/engine/citation.js";

const figure = { anchor: "figure-grid", controller: { state: { payload: { title: "Two axes" } } } };

test("a BibTeX entry has the year and the state's URL, and escapes LaTeX's special characters", () => {
  const entry = bibtex("50% of {a} & b_c", "https://a.b/axes?norm=batch#figure-grid", new Date("2026-11-23T12:00:00Z"));
  assert.match(entry, /^@misc\{lnviz-50-of-a,\n/);
  assert.match(entry, /title = \{\{50\\% of a \\& b\\_c\}\},/);
  assert.match(entry, /year = \{2026\},/);
  assert.match(entry, /url = \{https:\/\/a\.b\/axes\?norm=batch#figure-grid\},/);
});

test("a page on disk has no URL to cite", () => {
  globalThis.location = { href: "file:///home/me/site/axes.html" };
  assert.deepEqual(sourceLines(figure), ["lnviz: Two axes"]);
  assert.ok(!bibtex("t", addressOf(figure), new Date()).includes("url ="));
  globalThis.location = { href: "https://a.b/axes?norm=batch" };
  assert.deepEqual(sourceLines(figure), ["lnviz: Two axes", "https://a.b/axes?norm=batch#figure-grid"]);
});

test("a URL is broken into lines that fit", () => {
  const address = `https://a.b/?${"x".repeat(200)}`;
  assert.equal(wrapLines(address, 300).join(""), address);
  assert.ok(wrapLines(address, 300).every((line) => line.length <= 50));
});
