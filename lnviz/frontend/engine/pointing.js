// Pointing at cells by mouse, tap or focus: a mouse previews a cell, a click pins it.

/**
 * @typedef {Record<string, number[]>} LinkedControls controls that move with the pointer, and their first target
 * position
 */

/**
 * Let events on cells move and pin a pointer.
 * @param {Element} element contains the cells, each with its index as `data-index`
 * @param {import("./controller.js").FigureController} controller
 * @param {string} pointer
 * @param {(index: number) => number} positionOf returns the pointer's position at a cell
 * @param {LinkedControls} [also]
 */
export function attachCellPointer(element, controller, pointer, positionOf, also = {}) {
  const isHeld = () => controller.state.held.has(pointer);
  const go = (/** @type {number} */ position) => {
    applyLinked(controller, also);
    controller.set(pointer, position);
  };
  const point = (/** @type {Event} */ event) => {
    const index = cellIndexOf(event, element);
    if (index >= 0 && !isHeld()) go(positionOf(index));
  };
  // Not `pointerover`: cells that move under a resting mouse are not pointed at.
  element.addEventListener("pointermove", (event) => /** @type {PointerEvent} */ (event).pointerType === "mouse" && point(event));
  element.addEventListener("focusin", point);
  if (Object.keys(also).length) restoreOnLeave(element, controller, [pointer, ...Object.keys(also)], isHeld);
  element.addEventListener("click", (event) => {
    const index = cellIndexOf(event, element);
    if (index < 0) return;
    const position = positionOf(index);
    const release = isHeld() && isLinkedApplied(controller, also) && position === controller.state.positions[pointer];
    go(position);
    controller.hold(pointer, !release);
  });
}

/**
 * Restore controls when the mouse leaves the cells, unless one has been pinned.
 * @param {Element} element contains the cells
 * @param {import("./controller.js").FigureController} controller
 * @param {string[]} names the controls that cells move
 * @param {() => boolean} isHeld
 */
function restoreOnLeave(element, controller, names, isHeld) {
  /** @type {Map<string, number>} */
  let before = new Map();
  element.addEventListener("pointerenter", () => {
    before = new Map(names.map((name) => [name, controller.state.positions[name]]));
  });
  element.addEventListener("pointerleave", (event) => {
    if (/** @type {PointerEvent} */ (event).pointerType !== "mouse" || isHeld()) return;
    for (const [name, position] of before) controller.set(name, position);
  });
}

/**
 * Move the controls linked to a pointer.
 * @param {import("./controller.js").FigureController} controller
 * @param {LinkedControls} also
 */
export function applyLinked(controller, also) {
  for (const [name, [position]] of Object.entries(also)) controller.set(name, position);
}

/**
 * Return whether the linked controls are at their targets.
 * @param {import("./controller.js").FigureController} controller
 * @param {LinkedControls} also
 */
export function isLinkedApplied({ state }, also) {
  return Object.entries(also).every(([name, [position]]) => state.positions[name] === position);
}

/**
 * Return the index of an event's cell; -1 for none.
 * @param {Event} event
 * @param {Element} element
 */
export function cellIndexOf(event, element) {
  const cell = /** @type {Element} */ (event.target).closest("[data-index]");
  return cell && element.contains(cell) ? Number(cell.getAttribute("data-index")) : -1;
}
