// What draws figures on a phone: it comes with the first of them, in one piece.

import { positionsIn } from "../engine/address.js";
import { Figure } from "../engine/figure.js";
import { waitForState } from "../engine/visible_state.js";
import { serverOptions } from "../page/server.js";

/** @typedef {import("./deck.js").FigureSpec} FigureSpec */
/** @typedef {import("./room_connection.js").Pose} Pose */

/**
 * Draws a figure of a screen.
 * @param {Element} place
 * @param {FigureSpec} figured
 */
export async function loadFigure(place, { name, source, parameters }) {
  const figure = new Figure(place, { name: source, ...serverOptions(source), parameters, linked: false, anchor: anchor(name) });
  await figure.open();
  return figure;
}

/**
 * Watches where a figure stands.
 * @param {FigureSpec} figured
 * @param {(values: Pose) => boolean} onChange called now and whenever it stands elsewhere, until it says that it is enough
 */
export function watchState({ name }, onChange) {
  waitForState(anchor(name), onChange);
}

/** @param {string} name of a figure */
function anchor(name) {
  return `figure-${name}`;
}

/**
 * Has a figure stand as another one does.
 * @param {Figure} figure
 * @param {Pose} pose
 */
export async function applyPose(figure, pose) {
  if (!figure.controller.currentState) return;
  const { parameters } = figure.controller.currentState.payload;
  const changed = parameters.filter(({ name, value }) => name in pose && pose[name] !== String(value));
  if (changed.length) await figure.load(Object.fromEntries(changed.map(({ name }) => [name, pose[name]])));
  if (!figure.controller.currentState) return;
  const { controls } = figure.controller.currentState.payload;
  const positions = positionsIn(controls, new URLSearchParams(pose));
  for (const { kind, name, start } of controls) {
    const isHeld = name in positions;
    // What points at nothing is not told, and is back where it started.
    if (isHeld || kind === "pointer") figure.controller.set(name, isHeld ? positions[name] : start);
    if (kind === "pointer") figure.controller.hold(name, isHeld);
  }
}
