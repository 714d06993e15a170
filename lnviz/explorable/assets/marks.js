// Moves the marks that Plotly has drawn. Plotly itself draws the axes, the legend and all the rest again for
// every new value, which takes several frames; on a fixed axis only the marks have another place.

/**
 * Moves the lines, points and texts of some traces to their new places.
 * @param {any} plot a drawn Plotly figure
 * @param {Record<string, {x?: ArrayLike<number>, y?: ArrayLike<number>}>} values by trace
 * @returns {boolean} false where Plotly would draw other elements than there are; then nothing has moved
 */
export function move(plot, values) {
  // No public name says where a value lies; the version of plotly in requirements.txt has these.
  const { xaxis, yaxis } = plot._fullLayout;
  const drawn = plot.querySelectorAll(".scatterlayer > .trace");
  if (xaxis.autorange || yaxis.autorange || drawn.length !== plot.data.length) return false;
  const moves = Object.entries(values).map(([trace, { x, y, ...others }]) => {
    if (Object.keys(others).length) return null;
    const across = x ?? plot.data[trace].x;
    const up = y ?? plot.data[trace].y;
    const places = Array.from(up, (value, i) => [pixel(xaxis, across[i]), pixel(yaxis, value)]);
    return mover(drawn[trace], places, xaxis._length, yaxis._length);
  });
  if (!moves.every(Boolean)) return false;
  for (const each of moves) each();
  return true;
}

/** Where a value lies on an axis, as Plotly writes it; NaN where there is none. */
function pixel(axis, value) {
  return Number.isFinite(value) ? Math.round(axis.l2p(value) * 100) / 100 : NaN;
}

/**
 * What moves one trace's marks to these places.
 * @param {Element} trace @param {number[][]} places @param {number} width @param {number} height of the axes
 * @returns {(() => void) | null} null where the marks there are do not suffice
 */
function mover(trace, places, width, height) {
  const lines = trace.querySelectorAll(".js-line");
  const points = trace.querySelectorAll(".points > .point");
  const texts = trace.querySelectorAll(".textpoint > text");
  const seen = places.filter(([x, y]) => !Number.isNaN(x) && !Number.isNaN(y));
  const fits = (marks) => marks.length === 0 || marks.length === seen.length;
  const none = lines.length + points.length + texts.length === 0;
  if (lines.length > 1 || !fits(points) || !fits(texts) || none !== (seen.length === 0)) return null;
  if (trace.querySelector(".fills > *, .errorbars > *")) return null;
  // Plotly hides points and texts beyond the axes.
  const beyond = seen.some(([x, y]) => x < 0 || x > width || y < 0 || y > height);
  const hidden = trace.querySelector('[style*="display: none"]');
  if (points.length + texts.length > 0 && (beyond || hidden)) return null;
  const d = path(places);
  if (lines.length && d.lastIndexOf("M") !== 0) return null; // Plotly draws a line with a gap in another way
  return () => {
    lines[0]?.setAttribute("d", d);
    points.forEach((point, i) => point.setAttribute("transform", `translate(${seen[i]})`));
    texts.forEach((text, i) => {
      text.setAttribute("x", seen[i][0]);
      text.setAttribute("y", seen[i][1]);
    });
  };
}

/** A line through the places, as SVG; it begins again after a gap. @param {number[][]} places */
function path(places) {
  let [d, pen] = ["", "M"];
  for (const [x, y] of places) {
    const gap = Number.isNaN(x) || Number.isNaN(y);
    if (!gap) d += `${pen}${x},${y}`;
    pen = gap ? "M" : "L";
  }
  return d;
}
