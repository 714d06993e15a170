import assert from "node:assert/strict";
import test from "node:test";

import { markBegun, markRead, clearProgress, nextLesson, markRules } from "../../../lnviz/frontend/page/progress.js";

const [WHY, AXES, BATCH] = ["why", "axes", "batch"].map((slug) => ({ slug, title: slug, href: `/${slug}`, time: "7 minutes" }));
const LESSONS = [WHY, AXES, BATCH];

/** A browser with storage and style sheets. */
function browser(stored = null) {
  const kept = new Map(stored === null ? [] : [["lnviz progress", stored]]);
  globalThis.localStorage = { getItem: (name) => kept.get(name) ?? null, setItem: (name, text) => kept.set(name, text) };
  globalThis.CSSStyleSheet ??= class {
    replaceSync(text) {
      this.text = text;
    }
  };
  globalThis.document ??= { adoptedStyleSheets: [] };
  return kept;
}

test("an unknown lesson is not continued", () => {
  for (const stored of [null, "gone", "", '{"last": "__proto__"}', '{"last": "toString"}', "[]", '"axes"', '{"last": {}}', "{".repeat(999)]) {
    browser(stored);
    assert.equal(nextLesson(LESSONS), undefined, stored);
  }
});

test("reading continues at the last lesson, or after it if that is read", () => {
  browser();
  markBegun("axes");
  assert.equal(nextLesson(LESSONS), AXES);
  markRead("axes");
  assert.equal(nextLesson(LESSONS), BATCH);
  markRead("batch");
  assert.equal(nextLesson(LESSONS), AXES);
});

test("cleared progress is gone", () => {
  const kept = browser();
  markBegun("axes");
  markRead("axes");
  clearProgress();
  assert.equal(nextLesson(LESSONS), undefined);
  assert.ok(![...kept.values()].join().includes("axes"));
});

test("a read lesson has one mark, and invalid slugs get no CSS rule", () => {
  const text = markRules({ last: "", begun: ["axes", "why"], read: ["axes"] });
  assert.equal(text.match(/data-lesson="axes"/g).length, 1);
  assert.match(text, /"axes".*\(finished\)/);
  assert.match(text, /"why".*\(begun\)/);
  browser('{"last": "axes", "begun": ["\\"] {}", 3], "read": "axes"}');
  markBegun("why");
  assert.ok(!document.adoptedStyleSheets[0].text.includes("{}"));
});
