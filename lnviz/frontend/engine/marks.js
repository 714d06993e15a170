// Moves marks that Plotly has drawn. For new values Plotly redraws axes, legend and everything else, which takes
// several frames; on a fixed axis only the marks need to move.

/** @typedef {{x?: ArrayLike<number>, y?: ArrayLike<number>} & Record<string, ArrayLike<number>>} Values */
/** @typedef {[number, number]} Point in pixels, NaN for none */

const LAYERS = { scatter: ".scatterlayer > .trace", bar: ".barlayer > .trace", heatmap: ".heatmaplayer > *" };

/**
 * Move the lines, points, texts and bars of traces to new values.
 * @param {any} plot a drawn Plotly figure
 * @param {Record<string, Values>} values by trace
 * @returns {boolean} false if Plotly would draw other elements; then nothing has moved
 */
export function moveMarks(plot, values) {
  // Plotly has no public API for pixel positions; these internals are those of the pinned version.
  const { xaxis, yaxis } = plot._fullLayout;
  const elements = traceElements(plot);
  // An autoranged axis changes with its values.
  const follows = (/** @type {"x" | "y"} */ letter, /** @type {any} */ axis) =>
    axis.autorange && Object.values(values).some((attributes) => letter in attributes);
  if (!xaxis || follows("x", xaxis) || follows("y", yaxis) || !elements) return false;
  const moves = Object.entries(values).map(([number, attributes]) => {
    const trace = plot.data[number];
    // Unchanged traces, such as bands that Plotly would have to fill, are skipped.
    if (Object.entries(attributes).every(([name, points]) => sameValues(points, trace[name]))) return () => {};
    const { x, y, ...others } = attributes;
    if (Object.entries(others).some(([name, points]) => !sameValues(points, trace[name]))) return null;
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
 * Return whether these values are already drawn.
 * @param {ArrayLike<number>} values
 * @param {ArrayLike<number> | undefined} drawn
 */
function sameValues(values, drawn) {
  return drawn?.length === values.length && Array.from(values).every((value, i) => Object.is(value, drawn[i]));
}

/**
 * Return the SVG element of each trace; null unless all traces are of these kinds on one pair of axes.
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
 * Return the pixel of a value on an axis, rounded as Plotly does; NaN for none.
 * @param {any} axis
 * @param {number} value
 * @returns {number}
 */
function toPixel(axis, value) {
  return Number.isFinite(value) ? Math.round(axis.l2p(value) * 100) / 100 : NaN;
}

/**
 * Return a function that moves a trace's line, points and texts.
 * @param {Element} trace
 * @param {Point[]} positions
 * @param {number} width of the axes
 * @param {number} height of the axes
 * @returns {(() => void) | null} null where other elements would be needed
 */
function scatterMover(trace, positions, width, height) {
  const lines = trace.querySelectorAll(".js-line");
  const points = trace.querySelectorAll(".points > .point");
  const texts = trace.querySelectorAll(".textpoint > text");
  const visible = positions.filter(([x, y]) => !Number.isNaN(x) && !Number.isNaN(y));
  const pieces = segments(positions);
  const fits = (/** @type {ArrayLike<Element>} */ marks, count = visible.length) => marks.length === 0 || marks.length === count;
  const none = lines.length + points.length + texts.length === 0;
  if (!fits(lines, pieces.length) || !fits(points) || !fits(texts) || none !== (visible.length === 0)) return null;
  const fills = trace.querySelectorAll(".fills path");
  // A band is its closed edge; an area between two lines is drawn in another way.
  const isBand = fills.length === 1 && lines.length === 1 && fills[0].getAttribute("d") === `${lines[0].getAttribute("d")}Z`;
  if ((fills.length && !isBand) || trace.querySelector(".errorbars > *")) return null;
  // Plotly hides points and texts beyond the axes.
  const beyond = visible.some(([x, y]) => x < 0 || x > width || y < 0 || y > height);
  const hidden = trace.querySelector('[style*="display: none"]');
  if (points.length + texts.length > 0 && (beyond || hidden)) return null;
  return () => {
    lines.forEach((line, i) => setIfChanged(line, "d", svgPath(pieces[i])));
    fills.forEach((fill, i) => setIfChanged(fill, "d", `${svgPath(pieces[i])}Z`));
    points.forEach((point, i) => setIfChanged(point, "transform", `translate(${visible[i]})`));
    texts.forEach((text, i) => {
      setIfChanged(text, "x", String(visible[i][0]));
      setIfChanged(text, "y", String(visible[i][1]));
    });
  };
}

/**
 * Set an attribute if it differs: setting the same value would trigger layout again.
 * @param {Element} mark
 * @param {string} name
 * @param {string} value
 */
function setIfChanged(mark, name, value) {
  if (mark.getAttribute(name) !== value) mark.setAttribute(name, value);
}

/**
 * Split positions at gaps: Plotly draws a path for each segment.
 * @param {Point[]} positions
 */
function segments(positions) {
  /** @type {Point[][]} */
  const pieces = [];
  let isOpen = false;
  for (const position of positions) {
    const isGap = position.some(Number.isNaN);
    if (!isGap && isOpen) pieces[pieces.length - 1].push(position);
    if (!isGap && !isOpen) pieces.push([position]);
    isOpen = !isGap;
  }
  return pieces;
}

/** Return an SVG path through points. @param {Point[]} positions */
function svgPath(positions) {
  return `M${positions.join("L")}`;
}

/**
 * Return a function that sets the heights of a trace's vertical bars.
 * @param {Element} trace
 * @param {any} data of the trace
 * @param {ArrayLike<number>} heights
 * @param {any} layout
 * @returns {(() => void) | null} null where Plotly has to redraw them
 */
function barMover(trace, data, heights, { yaxis, barmode, bargap, bargroupgap, barcornerradius }) {
  const paths = /** @type {SVGPathElement[]} */ ([...trace.querySelectorAll(".points > .point > path")]);
  const ends = paths.map((each) => /^M([^,]+),[^V]+V[^H]+H([^V]+)V/.exec(each.getAttribute("d") ?? ""));
  const styled = paths.find((each) => each.style.fill);
  const color = data.marker?.color;
  const opaque = typeof color === "string" && !color.startsWith("rgba");
  const plain = opaque && !data.base && data.orientation !== "h";
  // Plotly leaves the ends of outlined bars unrounded.
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
      // Plotly does not style bars of height 0.
      if (!each.style.fill) each.setAttribute("style", styled.getAttribute("style") ?? "");
    });
}

/**
 * Round one end of a bar lower than two pixels away from its other end, as Plotly does.
 * @param {number} end
 * @param {number} other
 */
function visibleBarEnd(end, other) {
  if (end === other || Math.abs(end - other) >= 2) return end;
  return end > other ? Math.ceil(end) : Math.floor(end);
}
