// A figure that has grown: the same controls, with other numbers in them and in the views.

import { Chart } from "./chart.js";
import { Readout } from "./readout.js";
import { Slider } from "./sliders.js";

/** @typedef {import("./payload.js").Payload} Payload */
/** @typedef {import("./payload.js").View} Spec */
/** @typedef {import("./views.js").View} View */

/**
 * Whether the controls that are built for a payload serve another one: it has the same parameters and controls,
 * but for where sliders go.
 * @param {Payload} before
 * @param {Payload} payload
 */
export function canReuseControls(before, payload) {
  return JSON.stringify(outline(before)) === JSON.stringify(outline(payload));
}

/** @param {Payload} payload */
function outline({ controls, code, edits, parameters }) {
  return [
    controls.map((spec) => (spec.kind === "slider" ? [spec.name, spec.slug, spec.walks] : { ...spec, when: {} })),
    code !== "",
    edits,
    parameters.map(({ name, value }) => [name, value]),
  ];
}

/**
 * Tells widgets what their controls are like now.
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
 * Views that show what is given. Charts and sentences that are there take other ones' place, others stay if they
 * are to show the same; what serves no more is stopped.
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

/** Whether a sentence is the figure's heading. @param {import("./payload.js").Readout} spec */
const isHeading = ({ style }) => style === "finding";

/**
 * Whether a view shows this from now on.
 * @param {View} view
 * @param {Spec} spec
 */
function tryUpdate(view, spec) {
  if (view instanceof Chart && spec.kind === "chart") view.update(spec);
  else if (view instanceof Readout && spec.kind === "readout" && isHeading(view.spec) === isHeading(spec)) view.update(spec);
  else return JSON.stringify(view.spec) === JSON.stringify(spec);
  return true;
}
