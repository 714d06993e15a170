// Cells that answer to a mouse, a tap and the focus: one of them is pointed at, and a click holds it.

/** @typedef {Record<string, number[]>} LinkedControls controls that go with the pointer, and where to: the first position */

/**
 * @param {Element} element holds the cells, each with its number as `data-index`
 * @param {import("./controller.js").FigureController} controller
 * @param {string} pointer
 * @param {(index: number) => number} positionOf the pointer's position at a cell
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
  // Not over: what moves by itself under a mouse at rest is not pointed at.
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
 * Moves the controls that go with a pointer.
 * @param {import("./controller.js").FigureController} controller
 * @param {LinkedControls} also
 */
export function applyLinked(controller, also) {
  for (const [name, [position]] of Object.entries(also)) controller.set(name, position);
}

/**
 * Whether the controls that go with a pointer are there.
 * @param {import("./controller.js").FigureController} hand
 * @param {LinkedControls} also
 */
export function isLinkedApplied({ state }, also) {
  return Object.entries(also).every(([name, [position]]) => state.positions[name] === position);
}

/**
 * The number of the cell that an event has met; -1 for none.
 * @param {Event} event
 * @param {Element} element
 */
export function cellIndexOf(event, element) {
  const cell = /** @type {Element} */ (event.target).closest("[data-index]");
  return cell && element.contains(cell) ? Number(cell.getAttribute("data-index")) : -1;
}
