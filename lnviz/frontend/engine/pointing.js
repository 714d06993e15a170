// Pointing at cells by mouse, tap or focus; a click pins a cell.

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
