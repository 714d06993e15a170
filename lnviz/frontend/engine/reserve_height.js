// Room for what changes its size where a hand may be, and above it: measured ahead, so that nothing jumps.

import { Chart } from "./chart.js";
import { Grid } from "./grid.js";
import { Readout } from "./readout.js";

/** Positions of a control that are measured; of more, so many from end to end, and the one with the longest label. */
const MOST = 9;

/**
 * Gives what a control may make larger or smaller the room that it needs wherever a control stands.
 * @param {import("./drawing.js").Drawing} drawing
 */
export function reserve(drawing) {
  const { state } = drawing.hand;
  const grids = drawing.views.filter((view) => view instanceof Grid);
  const [above, below] = changing(drawing);
  const places = [...above, ...grids.map(({ element }) => element), ...below];
  for (const { style } of places) style.minWidth = style.minHeight = "";
  const write = () => {
    drawing.write();
    for (const grid of grids) if (!grid.element.hidden) grid.drawAround();
  };
  const drawn = () => drawing.views.filter((view) => !(view instanceof Readout) && !view.element.hidden).length;
  const [heights, widths] = [places.map((place) => place.offsetHeight), grids.map(({ element }) => element.offsetWidth)];
  const [now, count] = [{ ...state.positions }, drawn()];
  for (const { name } of state.payload.controls) {
    for (const position of sampled(state.controls[name].labels)) {
      state.positions[name] = position;
      write();
      // More views, or fewer, move what is below them anyway.
      const measured = drawn() === count ? places : places.slice(0, -below.length || undefined);
      measured.forEach((place, i) => (heights[i] = Math.max(heights[i], place.offsetHeight)));
      grids.forEach(({ element }, i) => (widths[i] = Math.max(widths[i], element.offsetWidth)));
    }
    state.positions[name] = now[name];
  }
  write();
  // Also where it is as large as it gets now: it may be smaller later.
  places.forEach(({ style }, i) => (style.minHeight = heights[i] ? `${heights[i]}px` : ""));
  grids.forEach(({ element }, i) => (element.style.minWidth = widths[i] ? `${widths[i]}px` : ""));
}

/**
 * What may push the views: the finding, the bar, words above them, titles of charts. And the words below them.
 * @param {import("./drawing.js").Drawing} drawing
 * @returns {[HTMLElement[], HTMLElement[]]}
 */
function changing({ heads, above, rows, views }) {
  const last = rows.findLastIndex((row) => !row.classList.contains("words"));
  const words = rows.filter((row) => row.classList.contains("words"));
  const titles = views.flatMap((view) => (view instanceof Chart ? [view.caption] : []));
  const isAbove = (/** @type {HTMLElement} */ row) => rows.indexOf(row) < last;
  return [[heads, ...above, ...words.filter(isAbove), ...titles], words.filter((row) => !isAbove(row))];
}

/**
 * The positions of a control that are measured.
 * @param {string[]} labels
 */
export function sampled(labels) {
  const most = Math.min(labels.length, MOST);
  const even = Array.from({ length: most }, (_, i) => Math.round((i * (labels.length - 1)) / Math.max(1, most - 1)));
  const lengths = labels.map((label) => label.length);
  return [...new Set([...even, lengths.indexOf(Math.max(...lengths))])];
}
