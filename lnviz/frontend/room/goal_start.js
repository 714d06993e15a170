// The state in which a class begins an exercise on a figure, on the projector and on phones.

import { allowedPositions } from "./results.js";

/** @typedef {import("../engine/payload.js").Control} Control */
/** @typedef {import("./results.js").Conditions} Conditions */

/**
 * Return the positions of a figure's controls at the start of an exercise: the defaults, but no slider is already where
 * the exercise wants it.
 * @param {Control[]} controls
 * @param {Conditions} conditions of the exercise
 * @returns {Record<string, number>} by name
 */
export function goalStart(controls, conditions) {
  return Object.fromEntries(
    controls.map((control) => {
      const allowed = control.kind === "slider" ? allowedPositions(conditions, control) : [];
      const other = allowed[control.start] ? allowed.indexOf(false) : control.start;
      return [control.name, other < 0 ? control.start : other];
    }),
  );
}

/**
 * Set a figure to the start of an exercise.
 * @param {import("../engine/figure.js").Figure} figure
 * @param {Conditions} conditions of the exercise
 */
export async function showGoalStart(figure, conditions) {
  await figure.loadDefaults();
  const { controller } = figure;
  if (!controller.currentState || !figure.root.isConnected) return;
  controller.releaseAll();
  for (const [name, position] of Object.entries(goalStart(figure.controls(), conditions))) controller.set(name, position);
  figure.layout.steps.show(-1);
}
