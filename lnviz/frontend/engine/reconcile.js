// Reuses controls and views when a figure's payload is updated.

import { Chart } from "./chart.js";
import { Readout } from "./readout.js";
import { Slider } from "./sliders.js";

/** @typedef {import("./payload.js").Payload} Payload */
/** @typedef {import("./payload.js").View} Spec */
/** @typedef {import("./views.js").View} View */

/**
 * Return whether controls built for one payload fit another: same parameters and controls, apart from slider ranges.
 * @param {Payload} before
 * @param {Payload} payload
 */
export function canReuseControls(before, payload) {
  return JSON.stringify(outline(before)) === JSON.stringify(outline(payload));
}

/** Return what the widgets depend on. @param {Payload} payload */
function outline({ controls, code, edits, parameters }) {
  return [
    controls.map((spec) => (spec.kind === "slider" ? [spec.name, spec.slug, spec.walks] : { ...spec, when: {} })),
    code !== "",
    edits,
    parameters.map(({ name, value }) => [name, value]),
  ];
}

/**
 * Update widgets to the controls of a new payload.
 * @param {import("./controls.js").Widget[]} widgets
 * @param {import("./payload.js").Control[]} controls
 */
export function updateWidgets(widgets, controls) {
  for (const widget of widgets) {
    const spec = controls.find(({ name }) => name === widget.spec.name);
    if (widget instanceof Slider && spec?.kind === "slider") widget.update(spec);
    else if (!(widget instanceof Slider) && spec && "colors" in spec) widget.spec = spec;
  }
}

/**
 * Return the views for new specifications. Charts and sentences are updated in place, other views are kept if
 * unchanged; the rest is stopped.
 * @param {View[]} existing
 * @param {Spec[][]} rows
 * @param {(spec: Spec) => View} build
 * @returns {View[][]}
 */
export function reuseViews(existing, rows, build) {
  const unused = [...existing];
  const views = rows.map((row) =>
    row.map((spec) => {
      const at = unused.findIndex((view) => tryUpdate(view, spec));
      return at < 0 ? build(spec) : unused.splice(at, 1)[0];
    }),
  );
  for (const view of unused) if ("stop" in view) view.stop();
  return views;
}

/** Return whether a sentence is the figure's heading. @param {import("./payload.js").Readout} spec */
const isHeading = ({ style }) => style === "finding";

/**
 * Update a view to a specification, if it can; return whether it shows it now.
 * @param {View} view
 * @param {Spec} spec
 */
function tryUpdate(view, spec) {
  if (view instanceof Chart && spec.kind === "chart") view.update(spec);
  else if (view instanceof Readout && spec.kind === "readout" && isHeading(view.spec) === isHeading(spec)) view.update(spec);
  else return JSON.stringify(view.spec) === JSON.stringify(spec);
  return true;
}
