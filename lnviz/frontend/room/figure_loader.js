// Loader of figures on a phone: one bundle, fetched with the first figure.

import { positionsIn } from "../engine/address.js";
import { Figure } from "../engine/figure.js";
import { waitForState } from "../engine/visible_state.js";
import { serverOptions } from "../page/server.js";
import { showGoalStart } from "./goal_start.js";

/** @typedef {import("./deck.js").FigureSpec} FigureSpec */
/** @typedef {import("./room_connection.js").Pose} Pose */

/**
 * Mount and load a slide's figure.
 * @param {Element} place
 * @param {FigureSpec} spec
 */
export async function loadFigure(place, { name, source, parameters }) {
  const figure = new Figure(place, { name: source, ...serverOptions(source), parameters, linked: false, anchor: anchor(name) });
  await figure.open();
  return figure;
}

/**
 * Watch a figure's state.
 * @param {FigureSpec} spec
 * @param {(values: Pose) => boolean} onChange called now and after each change, until it returns true
 */
export function watchState({ name }, onChange) {
  waitForState(anchor(name), onChange);
}

/**
 * Set a figure to the start of an exercise.
 * @param {Figure} figure
 * @param {import("./results.js").Conditions} conditions of the exercise
 */
export async function startGoal(figure, conditions) {
  await showGoalStart(figure, conditions);
}

/** Return a figure's anchor. @param {string} name of a figure */
function anchor(name) {
  return `figure-${name}`;
}

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
  figure.layout.steps.show(figure.changedParameters().length ? -1 : step - 1);
}
