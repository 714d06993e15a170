// Charts that draw in turn.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { enqueueDraw } from "../../../lnviz/frontend/engine/frame_queue.js";

/** What waits for a frame. @type {(() => void)[]} */
let frames = [];

/** Lets all run that waits for no frame. */
const rest = () => new Promise((resolve) => setTimeout(resolve, 1));

/** The page is painted. */
async function paint() {
  for (const show of frames.splice(0)) show();
  await rest();
}

beforeEach(async () => {
  Object.assign(globalThis, {
    document: { hidden: false },
    requestAnimationFrame: (/** @type {() => void} */ show) => frames.push(show),
  });
  await rest();
  await paint(); // what an earlier test has drawn
});

test("the next begins when the one before has been painted", async () => {
  /** @type {string[]} */
  const drawn = [];
  for (const name of ["first", "second", "third"]) enqueueDraw(async () => drawn.push(name));
  for (const many of [1, 2, 3]) {
    await rest();
    assert.equal(drawn.length, many);
    await paint();
  }
  assert.deepEqual(drawn, ["first", "second", "third"]);
});

test("one that fails says so, and the next draws", async () => {
  const failed = enqueueDraw(() => Promise.reject(new Error("no room")));
  const next = enqueueDraw(async () => "drawn");
  await assert.rejects(failed, /no room/);
  await rest();
  await paint();
  assert.equal(await next, "drawn");
});

test("a page that nobody sees waits for no frame", async () => {
  Object.assign(globalThis, { document: { hidden: true } });
  const drawn = await Promise.all([1, 2].map((number) => enqueueDraw(async () => number)));
  assert.deepEqual([drawn, frames], [[1, 2], []]);
});
