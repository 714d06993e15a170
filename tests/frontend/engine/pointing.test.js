import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";

import { attachCellPointer } from "../../../lnviz/frontend/engine/pointing.js";

let controller, told;
/** An element with cells; its events have met the cell of this number, or none. */
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

test("a mouse and the focus point, and what goes past no cell does not", () => {
  happen("pointermove", 13);
  assert.deepEqual(seen(), [3, false]);
  happen("focusin", 14);
  assert.deepEqual(seen(), [4, false]);
  happen("pointermove", null);
  happen("click", null);
  assert.deepEqual(seen(), [4, false]);
});

test("a finger that goes over cells points at none", () => {
  happen("pointermove", 3, "touch");
  assert.deepEqual(seen(), [0, false]);
});

test("a click holds a cell, and nothing else is pointed at until another click lets go", () => {
  happen("click", 13);
  happen("pointermove", 5);
  happen("focusin", 5);
  assert.deepEqual(seen(), [3, true]);
  happen("click", 3);
  assert.deepEqual(seen(), [3, false]);
  happen("pointermove", 5);
  assert.deepEqual(seen(), [5, false]);
});

test("a click on another cell holds that one", () => {
  happen("click", 3);
  happen("click", 5);
  assert.deepEqual(seen(), [5, true]);
});

test("controls that go along move with a cell, and another cell's are no way to let go", () => {
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
