// Moves the marks that Plotly has drawn. Plotly itself draws the axes, the legend and all the rest again for
// every new value, which takes several frames; on a fixed axis only the marks have another place.

/** @typedef {{x?: ArrayLike<number>, y?: ArrayLike<number>} & Record<string, ArrayLike<number>>} Values */
/** @typedef {[number, number]} Point in pixels, NaN where there is none */

const LAYERS = { scatter: ".scatterlayer > .trace", bar: ".barlayer > .trace", heatmap: ".heatmaplayer > *" };

/**
 * Moves the lines, points, texts and bars of some traces to their new places.
 * @param {any} plot a drawn Plotly figure
 * @param {Record<string, Values>} values by trace
 * @returns {boolean} false where Plotly would draw other elements than there are; then nothing has moved
 */
export function moveMarks(plot, values) {
  // No public name says where a value lies; the version of plotly in requirements.txt has these.
  const { xaxis, yaxis } = plot._fullLayout;
  const elements = traceElements(plot);
  // An axis that follows its values becomes another one with them.
  const follows = (/** @type {"x" | "y"} */ letter, /** @type {any} */ axis) =>
    axis.autorange && Object.values(values).some((attributes) => letter in attributes);
  if (!xaxis || follows("x", xaxis) || follows("y", yaxis) || !elements) return false;
  const moves = Object.entries(values).map(([number, attributes]) => {
    const trace = plot.data[number];
    // A band that Plotly would have to fill stays where it is while another control moves.
    if (Object.entries(attributes).every(([name, points]) => sameValues(points, trace[name]))) return () => {};
    const { x, y, ...others } = attributes;
    if (Object.keys(others).length) return null;
    if (trace.type === "heatmap") return null;
    if (trace.type === "bar") return x ? null : barMover(elements[Number(number)], trace, y ?? [], plot._fullLayout);
    const across = x ?? trace.x;
    const up = Array.from(y ?? trace.y);
    const positions = up.map((value, i) => /** @type {Point} */ ([toPixel(xaxis, across[i]), toPixel(yaxis, value)]));
    return scatterMover(elements[Number(number)], positions, xaxis._length, yaxis._length);
  });
  if (!moves.every((each) => each !== null)) return false;
  for (const each of moves) each();
  return true;
}

/**
 * Whether these are the values that are drawn.
 * @param {ArrayLike<number>} values
 * @param {ArrayLike<number> | undefined} drawn
 */
function sameValues(values, drawn) {
  return drawn?.length === values.length && Array.from(values).every((value, i) => Object.is(value, drawn[i]));
}

/**
 * What Plotly has drawn of each trace; null where it is not these kinds on one pair of axes, or not all of it.
 * @param {any} plot
 * @returns {Element[] | null}
 */
function traceElements(plot) {
  const all = (/** @type {string} */ layer) => /** @type {Element[]} */ ([...plot.querySelectorAll(layer)]);
  const layers = { scatter: all(LAYERS.scatter), bar: all(LAYERS.bar), heatmap: all(LAYERS.heatmap) };
  /** @type {Element[]} */
  const elements = [];
  for (const { type = "scatter", xaxis = "x", yaxis = "y" } of plot.data) {
    const kind = /** @type {keyof typeof layers} */ (type);
    const element = layers[kind]?.shift();
    if (!element || xaxis !== "x" || yaxis !== "y") return null;
    elements.push(element);
  }
  return Object.values(layers).some((left) => left.length) ? null : elements;
}

/**
 * Where a value lies on an axis, as Plotly writes it; NaN where there is none.
 * @param {any} axis
 * @param {number} value
 * @returns {number}
 */
function toPixel(axis, value) {
  return Number.isFinite(value) ? Math.round(axis.l2p(value) * 100) / 100 : NaN;
}

/**
 * What moves a trace's line, points and texts to these places.
 * @param {Element} trace
 * @param {Point[]} positions
 * @param {number} width of the axes
 * @param {number} height of the axes
 * @returns {(() => void) | null} null where the marks there are do not suffice
 */
