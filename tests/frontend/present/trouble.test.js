// Messages for the presenter.

import assert from "node:assert/strict";
import test from "node:test";

import { Trouble } from "../../../lnviz/frontend/present/trouble.js";
import { newElement, openPage } from "../engine/page.js";

test("a turn that has to be confirmed is announced during an outage, too", () => {
  openPage();
  const trouble = new Trouble(newElement());
  trouble.set("connection", "The server can’t be reached.");
  trouble.set("leave", "Press again to leave it.");
  assert.equal(trouble.line.textContent, "Press again to leave it.");
  trouble.set("leave", "");
  assert.equal(trouble.line.textContent, "The server can’t be reached.");
});

test("a warning that comes again lasts as long as the first one", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  openPage();
  const trouble = new Trouble(newElement());
  trouble.set("leave", "Press again to leave it.", 3_000);
  context.mock.timers.tick(2_000);
  trouble.set("leave", "");
  trouble.set("leave", "Press again to leave it.", 3_000);
  context.mock.timers.tick(2_000);
  assert.equal(trouble.line.textContent, "Press again to leave it.");
  context.mock.timers.tick(1_000);
  assert.equal(trouble.line.textContent, "");
});
