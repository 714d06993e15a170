import assert from "node:assert/strict";
import test from "node:test";

import { Deck } from "../../../lnviz/frontend/room/deck.js";
import { openPage, serve } from "./page.js";

test("concurrent requests of a slide are shared, and failures are retried", async (context) => {
  const page = openPage(context);
  const server = { status: 503 };
  const screen = { lesson: "axes", name: "shared", place: 3 };
  const asked = serve(context, () => Response.json(screen, { status: server.status }));
  const deck = new Deck("");
  assert.deepEqual(await Promise.all([deck.get("axes", "shared"), deck.get("axes", "shared")]), [null, null]);
  await page.pass(0);
  server.status = 200;
  const [one, other] = await Promise.all([deck.get("axes", "shared"), deck.get("axes", "shared")]);
  assert.ok(one && one === other);
  assert.equal(await deck.get("axes", 3), one);
  assert.equal(asked.length, 2);
});

test("concurrent requests of a plan are shared, a failure is retried, and a plan that is not there is not", async (context) => {
  const page = openPage(context);
  const server = { status: 503 };
  const asked = serve(context, () => Response.json({ screens: [{ name: "task" }] }, { status: server.status }));
  const deck = new Deck("");
  assert.deepEqual(await Promise.all([deck.getPlan("hour"), deck.getPlan("hour")]), [[], []]);
  await page.pass(0);
  server.status = 200;
  assert.deepEqual(await deck.getPlan("hour"), [{ name: "task" }]);
  server.status = 404;
  for (let time = 0; time < 2; time++) assert.deepEqual(await deck.getPlan("another"), []);
  assert.equal(asked.length, 3);
});
