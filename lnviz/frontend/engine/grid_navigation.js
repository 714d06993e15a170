// Navigation between cells indexed row by row; on the screen, rows may be columns.

/** @typedef {{columns: number, count: number, transposed: boolean}} CellLayout */

/** @type {Record<string, [number, number]>} rows down and columns to the right */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * Return the sides of a cell, of "t", "b", "l" and "r", that border on a non-member.
 * @param {number} index
 * @param {(index: number) => boolean} member
 * @param {CellLayout} cells
 */
export function borderSides(index, member, { columns, count, transposed }) {
  const column = index % columns;
  const [up, down, left, right] = transposed ? ["l", "r", "t", "b"] : ["t", "b", "l", "r"];
  const sides = [];
  if (index < columns || !member(index - columns)) sides.push(up);
  if (index + columns >= count || !member(index + columns)) sides.push(down);
  if (column === 0 || !member(index - 1)) sides.push(left);
  if (column === columns - 1 || !member(index + 1)) sides.push(right);
  return sides;
}

/**
 * Return the cell that a key moves to; -1 for other keys.
 * @param {number} index
 * @param {string} key
 * @param {CellLayout} cells
 */
export function cellForKey(index, key, { columns, count, transposed }) {
  const rows = count / columns;
  let [row, column] = [Math.floor(index / columns), index % columns];
  if (key in STEPS) {
    const [down, across] = transposed ? [STEPS[key][1], STEPS[key][0]] : STEPS[key];
    row = Math.max(0, Math.min(rows - 1, row + down));
    column = Math.max(0, Math.min(columns - 1, column + across));
  } else if (key === "Home" || key === "End") {
    if (transposed) row = key === "Home" ? 0 : rows - 1;
    else column = key === "Home" ? 0 : columns - 1;
  } else return -1;
  return row * columns + column;
}
