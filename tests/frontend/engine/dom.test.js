import assert from "node:assert/strict";
import test from "node:test";

import { setHidden, setText } from "../../../lnviz/frontend/engine/dom.js";

globalThis.Node = { TEXT_NODE: 3 };

/** A text node's element, and what is written to it. */
function written(text) {
  const log = [];
  const node = { nodeType: 3, set nodeValue(value) { text = value; log.push("value"); } };
  const element = {
    firstChild: node,
    lastChild: node,
    get textContent() { return text; },
    set textContent(value) { text = value; log.push("node"); },
    get hidden() { return true; },
    set hidden(value) { log.push(value); },
  };
  return { element, log };
}

test("a text keeps its node, also while it is empty, and is not written again", () => {
  const { element, log } = written("1.5");
  for (const text of ["1.5", "", "", "2.5"]) setText(element, text);
  assert.deepEqual([element.textContent, log], ["2.5", ["value", "value"]]);
});

test("what is hidden is not hidden again", () => {
  const { element, log } = written("");
  setHidden(element, true);
  setHidden(element, false);
  assert.deepEqual(log, [false]);
});
