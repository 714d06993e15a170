import assert from "node:assert/strict";
import test from "node:test";

import { offer } from "../../../lnviz/front/page/place.js";

const LESSONS = { base: "/", lessons: { axes: "Two axes" } };

test("what is no lesson is not offered", () => {
  for (const stored of [null, "gone", "", "__proto__", "toString", "<img src=x onerror=alert()>", "{".repeat(999)]) {
    globalThis.localStorage = { getItem: () => stored };
    const place = {};
    offer(place, LESSONS);
    assert.equal(place.hidden, true, stored);
  }
});
