// Following another projector's figure, or on a phone the projector's.

import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { FigureController } from "../../../lnviz/frontend/engine/controller.js";
import { State } from "../../../lnviz/frontend/engine/state.js";
import { openPage } from "../engine/page.js";
import { PAYLOAD } from "../engine/payloads.js";

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
