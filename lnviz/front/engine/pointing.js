// Cells that answer to a mouse, a tap and the focus: one of them is pointed at, and a click holds it.

/**
 * @param {Element} element holds the cells, each with its number as `data-index`
 * @param {import("./hand.js").Hand} hand
 * @param {string} pointer
 * @param {(index: number) => number} positionOf the pointer's position at a cell
 */
export function pointing(element, hand, pointer, positionOf) {
  const isHeld = () => hand.state.held.has(pointer);
  const point = (/** @type {Event} */ event) => {
    const index = cellOf(event, element);
    if (index >= 0 && !isHeld()) hand.set(pointer, positionOf(index));
  };
  element.addEventListener("pointerover", (event) => /** @type {PointerEvent} */ (event).pointerType === "mouse" && point(event));
  element.addEventListener("focusin", point);
  element.addEventListener("click", (event) => {
    const index = cellOf(event, element);
    if (index < 0) return;
    const position = positionOf(index);
    const release = isHeld() && position === hand.state.positions[pointer];
    hand.set(pointer, position);
    hand.hold(pointer, !release);
  });
}

/**
 * The number of the cell that an event has met; -1 for none.
 * @param {Event} event
 * @param {Element} element
 */
export function cellOf(event, element) {
  const cell = /** @type {Element} */ (event.target).closest("[data-index]");
  return cell && element.contains(cell) ? Number(cell.getAttribute("data-index")) : -1;
}
