// Room for what changes its length above the things that a hand is on: measured ahead, so that nothing jumps.

import { Chart } from "./chart.js";

/** Positions of a control that are measured; of more, so many from end to end. */
const MOST = 9;

/**
 * Gives the bar, and words above views, the height that they need wherever a control stands.
 * @param {import("./drawing.js").Drawing} drawing
 */
export function reserve(drawing) {
  const { state } = drawing.hand;
  const places = changing(drawing);
  for (const place of places) place.style.minHeight = "";
  const heights = places.map((place) => place.offsetHeight);
  const now = { ...state.positions };
  for (const { name } of state.payload.controls) {
    for (const position of sampled(drawing.count(name))) {
      state.positions[name] = position;
      drawing.write();
      places.forEach((place, i) => (heights[i] = Math.max(heights[i], place.offsetHeight)));
    }
    state.positions[name] = now[name];
  }
  drawing.write();
  places.forEach((place, i) => {
    if (heights[i] > place.offsetHeight) place.style.minHeight = `${heights[i]}px`;
  });
}

/**
 * What may push the views: the finding, the bar, words above them, titles of charts.
 * @param {import("./drawing.js").Drawing} drawing
 */
function changing({ heads, above, rows, views }) {
  const last = rows.findLastIndex((row) => !row.classList.contains("words"));
  const words = rows.filter((row, i) => i < last && row.classList.contains("words"));
  const titles = views.flatMap((view) => (view instanceof Chart ? [view.caption] : []));
  return [heads, ...above, ...words, ...titles];
}

/** @param {number} count of positions */
function sampled(count) {
  const most = Math.min(count, MOST);
  return Array.from({ length: most }, (_, i) => Math.round((i * (count - 1)) / Math.max(1, most - 1)));
}
