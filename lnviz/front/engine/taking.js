// Takes hold of the marks in a chart: a mark moves along its curve with the hand, and its control moves with it.

/** @typedef {import("./chart.js").Chart} Chart */
/** @typedef {import("./payload").Standing} Standing */
/** @typedef {[number, number]} Place to the right and down, in pixels; NaN where it does not matter */
/** @typedef {{at: Place, trace: number, point: number, along: (Standing | null)[]}} Mark where it is, and what moves it on each axis */

const REACH = 22; // pixels from a mark within which it is taken: a fingertip

/**
 * What moves with a hand that closes at a place of a chart; null where no mark is near.
 * @param {Chart} chart
 * @param {import("./holding.js").Place} place
 * @returns {import("./holding.js").Taken | null}
 */
export function take(chart, { x, y }) {
  if (!chart.plotly || !chart.plot._fullLayout?.xaxis) return null;
  const away = (/** @type {Mark} */ { at }) => Math.hypot(at[0] - x, at[1] - y);
  const near = marks(chart).filter((mark) => away(mark) <= REACH);
  if (!near.length) return null;
  const mark = near.reduce((nearer, other) => (away(other) < away(nearer) ? other : nearer));
  // A cursor that goes by moves nothing.
  /** @type {ReturnType<typeof reached> | null} */
  let moves = null;
  return (to) => {
    moves ??= reached(chart, mark);
    for (const { control, places } of moves) chart.hand.set(control, nearest(places, [to.x, to.y]));
  };
}

/** The marks of controls that can be moved now. @param {Chart} chart @returns {Mark[]} */
function marks(chart) {
  const { state } = chart.hand;
  const movable = (/** @type {import("./payload").Source | undefined} */ source) => {
    const control = source?.kind === "standing" && state.controls[source.control];
    if (!control || control.kind === "pointer" || chart.look.hidden.has(control.slug)) return null;
    return state.shows(control) ? source : null;
  };
  return Object.entries(chart.spec.bind).flatMap(([number, { x, y }]) => {
    const along = [movable(x), movable(y)];
    if (!along.some(Boolean)) return [];
    const { data } = chart.plot;
    const [xs, ys] = [pixels(chart, "x", data[number].x), pixels(chart, "y", data[number].y)];
    return xs.map((across, point) => ({ at: /** @type {Place} */ ([across, ys[point]]), trace: Number(number), point, along }));
  });
}

/**
 * Where each position of the controls that move a mark puts it.
 * @param {Chart} chart
 * @param {Mark} mark
 */
function reached(chart, { trace, point, along: [x, y] }) {
  const shown = chart.values();
  const all = (/** @type {"x" | "y"} */ letter, /** @type {Standing | null} */ source) => {
    if (!source) return () => NaN;
    const on = source.traces[point] ?? source.traces[0];
    // A mark on no curve stands on points of its own.
    const values = (on === trace ? null : shown[on]?.[letter]) ?? chart.spec.figure.data[on][letter];
    const there = pixels(chart, letter, values);
    return (/** @type {number} */ position) => there[source.places[position] ?? position];
  };
  const [across, up] = [all("x", x), all("y", y)];
  const places = (/** @type {string} */ control, /** @type {boolean} */ onX, /** @type {boolean} */ onY) => ({
    control,
    places: chart.hand.state.controls[control].labels.map(
      (_, position) => /** @type {Place} */ ([onX ? across(position) : NaN, onY ? up(position) : NaN]),
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
function pixels(chart, letter, values) {
  const axis = chart.plot._fullLayout[`${letter}axis`];
  return Array.from(values, (value) => axis._offset + axis.d2p(value));
}

/**
 * The number of the place that is nearest to a hand. On a curve that never turns back the height does not matter.
 * @param {Place[]} places
 * @param {Place} hand
 */
export function nearest(places, hand) {
  const turns = places.some(([x], i) => i > 0 && x <= places[i - 1][0]);
  let [least, number] = [Infinity, 0];
  places.forEach(([x, y], i) => {
    const [across, up] = [Math.abs(x - hand[0]), Math.abs(y - hand[1])];
    let away = turns ? Math.hypot(across, up) : across;
    if (Number.isNaN(across)) away = up;
    if (away < least) [least, number] = [away, i];
  });
  return number;
}
