// Layout of labels at line ends: as close to their lines as the other labels allow.

/** A label that is a word, not a number or a sign. */
export const WORD = /\p{L}{2}/u;

/**
 * Join the labels of points that lie on each other, which nobody could read: the first point has all of them, the others none.
 * @param {string[]} labels
 * @param {{x: ArrayLike<number>, y: ArrayLike<number>, textposition?: string | string[]}} points
 * @param {[number, number]} reach largest distances along x and y of points that lie on each other; their labels are on the
 * same side
 */
export function joinedLabels(labels, { x, y, textposition }, reach) {
  const joined = [...labels];
  const side = (/** @type {number} */ i) => (Array.isArray(textposition) ? textposition[i] : textposition);
  for (let i = 1; i < labels.length; i++) {
    const first = joined.findIndex((text, j) => j < i && text !== "" && lieOnEachOther({ x, y }, i, j, reach) && side(i) === side(j));
    if (first < 0 || labels[i] === "") continue;
    joined[first] += `, ${labels[i]}`;
    joined[i] = "";
  }
  return joined;
}

/**
 * Leave out the labels on dots that lie under others: on a dot there is room for one, which is the last's, drawn on top.
 * @param {string[]} labels
 * @param {{x: ArrayLike<number>, y: ArrayLike<number>}} points
 * @param {[number, number]} reach as in `joinedLabels`
 */
export function topLabels(labels, points, reach) {
  return labels.map((text, i) => (labels.some((other, j) => j > i && other !== "" && lieOnEachOther(points, i, j, reach)) ? "" : text));
}

/**
 * @param {{x: ArrayLike<number>, y: ArrayLike<number>}} points
 * @param {number} i
 * @param {number} j
 * @param {[number, number]} reach
 */
function lieOnEachOther({ x, y }, i, j, [across, up]) {
  return Math.abs(x[i] - x[j]) <= across && Math.abs(y[i] - y[j]) <= up;
}

/**
 * Space numbers apart by at least `gap`, moving them as little as possible; NaN stays and takes no room.
 * @param {number[]} preferred
 * @param {number} gap minimum distance between neighbors
 * @param {[number, number]} range bounds, kept where the labels fit
 * @returns {number[]}
 */
export function spreadLabels(preferred, gap, [low, high]) {
  const order = preferred.flatMap((value, i) => (Number.isNaN(value) ? [] : [i])).sort((a, b) => preferred[a] - preferred[b]);
  // Overlapping neighbors merge into a block, centered on the mean of its members' preferred positions.
  /** @type {{from: number, count: number, sum: number}[]} */
  const blocks = [];
  const bottom = (/** @type {typeof blocks[0]} */ { count, sum }) => {
    const middle = sum / count - ((count - 1) * gap) / 2;
    return Math.max(low, Math.min(high - (count - 1) * gap, middle));
  };
  order.forEach((index, from) => {
    blocks.push({ from, count: 1, sum: preferred[index] });
    for (let last = blocks.length - 1; last > 0; last--) {
      const [below, above] = blocks.slice(-2);
      if (bottom(above) - bottom(below) >= below.count * gap - 1e-9) break;
      blocks.splice(-2, 2, { from: below.from, count: below.count + above.count, sum: below.sum + above.sum });
    }
  });
  const placed = [...preferred];
  for (const block of blocks) {
    for (let n = 0; n < block.count; n++) placed[order[block.from + n]] = bottom(block) + n * gap;
  }
  return placed;
}
