import assert from "node:assert/strict";
import test from "node:test";

import { next } from "../../../lnviz/front/page/progress.js";

const AXES = { slug: "axes", title: "Two axes", href: "/axes", time: "7 minutes" };

test("what is no lesson is not offered", () => {
  for (const stored of [null, "gone", "", "__proto__", "toString", "<img src=x onerror=alert()>", "{".repeat(999)]) {
    globalThis.localStorage = { getItem: () => stored };
    assert.equal(next([AXES]), undefined, stored);
  }
  globalThis.localStorage = { getItem: () => "axes" };
  assert.equal(next([AXES]), AXES);
});
