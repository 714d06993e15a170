// Following another projector's figure, or on a phone the projector's.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { FigureController } from "../../../lnviz/frontend/engine/controller.js";
import { State } from "../../../lnviz/frontend/engine/state.js";
import { openPage } from "../engine/page.js";
import { room } from "./page.js";
import { GAIN, NORM, PAYLOAD } from "../engine/payloads.js";

test("a pointer that the teacher has released goes back to its default", async () => {
  openPage();
  globalThis.requestAnimationFrame = () => 1;
  const { applyPose } = await import("../../../lnviz/frontend/room/figure_pose.js");
  mock.timers.enable({ apis: ["setTimeout"] });
  const controller = new FigureController(() => {}, () => {});
  controller.currentState = new State(PAYLOAD, {}, {});
  /** @type {unknown[][]} */
  const shown = [];
  const layout = { steps: { show: (/** @type {unknown[]} */ ...given) => shown.push(given) } };
  const figure = { controller, layout, changedParameters: () => [], load: async () => {} };
  const stands = () => [controller.state.positions.cell, controller.state.held.has("cell")];
  await applyPose(figure, { norm: "layer", cell: "2.2" }, 2);
  assert.deepEqual(stands(), [4, true]);
  await applyPose(figure, { norm: "batch" }, 0);
  assert.deepEqual(stands(), [PAYLOAD.controls[2].start, false]);
  assert.equal(controller.state.positions.norm, 0);
  figure.changedParameters = () => ["seed"];
  await applyPose(figure, { norm: "batch", seed: "4" }, 2); // where a page key goes on, without its sentence
  assert.deepEqual(shown, [[1, true], [-1, true], [1, false]]);
});

test("what a plan does not name goes back to its default, and a name in two words is known by its slug", async () => {
  openPage();
  const { showPose } = await import("../../../lnviz/frontend/room/figure_pose.js");
  const size = { ...GAIN, name: "batch size", slug: "batch-size" };
  const controller = new FigureController(() => {}, () => {});
  controller.currentState = new State({ ...PAYLOAD, controls: [size, NORM] }, {}, {});
  const figure = { controller, layout: { steps: { show() {} } }, changedParameters: () => [] };
  await showPose(figure, { "batch-size": "0", norm: "layer" });
  assert.deepEqual(controller.state.positions, { "batch size": 1, norm: 1 });
  await showPose(figure, { norm: "layer" });
  assert.deepEqual(controller.state.positions, { "batch size": GAIN.start, norm: 1 });
});

test("a phone takes the remote's step before the projector tells where it led, and then what it tells", async (context) => {
  openPage();
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { PhoneFigure } = await import("../../../lnviz/frontend/room/phone_figure.js");
  /** @type {unknown[][]} */
  const done = [];
  const steps = {
    at: 0,
    shown: null,
    show: (/** @type {number} */ at) => done.push(["show", (steps.at = at)]),
    go: (/** @type {number} */ at) => done.push(["go", (steps.at = at)]),
  };
  const controller = new FigureController(() => {}, () => {});
  controller.currentState = new State(PAYLOAD, {}, {});
  const phone = new PhoneFigure({ name: "grid", source: "", parameters: [], goal: null });
  phone.figure = { controller, layout: { steps }, changedParameters: () => [] };
  const [first, second] = [{ norm: "layer" }, { norm: "batch" }];
  await phone.follow(first, 0); // a question hides the steps
  await phone.follow(first, 1);
  assert.deepEqual(done.splice(0), [["show", -1], ["show", 0]]);
  await phone.follow(first, 2);
  steps.shown = {};
  await phone.follow(first, 2); // another event
  assert.deepEqual(done.splice(0), [["go", 1]]);
  await phone.follow(second, 2);
  await phone.follow(second, 2);
  assert.deepEqual([done.splice(0), controller.state.positions.norm], [[["show", 1], ["show", 1]], 0]);
  await phone.follow(second, 3);
  steps.shown = null; // a hand has moved the figure here
  await phone.follow(second, 3);
  assert.deepEqual(done, [["go", 2], ["go", 2]]);
});

test("a phone that follows is away from the projector's figure once a hand has moved it, until that moves", async (context) => {
  openPage();
  context.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 10_000 });
  const { PhoneFigure } = await import("../../../lnviz/frontend/room/phone_figure.js");
  const controller = new FigureController(() => {}, () => {});
  controller.currentState = new State(PAYLOAD, {}, {});
  const phone = new PhoneFigure({ name: "grid", source: "", parameters: [], goal: null });
  phone.figure = { controller, layout: { steps: { show: () => {} } }, changedParameters: () => [] };
  await phone.follow({ norm: "batch" });
  phone.values = { norm: "layer" };
  assert.ok(!phone.isAway, "it is on its way");
  context.mock.timers.tick(10);
  phone.touchedAt = Date.now();
  assert.ok(phone.isAway);
  phone.values = { norm: "batch" };
  assert.ok(!phone.isAway);
  phone.values = { norm: "layer" };
  phone.stopFollowing();
  assert.ok(!phone.isAway);
});

test("a figure of a phone that comes while phones are free begins where the projector is, and does not follow", async () => {
  openPage();
  const { updateBrowsePanel } = await import("../../../lnviz/frontend/room/panels.js");
  const done = [];
  const note = (name) => (...given) => done.push([name, ...given]);
  const figure = { element: document.createElement("div"), apply: note("apply"), follow: note("follow"), stopFollowing: note("stop") };
  const panel = { figure, follows: null, setStatus: () => {} };
  const show = (mode, isOwn = false) => updateBrowsePanel(panel, room(4, { mode, pose: { norm: "batch" }, counted: [1, 9, 2, 4] }), isOwn, false);
  for (const mode of ["free", "free", "led", "paused"]) show(mode);
  assert.deepEqual(done.splice(0), [["apply", { norm: "batch" }, 2], ["follow", { norm: "batch" }, 2], ["stop"]]);
  panel.follows = null;
  show("free", true);
  assert.deepEqual(done, []);
});
