import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";

import { attachCellPointer } from "../../../lnviz/frontend/engine/pointing.js";

let controller, told;
/** Return an element whose events target the cell of an index, or none. */
const element = { addEventListener: (type, listener) => (told[type] = listener), contains: () => true };
const cell = (index) => ({ closest: () => (index === null ? null : { getAttribute: () => String(index) }) });
const happen = (type, index, pointerType = "mouse") => told[type]({ target: cell(index), pointerType });
const seen = () => [controller.state.positions.cell, controller.state.held.has("cell")];

beforeEach(() => {
  told = {};
  const state = { positions: { cell: 0 }, held: new Set() };
  controller = {
    state,
    set: (name, position) => (state.positions[name] = position),
    hold: (name, held) => (held ? state.held.add(name) : state.held.delete(name)),
  };
  attachCellPointer(element, controller, "cell", (index) => index % 10);
});

test("mouse and focus point at cells only", () => {
  happen("pointermove", 13);
  assert.deepEqual(seen(), [3, false]);
  happen("focusin", 14);
  assert.deepEqual(seen(), [4, false]);
  happen("pointermove", null);
  happen("click", null);
  assert.deepEqual(seen(), [4, false]);
});

test("a finger moving over cells points at none", () => {
  happen("pointermove", 3, "touch");
  assert.deepEqual(seen(), [0, false]);
});

test("a click pins a cell until another click releases it", () => {
  happen("click", 13);
  happen("pointermove", 5);
  happen("focusin", 5);
  assert.deepEqual(seen(), [3, true]);
  happen("click", 3);
  assert.deepEqual(seen(), [3, false]);
  happen("pointermove", 5);
  assert.deepEqual(seen(), [5, false]);
});

test("a click on another cell pins that one", () => {
  happen("click", 3);
  happen("click", 5);
  assert.deepEqual(seen(), [5, true]);
});

test("linked controls move with a cell, and a click with other targets does not release it", () => {
  const along = (to) => attachCellPointer(element, controller, "cell", (index) => index, { norm: [to] });
  along(1);
  happen("click", 3);
  assert.deepEqual([controller.state.positions.norm, ...seen()], [1, 3, true]);
  along(2);
  happen("click", 3);
  assert.deepEqual([controller.state.positions.norm, ...seen()], [2, 3, true]);
  happen("click", 3);
  assert.deepEqual(seen(), [3, false]);
});

test("a mouse previews a cell with linked controls: leaving restores them, unless a click has pinned the cell", () => {
  controller.state.positions.norm = 0;
  attachCellPointer(element, controller, "cell", (index) => index, { norm: [2] });
  const leave = (pointerType = "mouse") => told.pointerleave({ pointerType });
  told.pointerenter({ pointerType: "mouse" });
  happen("pointermove", 3);
  assert.deepEqual([controller.state.positions.norm, ...seen()], [2, 3, false]);
  leave();
  assert.deepEqual([controller.state.positions.norm, ...seen()], [0, 0, false]);
  told.pointerenter({ pointerType: "mouse" });
  happen("pointermove", 3);
  happen("click", 3);
  leave();
  assert.deepEqual([controller.state.positions.norm, ...seen()], [2, 3, true]);
});
