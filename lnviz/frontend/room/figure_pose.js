// Sets a figure to the state of another one, a phone's to the projector's or a projector's to another projector's, or to
// the state in which a plan shows it.

import { positionsIn } from "../engine/address.js";

/** @typedef {import("../engine/figure.js").Figure} Figure */
/** @typedef {import("./room_connection.js").Pose} Pose */

/**
 * Set a figure to another one's state.
 * @param {Figure} figure
 * @param {Pose} pose
 * @param {number} step the step that the other one is at, counted from 1; 0 for none
 */
export async function applyPose(figure, pose, step) {
  if (!figure.controller.currentState) return;
  const { parameters } = figure.controller.currentState.payload;
  const changed = parameters.filter(({ name, value }) => name in pose && pose[name] !== String(value));
  if (changed.length) await figure.load(Object.fromEntries(changed.map(({ name }) => [name, pose[name]])));
  if (!figure.controller.currentState) return;
  const { controls } = figure.controller.currentState.payload;
  const positions = positionsIn(controls, new URLSearchParams(pose));
  for (const { kind, name, start } of controls) {
    const isHeld = name in positions;
    // A pointer missing in the pose goes back to its default.
    if (isHeld || kind === "pointer") figure.controller.set(name, isHeld ? positions[name] : start);
    if (kind === "pointer") figure.controller.hold(name, isHeld);
  }
  // For other parameters a step's sentence need not hold.
  figure.layout.steps.show(step - 1, !figure.changedParameters().length);
}

/**
 * Set a figure to a pose, and what the pose does not name to its default.
 * @param {Figure} figure
 * @param {Pose} pose
 */
export async function showPose(figure, pose) {
  const defaults = Object.fromEntries(figure.changedParameters().map(({ name, start }) => [name, String(start)]));
  await applyPose(figure, { ...defaults, ...pose }, 0);
  const { controller } = figure;
  if (!controller.currentState) return;
  for (const { name, slug, start } of controller.currentState.payload.controls) if (!(slug in pose)) controller.set(name, start);
}
