// The controls above a figure. Each is a native element, so keyboard and screen reader work as everywhere.

import { Choice, Switch } from "./choices.js";
import { Slider } from "./sliders.js";

/** @typedef {Slider | Choice | Switch} Widget */

/**
 * The element of a control; a pointer has none, its cells are in the grids.
 * @param {import("./payload").Control} spec
 * @param {import("./controller.js").FigureController} controller
 * @returns {Widget[]}
 */
export function buildControl(spec, controller) {
  if (spec.kind === "slider") return [new Slider(spec, controller)];
  if (spec.kind === "switch") return [new Switch(spec, controller)];
  return spec.kind === "pointer" ? [] : [new Choice(spec, controller)];
}
