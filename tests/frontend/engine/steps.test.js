import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";

import { FigureController } from "../../../lnviz/frontend/engine/controller.js";
import { State } from "../../../lnviz/frontend/engine/state.js";
import { Steps } from "../../../lnviz/frontend/engine/steps.js";
import { newElement, openPage } from "./page.js";

const SCALE = { kind: "slider", name: "scale", slug: "scale", values: [1, 2, 3], labels: ["1", "2", "3"], start: 0 };
const RUN = { kind: "pointer", name: "run", slug: "run", rows: ["a", "b"], columns: [""], labels: ["a", "b"], start: 0 };
const at = (scale, run, ...pieces) => ({ pieces, positions: { scale, run }, about: [] });
const RUN_NAME = { name: "run", format: "", style: "" };
const SPECS = [at(0, 0, "It opens."), at(2, 0, "It grows."), at(2, 1, "Run b.")];

let steps, controller, frames, isDefault;
beforeEach(() => {
  openPage();
  const plain = document.createElement;
  document.createElement = (tag) => Object.assign(plain(tag), { insertBefore() {}, replaceChildren() {}, getClientRects: () => [1], dataset: {} });
  frames = [];
  isDefault = true;
  globalThis.requestAnimationFrame = (draw) => frames.push(draw);
  globalThis.cancelAnimationFrame = (number) => (frames[number - 1] = () => {});
  globalThis.matchMedia = () => ({ matches: false });
  controller = new FigureController(() => steps.draw(), () => {});
  controller.scheduleSettle = () => {};
  controller.settle = () => {};
  const layout = { root: document.createElement("section"), controller, widgets: [], views: [], draw: () => steps.draw() };
  layout.root.dataset = {};
  layout.story = newElement();
  steps = new Steps(layout, async () => isDefault);
  show();
  steps.update(SPECS, "first");
  steps.draw();
});

/** Show a payload, with the positions of the one before. */
function show(controls = [SCALE, RUN]) {
  const positions = controller.currentState?.positionsFor(controls) ?? {};
  controller.currentState = new State({ controls, parameters: [] }, {}, positions);
}
const run = () => { while (frames.length) frames.shift()(performance.now() + 1000); };

test("a step that needs other parameters is not taken if these cannot be loaded", async () => {
  isDefault = false;
  await steps.go(1);
  assert.equal(steps.at, 0);
  assert.equal(controller.state.positions.scale, 0);
});

test("a payload that comes while the controls move finishes the movement", async () => {
  await steps.go(2);
  assert.equal(controller.state.positions.scale, 0);
  show();
  steps.update(SPECS, "same");
  steps.draw();
  run();
  assert.deepEqual(controller.state.positions, { scale: 2, run: 1 });
  assert.equal(steps.shown, SPECS[2]);
});

test("a step pins the pointer that it moves, and is left when the reader releases it", async () => {
  await steps.go(2);
  run();
  assert.deepEqual([...controller.state.held], ["run"]);
  show();
  steps.update(SPECS, "same");
  steps.draw();
  assert.equal(controller.state.positions.run, 1);
  assert.equal(steps.shown, SPECS[2]);
  controller.hold("run", false);
  assert.equal(steps.shown, null);
});

test("hovering leaves a step only if its sentence has the pointer's numbers", () => {
  controller.state.positions.run = 1;
  steps.draw();
  assert.equal(steps.shown, SPECS[0]);
  controller.state.positions.run = 0;
  const named = [at(0, 0, "Run ", RUN_NAME), SPECS[1]];
  steps.update(named, "first");
  steps.draw();
  assert.equal(steps.shown, named[0]);
  controller.state.positions.run = 1;
  steps.draw();
  assert.equal(steps.shown, null);
});

test("a step of another screen is shown where the controls are at its state", () => {
  Object.assign(controller.state.positions, { scale: 2, run: 1 });
  steps.draw();
  assert.equal(steps.shown, null);
  steps.show(2);
  assert.equal(steps.shown, SPECS[2]);
  assert.deepEqual([...controller.state.held], ["run"]);
  steps.show(1);
  assert.equal(steps.shown, null);
  assert.equal(steps.at, 1); // where a page key goes on
  steps.show(2, false);
  assert.deepEqual([steps.shown, steps.at], [null, 2]); // no sentence that need not hold
  steps.show(-1);
  assert.equal(steps.shown, null);
});

test("a figure that opens in another state is at no step, so that a page key turns the screen", () => {
  show([SCALE, RUN]);
  controller.state.positions.scale = 1;
  steps.at = -1;
  steps.update(SPECS, "none");
  steps.draw();
  assert.equal(steps.shown, null);
  assert.equal(steps.layout.root.dataset.step, undefined);
});

test("a figure that cannot be shown has no steps", () => {
  steps.update([], "none");
  controller.currentState = null;
  steps.draw();
  assert.equal(steps.layout.root.dataset.step, undefined);
  assert.equal(steps.next.hidden, true);
});

test("a task is what the last sentence of its step says, at the step or where it begins", () => {
  const task = { ...at(2, 0, ""), is_task: true };
  steps.update([SPECS[0], task], "first");
  steps.list.children = ["It opens.", "In a, it is 2.5. Drag a: where is it 3?"].map((textContent) => ({ textContent }));
  const [there, elsewhere] = [{ scale: "3" }, { scale: "2" }];
  assert.equal(steps.taskAt(0, there), "Drag a: where is it 3?");
  assert.equal(steps.taskAt(0, elsewhere), "");
  assert.equal(steps.taskAt(0, elsewhere, there), "Drag a: where is it 3?");
  assert.equal(steps.taskAt(2, elsewhere), "Drag a: where is it 3?");
  assert.equal(steps.taskAt(1, there), "");
});