function scatterMover(trace, positions, width, height) {
  const lines = trace.querySelectorAll(".js-line");
  const points = trace.querySelectorAll(".points > .point");
  const texts = trace.querySelectorAll(".textpoint > text");
  const seen = positions.filter(([x, y]) => !Number.isNaN(x) && !Number.isNaN(y));
  const pieces = segments(positions);
  const fits = (/** @type {ArrayLike<Element>} */ marks, count = seen.length) => marks.length === 0 || marks.length === count;
  const none = lines.length + points.length + texts.length === 0;
  if (!fits(lines, pieces.length) || !fits(points) || !fits(texts) || none !== (seen.length === 0)) return null;
  const fills = trace.querySelectorAll(".fills path");
  // A band is its edge, closed; what lies between a line and another one is drawn otherwise.
  const isBand = fills.length === 1 && lines.length === 1 && fills[0].getAttribute("d") === `${lines[0].getAttribute("d")}Z`;
  if ((fills.length && !isBand) || trace.querySelector(".errorbars > *")) return null;
  // Plotly hides points and texts beyond the axes.
  const beyond = seen.some(([x, y]) => x < 0 || x > width || y < 0 || y > height);
  const hidden = trace.querySelector('[style*="display: none"]');
  if (points.length + texts.length > 0 && (beyond || hidden)) return null;
  return () => {
    lines.forEach((line, i) => setIfChanged(line, "d", svgPath(pieces[i])));
    fills.forEach((fill, i) => setIfChanged(fill, "d", `${svgPath(pieces[i])}Z`));
    points.forEach((point, i) => setIfChanged(point, "transform", `translate(${seen[i]})`));
    texts.forEach((text, i) => {
      setIfChanged(text, "x", String(seen[i][0]));
      setIfChanged(text, "y", String(seen[i][1]));
    });
  };
}

/**
 * Sets an attribute to another value; the same one, too, would be laid out again.
 * @param {Element} mark
 * @param {string} name
 * @param {string} value
 */
function setIfChanged(mark, name, value) {
  if (mark.getAttribute(name) !== value) mark.setAttribute(name, value);
}

/**
 * What lies between the gaps of a line: Plotly draws a path for each.
 * @param {Point[]} positions
 */
function segments(positions) {
  /** @type {Point[][]} */
  const pieces = [];
  let isOpen = false;
  for (const place of positions) {
    const isGap = place.some(Number.isNaN);
    if (!isGap && isOpen) pieces[pieces.length - 1].push(place);
    if (!isGap && !isOpen) pieces.push([place]);
    isOpen = !isGap;
  }
  return pieces;
}

/** A line through places, as SVG. @param {Point[]} positions */
function svgPath(positions) {
  return `M${positions.join("L")}`;
}

/**
 * What gives a trace's upright bars these heights.
 * @param {Element} trace
 * @param {any} data of the trace
 * @param {ArrayLike<number>} heights
 * @param {any} layout
 * @returns {(() => void) | null} null where Plotly has to draw them
 */
function barMover(trace, data, heights, { yaxis, barmode, bargap, bargroupgap, barcornerradius }) {
  const paths = /** @type {SVGPathElement[]} */ ([...trace.querySelectorAll(".points > .point > path")]);
  const ends = paths.map((each) => /^M([^,]+),[^V]+V[^H]+H([^V]+)V/.exec(each.getAttribute("d") ?? ""));
  const styled = paths.find((each) => each.style.fill);
  const color = data.marker?.color;
  const opaque = typeof color === "string" && !color.startsWith("rgba");
  const plain = opaque && !data.base && data.orientation !== "h";
  // Of a bar with a border Plotly leaves the ends where they are.
  const end = data.marker?.line ? (/** @type {number} */ at) => at : visibleBarEnd;
  const alone = (barmode === "group" || barmode === "overlay") && !barcornerradius && (bargap > 0 || bargroupgap > 0);
  const tops = Array.from(heights, (height) => toPixel(yaxis, height));
  if (!plain || !alone || !styled || paths.length !== tops.length) return null;
  if (tops.some(Number.isNaN) || ends.includes(null) || trace.querySelector("text")) return null;
  const zero = toPixel(yaxis, 0);
  return () =>
    paths.forEach((each, i) => {
      const bottom = end(zero, tops[i]);
      const [, left, right] = ends[i] ?? [];
      setIfChanged(each, "d", `M${left},${bottom}V${end(tops[i], bottom)}H${right}V${bottom}Z`);
      // Plotly gives a bar without height no style.
      if (!each.style.fill) each.setAttribute("style", styled.getAttribute("style") ?? "");
    });
}

/**
 * A bar's end, moved off a low bar's other end to the next whole pixel, as Plotly does.
 * @param {number} end
 * @param {number} other
 */
function visibleBarEnd(end, other) {
  if (end === other || Math.abs(end - other) >= 2) return end;
  return end > other ? Math.ceil(end) : Math.floor(end);
}
