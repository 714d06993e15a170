import assert from "node:assert/strict";
import test, { beforeEach, mock } from "node:test";

import { FigureController } from "../../../lnviz/frontend/engine/controller.js";
import { State } from "../../../lnviz/frontend/engine/state.js";
import { PrevNextButtons } from "../../../lnviz/frontend/engine/prev_next.js";
import { happen, openPage } from "./page.js";
import { PAYLOAD } from "./payloads.js";

let frames = [];
let controller, drawn, settled;

beforeEach(() => {
  frames = [];
  globalThis.requestAnimationFrame = (draw) => frames.push(draw);
  globalThis.cancelAnimationFrame = () => (frames = []);
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  [drawn, settled] = [0, 0];
  controller = new FigureController(() => (drawn += 1), () => (settled += 1));
  controller.currentState = new State(PAYLOAD, {}, {});
});

const frame = () => frames.splice(0).forEach((draw) => draw());

test("many moves within a frame are drawn once", () => {
  for (const position of [0, 1, 3]) controller.set("gain", position);
  assert.deepEqual([frames.length, drawn], [1, 0]);
  frame();
  assert.deepEqual([drawn, controller.state.positions.gain], [1, 3]);
});

test("setting the present position does nothing", () => {
  controller.set("gain", 2);
  assert.equal(frames.length, 0);
});

test("a movement settles once it is drawn and has ended", () => {
  controller.set("gain", 0);
  controller.settle();
  assert.equal(settled, 0);
  frame();
  mock.timers.tick(249);
  assert.equal(settled, 0);
  mock.timers.tick(1);
  assert.equal(settled, 1);
});

test("a flush draws and settles an unfinished movement at once", () => {
  controller.set("gain", 0);
  controller.flush();
  assert.deepEqual([drawn, settled], [1, 1]);
  frame();
  mock.timers.tick(1000);
  assert.deepEqual([drawn, settled], [1, 1]);
});

test("a pointer stays pinned until it is released", () => {
  controller.hold("cell", true);
  controller.hold("cell", true);
  assert.deepEqual([[...controller.state.held], drawn], [["cell"], 1]);
  controller.releaseAll();
  assert.deepEqual([controller.state.held.size, drawn], [0, 2]);
});

test("a stopped controller draws and settles nothing more", () => {
  controller.set("gain", 0);
  controller.stop();
  frame();
  mock.timers.tick(1000);
  assert.deepEqual([drawn, settled], [0, 0]);
});

test("before the first payload there is no state", () => {
  controller.currentState = null;
  assert.throws(() => controller.state, /no payload yet/);
});

test("the previous and next buttons stop at the ends", () => {
  openPage();
  const walk = new PrevNextButtons({ spec: PAYLOAD.controls[0] }, controller);
  const seen = [walk.next, walk.next, walk.next, walk.back].map((button) => {
    happen(button, "click");
    walk.draw();
    return [controller.state.positions.gain, walk.back.attributes["aria-disabled"], walk.next.attributes["aria-disabled"]];
  });
  assert.deepEqual(seen, [[3, "false", "true"], [3, "false", "true"], [3, "false", "true"], [2, "false", "false"]]);
  controller.set("gain", 0);
  happen(walk.back, "click");
  walk.draw();
  assert.deepEqual([controller.state.positions.gain, walk.back.attributes["aria-disabled"]], [0, "true"]);
});
