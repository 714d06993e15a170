// The controls above a figure. Each is a native element, so keyboard and screen reader work as everywhere.

import { Choice, Switch } from "./choices.js";
import { Slider } from "./sliders.js";

/** @typedef {Slider | Choice | Switch} Widget */

/**
 * The element of a control; a pointer has none, its cells are in the grids.
 * @param {import("./payload").Control} spec
 * @param {import("./controller.js").Hand} hand
 * @returns {Widget[]}
 */
export function build(spec, hand) {
  if (spec.kind === "slider") return [new Slider(spec, hand)];
  if (spec.kind === "switch") return [new Switch(spec, hand)];
  return spec.kind === "pointer" ? [] : [new Choice(spec, hand)];
}
