// Loader of figures on a phone: one bundle, fetched with the first figure.

import { Figure } from "../engine/figure.js";
import { waitForState } from "../engine/visible_state.js";
import { serverOptions } from "../page/server.js";
import { applyPose } from "./figure_pose.js";
import { showGoalStart } from "./goal_start.js";

/** @typedef {import("./deck.js").FigureSpec} FigureSpec */
/** @typedef {import("./room_connection.js").Pose} Pose */

/**
 * Mount and load a slide's figure.
 * @param {Element} place
 * @param {FigureSpec} spec
 * @param {string[]} leading controls under the thumb
 * @param {boolean} isFixed whether its parameters stay as they are
 */
export async function loadFigure(place, { name, source, parameters }, leading, isFixed) {
  const figure = new Figure(place, { name: source, ...serverOptions(source), parameters, linked: false, leading, anchor: anchor(name) });
  figure.parameters.element.hidden = isFixed;
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
 * Set a figure to the projector's state.
 * @param {Figure} figure
 * @param {Pose} pose
 * @param {number} step as in `applyPose`
 */
export async function followPose(figure, pose, step) {
  await applyPose(figure, pose, step);
}

/**
 * Take a step that the room has turned to, before the projector has told where it led.
 * @param {Figure} figure
 * @param {number} step counted from 1
 */
export async function takeStep({ layout: { steps } }, step) {
  if (steps.shown === null || steps.at !== step - 1) await steps.go(step - 1);
}
