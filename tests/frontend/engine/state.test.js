import assert from "node:assert/strict";
import test from "node:test";

import { State, nearest } from "../../../lnviz/frontend/engine/state.js";
import { decode } from "../../../lnviz/frontend/engine/tensors.js";
import { CELL, GAIN, NORM, PAYLOAD, packed } from "./payloads.js";

const known = await decode(packed(Float32Array.of(1, NaN), { over: ["norm"], shape: [2] }));
const state = (positions = {}) => new State(PAYLOAD, { known }, positions);

test("controls have default or given positions; a given pointer is pinned", () => {
  assert.deepEqual(state({ gain: 0, cell: 4 }).positions, { gain: 0, norm: 0, cell: 4 });
  assert.deepEqual([[...state({ cell: 4 }).held], [...state().held]], [["cell"], []]);
});

test("a view is shown where its conditions hold", () => {
  const [batch, layer] = [state(), state({ norm: 1 })];
  const shown = (view) => [batch.isShown({ when: {}, ...view }), layer.isShown({ when: {}, ...view })];
  assert.deepEqual(shown({ when: { norm: [1] } }), [false, true]);
  assert.deepEqual(shown({ if_finite: "known" }), [true, false]);
  assert.deepEqual(shown({ if_nan: "known" }), [false, true]);
});

test("code and color follow the state", () => {
  assert.equal(state({ norm: 1 }).code(), "x = 1  # layer");
  assert.equal(state({ norm: 1 }).color(), "layer");
});

test("a reset restores all controls except hidden ones", () => {
  const moved = state({ gain: 0, norm: 1, cell: 3 });
  moved.reset(new Set(["norm"]));
  assert.deepEqual([moved.positions, moved.held.size], [{ gain: 2, norm: 1, cell: 0 }, 0]);
});

test("another payload keeps positions by value", () => {
  const moved = state({ gain: 3, norm: 1, cell: 5 });
  const wider = { ...GAIN, values: [0, 2, 4], start: 0 };
  const larger = { ...CELL, columns: ["a", "b", "c", "d"] };
  assert.deepEqual(moved.positionsFor([wider, NORM, larger]), { gain: 1, norm: 1, cell: 6 });
  assert.deepEqual(moved.positionsFor([{ ...GAIN, values: [0, 1] }, { ...CELL, rows: ["1"] }]), {});
});

test("a pinned cell moves to the position of its labels", () => {
  const [row, column] = [CELL.rows.at(-1), CELL.columns.at(-1)];
  const finer = { ...CELL, rows: ["new", ...CELL.rows, "other"], columns: ["new", ...CELL.columns] };
  const { cell } = state({ cell: CELL.rows.length * CELL.columns.length - 1 }).positionsFor([finer]);
  const at = [Math.floor(cell / finer.columns.length), cell % finer.columns.length];
  assert.deepEqual([finer.rows[at[0]], finer.columns[at[1]]], [row, column]);
});

test("the nearest position is found, the lower one of a tie", () => {
  const at = (wanted) => nearest([-1, 0, 2], wanted);
  assert.deepEqual([-9, -0.4, 1, 1.1, 9, Infinity, -Infinity].map(at), [0, 1, 1, 2, 2, 2, 0]);
});
