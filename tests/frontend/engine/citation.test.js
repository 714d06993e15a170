import assert from "node:assert/strict";
import test from "node:test";

import { addressOf, bibtex, wrapLines, sourceLines } from "../../../lnviz/frontend/engine/citation.js";

const CONTROLS = [
  { kind: "choice", name: "norm", slug: "norm", values: ["batch", "layer"], labels: ["BatchNorm", "LayerNorm"], start: 0 },
  { kind: "pointer", name: "cell", slug: "cell", rows: ["1"], columns: ["1"], start: 0 },
];
const SENTENCES = { finding: "One mean.", method: "Measured once." };

const figure = (title = "Two axes", site = "") => ({
  anchor: "figure-grid",
  linked: true,
  controller: {
    state: {
      payload: { title, controls: CONTROLS, parameters: [{ name: "seed", label: "Seed", value: 3 }], source: { version: "1.2", site } },
      positions: { norm: 0, cell: 0 },
      held: new Set(),
      labelOf: () => "BatchNorm",
    },
  },
  layout: { sentences: (style) => SENTENCES[style] },
});
const at = (href) => (globalThis.location = new URL(href));

test("a BibTeX entry has version, year, state and URL, and escapes LaTeX's special characters", () => {
  at("https://a.b/axes");
  const entry = bibtex(figure("50% of {a} & b_c"), new Date("2026-11-23T12:00:00Z"));
  assert.match(entry, /^@misc\{lnviz-50-of-a,\n/);
  assert.match(entry, /title = \{\{50\\% of a \\& b\\_c\}\},/);
  assert.match(entry, /howpublished = \{Interactive figure in lnviz 1.2\},/);
  assert.match(entry, /year = \{2026\},/);
  assert.match(entry, /note = \{norm BatchNorm; Seed 3\},/);
  assert.match(entry, /url = \{https:\/\/a\.b\/axes\?norm=batch&seed=3#figure-grid\},/);
});

test("a page on disk or on the reader's machine has no URL to cite", () => {
  for (const href of ["file:///home/me/site/axes.html", "http://127.0.0.1:8501/axes", "http://localhost/axes"]) {
    at(href);
    assert.equal(addressOf(figure()), "");
    if (href.startsWith("file")) assert.equal(addressOf(figure("t", "https://c.d")), "");
    assert.ok(!bibtex(figure(), new Date()).includes("url ="));
  }
});

test("the address that has been published is cited, wherever the app runs", () => {
  at("http://127.0.0.1:8501/axes?theme=dark");
  assert.equal(addressOf(figure("t", "https://c.d")), "https://c.d/axes?theme=dark&norm=batch&seed=3#figure-grid");
  assert.equal(addressOf(figure("t", "https://c.d/ln")), "https://c.d/ln/axes?theme=dark&norm=batch&seed=3#figure-grid");
  at("http://127.0.0.1:8501/ln/axes");
  assert.equal(addressOf(figure("t", "https://c.d/ln")), "https://c.d/ln/axes?norm=batch&seed=3#figure-grid");
});

test("a picture says what it shows, in which state, and how it was measured", () => {
  at("file:///home/me/site/axes.html");
  assert.deepEqual(sourceLines(figure()), ["lnviz 1.2: Two axes", "One mean.", "norm BatchNorm; Seed 3", "Measured once."]);
});

test("a URL is broken into lines that fit", () => {
  const address = `https://a.b/?${"x".repeat(200)}`;
  assert.equal(wrapLines(address, 300).join(""), address);
  assert.ok(wrapLines(address, 300).every((line) => line.length <= 50));
});
