import assert from "node:assert/strict";
import test from "node:test";

import { borderSides, cellForKey } from "../../../lnviz/frontend/engine/grid_navigation.js";

const COUNT = 24;
const COLUMNS = 6;
const rows = { columns: COLUMNS, count: COUNT, transposed: false };
const columns = { ...rows, transposed: true };
/** Return a cell's position on the screen. */
const place = (index, { transposed }) => {
  const [row, column] = [Math.floor(index / COLUMNS), index % COLUMNS];
  return transposed ? [column, row] : [row, column];
};

for (const [name, group] of Object.entries({
  "a row": (i) => Math.floor(i / COLUMNS),
  "a column": (i) => i % COLUMNS,
  "a part of a row": (i) => Math.floor(i / 3),
  "all": () => 0,
  "cells here and there": (i) => i % 4,
})) {
  for (const cells of [rows, columns]) {
    test(`the border of ${name} is closed, with rows as ${cells.transposed ? "columns" : "rows"}`, () => {
      for (let pointed = 0; pointed < COUNT; pointed += 1) {
        const member = (i) => group(i) === group(pointed);
        const inside = new Set(Array.from({ length: COUNT }, (_, i) => i).filter(member).map((i) => place(i, cells).join()));
        for (let i = 0; i < COUNT; i += 1) {
          const [down, across] = place(i, cells);
          const beside = { t: [down - 1, across], b: [down + 1, across], l: [down, across - 1], r: [down, across + 1] };
          const open = Object.keys(beside).filter((side) => !inside.has(beside[side].join()));
          if (member(i)) assert.deepEqual(borderSides(i, member, cells).sort(), open.sort());
        }
      }
    });
  }
}

const CELL = 9; // second row, fourth column
for (const [from, key, inRows, inColumns] of [
  [CELL, "ArrowRight", CELL + 1, CELL + 6],
  [CELL, "ArrowLeft", CELL - 1, CELL - 6],
  [CELL, "ArrowDown", CELL + 6, CELL + 1],
  [CELL, "ArrowUp", CELL - 6, CELL - 1],
  [CELL, "Home", 6, 3],
  [CELL, "End", 11, 21],
  [CELL, "Tab", -1, -1],
  [0, "ArrowLeft", 0, 0],
  [0, "ArrowUp", 0, 0],
  [23, "ArrowRight", 23, 23],
  [23, "ArrowDown", 23, 23],
]) {
  test(`${key} at cell ${from} moves to the neighbor on the screen`, () => {
    assert.deepEqual([cellForKey(from, key, rows), cellForKey(from, key, columns)], [inRows, inColumns]);
  });
}
