// Reserves the largest height that content can reach, measured in advance, so that nothing jumps under the pointer.

import { Chart } from "./chart.js";
import { Grid } from "./grid.js";
import { Readout } from "./readout.js";

/**
 * Positions measured per control; of longer ranges this many evenly spaced ones, and the one with the longest label.
 */
const MAX_SAMPLES = 9;

/**
 * Give each element whose size depends on a control the room that it needs at any position.
 * @param {import("./figure_layout.js").FigureLayout} layout
 */
export function reserveHeights(layout) {
  const { state } = layout.controller;
  const grids = layout.views.filter((view) => view instanceof Grid);
  const [above, below] = variableElements(layout);
  const elements = [...above, ...grids.map(({ element }) => element), ...below];
  for (const { style } of elements) style.minWidth = style.minHeight = "";
  const write = () => {
    layout.updateText();
    for (const grid of grids) if (!grid.element.hidden) grid.drawLabels();
  };
  const visibleCount = () => layout.views.filter((view) => !(view instanceof Readout) && !view.element.hidden).length;
  const { steps } = layout;
  const { isOn, at } = steps;
  steps.isOn = false;
  write();
  const [heights, widths] = [elements.map((place) => place.offsetHeight), grids.map(({ element }) => element.offsetWidth)];
  const [original, count] = [{ ...state.positions }, visibleCount()];
  for (const { name } of state.payload.controls) {
    for (const position of sampledPositions(state.controls[name].labels)) {
      state.positions[name] = position;
      write();
      // A changed number of views moves what is below them anyway.
      const measured = visibleCount() === count ? elements : elements.slice(0, -below.length || undefined);
      measured.forEach((place, i) => (heights[i] = Math.max(heights[i], place.offsetHeight)));
      grids.forEach(({ element }, i) => (widths[i] = Math.max(widths[i], element.offsetWidth)));
    }
    state.positions[name] = original[name];
  }
  steps.isOn = true;
  for (const [i, step] of steps.specs.entries()) {
    steps.at = i;
    Object.assign(state.positions, step.positions);
    write();
    heights[0] = Math.max(heights[0], layout.headings.offsetHeight);
  }
  Object.assign(state.positions, original);
  Object.assign(steps, { isOn, at });
  write();
  // Reserve it for the largest one as well: it may shrink later.
  elements.forEach(({ style }, i) => (style.minHeight = heights[i] ? `${heights[i]}px` : ""));
  grids.forEach(({ element }, i) => (element.style.minWidth = widths[i] ? `${widths[i]}px` : ""));
}

/**
 * Return elements whose height may change: above the views (finding, toolbar, words, chart titles), and words below
 * them.
 * @param {import("./figure_layout.js").FigureLayout} layout
 * @returns {[HTMLElement[], HTMLElement[]]}
 */
function variableElements({ headings, toolbars, rows, views }) {
  const last = rows.findLastIndex((row) => !row.classList.contains("words"));
  const words = rows.filter((row) => row.classList.contains("words"));
  const titles = views.flatMap((view) => (view instanceof Chart ? [view.caption] : []));
  const isAbove = (/** @type {HTMLElement} */ row) => rows.indexOf(row) < last;
  return [[headings, ...toolbars, ...words.filter(isAbove), ...titles], words.filter((row) => !isAbove(row))];
}

/**
 * Return the positions of a control to measure.
 * @param {string[]} labels
 */
export function sampledPositions(labels) {
  const count = Math.min(labels.length, MAX_SAMPLES);
  const even = Array.from({ length: count }, (_, i) => Math.round((i * (labels.length - 1)) / Math.max(1, count - 1)));
  const lengths = labels.map((label) => label.length);
  return [...new Set([...even, lengths.indexOf(Math.max(...lengths))])];
}
