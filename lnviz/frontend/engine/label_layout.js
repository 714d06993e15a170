// Heights of labels at lines' ends: each as near to its line as the others leave room for.

/**
 * Moves numbers apart as little as needed; NaN stays, and takes no room.
 * @param {number[]} preferred
 * @param {number} gap between neighbors, at least
 * @param {[number, number]} range that they stay in, where they fit there
 * @returns {number[]}
 */
export function spreadLabels(preferred, gap, [low, high]) {
  const order = preferred.flatMap((value, i) => (Number.isNaN(value) ? [] : [i])).sort((a, b) => preferred[a] - preferred[b]);
  // Neighbors that meet become one block, in the middle of where its members would be.
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
