// Takes hold of the marks in a chart: a mark moves along its curve with the hand, and its control moves with it. So do
// points, and tops of bars, of which a control is named that moves them.

import { slice } from "./tensors.js";

/** @typedef {import("./chart.js").Chart} Chart */
/** @typedef {import("./payload.js").MarkAt} Standing */
/** @typedef {import("./payload.js").TraceSource} Source */
/** @typedef {{control: string, at: (mark: Mark, letter: "x" | "y") => (position: number) => number}} AxisBinding a control, and where its positions put a mark */
/** @typedef {[number, number]} Point to the right and down, in pixels; NaN where it does not matter */
/** @typedef {{at: Point, trace: number, point: number, along: (AxisBinding | null)[]}} Mark where it is, and what moves it on each axis */

const PICK_RADIUS = 22; // pixels from a mark within which it is taken: a fingertip

/**
 * What moves with a hand that closes at a place of a chart; null where no mark is near.
 * @param {Chart} chart
 * @param {import("./drag.js").Point} place
 * @returns {import("./drag.js").DragHandler | null}
 */
export function pickMark(chart, { x, y }) {
  if (!chart.plotly || !chart.plot._fullLayout?.xaxis) return null;
  const distance = (/** @type {Mark} */ { at }) => Math.hypot(at[0] - x, at[1] - y);
  const near = marks(chart).filter((mark) => distance(mark) <= PICK_RADIUS);
  if (!near.length) return null;
  const mark = near.reduce((nearer, other) => (distance(other) < distance(nearer) ? other : nearer));
  // A cursor that goes by moves nothing.
  /** @type {ReturnType<typeof reachablePoints> | null} */
  let moves = null;
  return (to) => {
    moves ??= reachablePoints(chart, mark);
    for (const { control, places } of moves) chart.controller.set(control, nearestPoint(places, [to.x, to.y]));
  };
}

/** The marks of controls that can be moved now. @param {Chart} chart @returns {Mark[]} */
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
 * What moves the marks that a source places; null where nothing does.
 * @param {Chart} chart
 * @param {Source | undefined} source
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
 * Where each position of a control puts a mark that stands on a curve.
 * @param {Chart} chart
 * @param {Mark} mark
 * @param {"x" | "y"} letter
 * @param {Standing} source
 * @returns {(position: number) => number}
 */
function curvePosition(chart, { trace, point }, letter, source) {
  const on = source.traces[point] ?? source.traces[0];
  // A mark on no curve stands on points of its own.
  const values = (on === trace ? null : chart.values()[on]?.[letter]) ?? chart.spec.figure.data[on][letter];
  const there = toPixels(chart, letter, values);
  return (position) => there[source.indices[position] ?? position];
}

/**
 * Where each position of the controls that move a mark puts it.
 * @param {Chart} chart
 * @param {Mark} mark
 */
function reachablePoints(chart, mark) {
  const [x, y] = mark.along;
  const still = () => NaN;
  const [across, up] = [x?.at(mark, "x") ?? still, y?.at(mark, "y") ?? still];
  const places = (/** @type {string} */ control, /** @type {boolean} */ onX, /** @type {boolean} */ onY) => ({
    control,
    places: chart.controller.state.controls[control].labels.map(
      (_, position) => /** @type {Point} */ ([onX ? across(position) : NaN, onY ? up(position) : NaN]),
    ),
  });
  if (x && y && x.control === y.control) return [places(x.control, true, true)];
  return [...(x ? [places(x.control, true, false)] : []), ...(y ? [places(y.control, false, true)] : [])];
}

/**
 * @param {Chart} chart
 * @param {"x" | "y"} letter
 * @param {ArrayLike<number | string>} values
 */
function toPixels(chart, letter, values) {
  const axis = chart.plot._fullLayout[`${letter}axis`];
  return Array.from(values, (value) => axis._offset + axis.d2p(value));
}

/**
 * The number of the place that is nearest to a hand. On a curve that never turns back the height does not matter.
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
