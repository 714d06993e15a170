// Dragging the marks of a chart: a mark moves along its curve, and its control with it. Points and bar tops move, too,
// where the figure names a control for them.

import { slice } from "./tensors.js";

/** @typedef {import("./chart.js").Chart} Chart */
/** @typedef {import("./payload.js").MarkAt} MarkAt */
/** @typedef {import("./payload.js").TraceSource} TraceSource */
/**
 * @typedef {{control: string, at: (mark: Mark, letter: "x" | "y") => (position: number) => number}} AxisBinding a
 * control, and where its positions put a mark
 */
/** @typedef {[number, number]} Point right and down, in pixels; NaN where it does not matter */
/**
 * @typedef {{at: Point, trace: number, point: number, along: (AxisBinding | null)[]}} Mark its position, and what moves
 * it on each axis
 */

const PICK_RADIUS = 22; // pixels around a mark within which it can be picked: a fingertip

/**
 * Return the drag handler of the mark nearest to a point of a chart; null where none is within reach.
 * @param {Chart} chart
 * @param {import("./drag.js").Point} point
 * @returns {import("./drag.js").DragHandler | null}
 */
export function pickMark(chart, { x, y }) {
  if (!chart.plotly || !chart.plot._fullLayout?.xaxis) return null;
  const distance = (/** @type {Mark} */ { at }) => Math.hypot(at[0] - x, at[1] - y);
  const candidates = marks(chart).filter((mark) => distance(mark) <= PICK_RADIUS);
  if (!candidates.length) return null;
  const mark = candidates.reduce((nearer, other) => (distance(other) < distance(nearer) ? other : nearer));
  // Computed on the first move: a cursor that only passes by needs nothing.
  /** @type {ReturnType<typeof reachablePoints> | null} */
  let moves = null;
  return (to) => {
    moves ??= reachablePoints(chart, mark);
    for (const { control, points } of moves) chart.controller.set(control, nearestPoint(points, [to.x, to.y]));
  };
}

/** Return the marks whose controls can be moved now. @param {Chart} chart @returns {Mark[]} */
function marks(chart) {
  const { state } = chart.controller;
  const isMovable = (/** @type {string} */ name) => {
    const control = state.controls[name];
    return control && control.kind !== "pointer" && !chart.context.hidden.has(control.slug) && state.isShown(control);
  };
  return Object.entries(chart.spec.bind).flatMap(([number, { x, y }]) => {
    const along = [x, y].map((source) => bindingOf(chart, source, chart.spec.draggable[number]));
    const movable = along.map((each) => (each && isMovable(each.control) ? each : null));
    if (!movable.some(Boolean)) return [];
    const { data } = chart.plot;
    const [xs, ys] = [toPixels(chart, "x", data[number].x), toPixels(chart, "y", data[number].y)];
    return xs.map((across, point) => ({ at: /** @type {Point} */ ([across, ys[point]]), trace: Number(number), point, along: movable }));
  });
}

/**
 * Return what moves the marks that a source positions; null where nothing does.
 * @param {Chart} chart
 * @param {TraceSource | undefined} source
 * @param {string | undefined} gripControl the control that moves the points of the trace
 * @returns {AxisBinding | null}
 */
function bindingOf(chart, source, gripControl) {
  if (source?.kind === "mark") return { control: source.control, at: (mark, letter) => curvePosition(chart, mark, letter, source) };
  if (source?.kind !== "values" || !gripControl) return null;
  const { positions, tensors } = chart.controller.state;
  const tensor = tensors[source.tensor];
  if (!tensor.over.includes(gripControl)) return null;
  const value = (/** @type {number} */ point, /** @type {number} */ position) =>
    slice(tensor, { ...positions, [gripControl]: position }, source.along)[point];
  return { control: gripControl, at: ({ point }, letter) => (position) => toPixels(chart, letter, [value(point, position)])[0] };
}

/**
 * Return where each position of a control puts a mark on a curve.
 * @param {Chart} chart
 * @param {Mark} mark
 * @param {"x" | "y"} letter
 * @param {MarkAt} source
 * @returns {(position: number) => number}
 */
function curvePosition(chart, { trace, point }, letter, source) {
  const on = source.traces[point] ?? source.traces[0];
  // A mark on no curve has points of its own.
  const values = (on === trace ? null : chart.values()[on]?.[letter]) ?? chart.spec.figure.data[on][letter];
  const pixels = toPixels(chart, letter, values);
  return (position) => pixels[source.indices[position] ?? position];
}

/**
 * Return, for each control that moves a mark, the points that its positions reach.
 * @param {Chart} chart
 * @param {Mark} mark
 */
function reachablePoints(chart, mark) {
  const [x, y] = mark.along;
  const unmoved = () => NaN;
  const [across, up] = [x?.at(mark, "x") ?? unmoved, y?.at(mark, "y") ?? unmoved];
  const points = (/** @type {string} */ control, /** @type {boolean} */ onX, /** @type {boolean} */ onY) => ({
    control,
    points: chart.controller.state.controls[control].labels.map(
      (_, position) => /** @type {Point} */ ([onX ? across(position) : NaN, onY ? up(position) : NaN]),
    ),
  });
  if (x && y && x.control === y.control) return [points(x.control, true, true)];
  return [...(x ? [points(x.control, true, false)] : []), ...(y ? [points(y.control, false, true)] : [])];
}

/**
 * Return the pixels of values on an axis.
 * @param {Chart} chart
 * @param {"x" | "y"} letter
 * @param {ArrayLike<number | string>} values
 */
function toPixels(chart, letter, values) {
  const axis = chart.plot._fullLayout[`${letter}axis`];
  return Array.from(values, (value) => axis._offset + axis.d2p(value));
}

/**
 * Return the index of the point nearest to the pointer. On a curve that never turns back only the horizontal distance
 * counts.
 * @param {Point[]} points
 * @param {Point} pointer
 */
export function nearestPoint(points, pointer) {
  const turnsBack = points.some(([x], i) => i > 0 && x <= points[i - 1][0]);
  let [least, number] = [Infinity, 0];
  points.forEach(([x, y], i) => {
    const [across, up] = [Math.abs(x - pointer[0]), Math.abs(y - pointer[1])];
    let distance = turnsBack ? Math.hypot(across, up) : across;
    if (Number.isNaN(across)) distance = up;
    if (distance < least) [least, number] = [distance, i];
  });
  return number;
}
