// Queue of chart drawings.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { drawAll, enqueueDraw } from "../../../lnviz/frontend/engine/frame_queue.js";

/** Callbacks waiting for a frame. @type {(() => void)[]} */
let frames = [];

/** Run everything that does not wait for a frame. */
const rest = () => new Promise((resolve) => setTimeout(resolve, 1));

/** Paint a frame. */
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

test("a chart is drawn once the previous one has been painted", async () => {
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

test("a failed drawing rejects, and the next one is drawn", async () => {
  const failed = enqueueDraw(() => Promise.reject(new Error("no room")));
  const next = enqueueDraw(async () => "drawn");
  await assert.rejects(failed, /no room/);
  await rest();
  await paint();
  assert.equal(await next, "drawn");
});

test("a hidden page waits for no frame", async () => {
  Object.assign(globalThis, { document: { hidden: true } });
  const drawn = await Promise.all([1, 2].map((number) => enqueueDraw(async () => number)));
  assert.deepEqual([drawn, frames], [[1, 2], []]);
});

test("on paper all are drawn at once", async () => {
  /** @type {string[]} */
  const drawn = [];
  for (const name of ["first", "second", "third"]) enqueueDraw(async () => drawn.push(name));
  drawAll();
  assert.deepEqual(drawn, ["first", "second", "third"]);
});
