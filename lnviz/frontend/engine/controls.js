// Controls above a figure. Each is a native element, so that keyboards and screen readers work as usual.

import { Choice, Switch } from "./choices.js";
import { Slider } from "./sliders.js";

/** @typedef {Slider | Choice | Switch} Widget */

/**
 * Create the widget of a control; pointers have none, since their cells are in the grids.
 * @param {import("./payload").Control} spec
 * @param {import("./controller.js").FigureController} controller
 * @returns {Widget[]}
 */
export function buildControl(spec, controller) {
  if (spec.kind === "slider") return [new Slider(spec, controller)];
  if (spec.kind === "switch") return [new Switch(spec, controller)];
  return spec.kind === "pointer" ? [] : [new Choice(spec, controller)];
}
