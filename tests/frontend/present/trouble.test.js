// Messages for the presenter.

import assert from "node:assert/strict";
import test from "node:test";

import { Trouble } from "../../../lnviz/frontend/present/trouble.js";
import { newElement, openPage } from "../engine/page.js";

test("a turn that has to be confirmed is announced during an outage, too", () => {
  openPage();
  document.body = newElement();
  const trouble = new Trouble();
  trouble.set("connection", "The server can’t be reached.");
  trouble.set("leave", "Press again to leave it.");
  assert.equal(trouble.line.textContent, "Press again to leave it.");
  trouble.set("leave", "");
  assert.equal(trouble.line.textContent, "The server can’t be reached.");
});
