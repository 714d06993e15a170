// Cells that answer to a mouse, a tap and the focus: one of them is pointed at, and a click holds it.

/** @typedef {Record<string, number[]>} Along controls that go with the pointer, and where to: the first position */

/**
 * @param {Element} element holds the cells, each with its number as `data-index`
 * @param {import("./controller.js").Hand} hand
 * @param {string} pointer
 * @param {(index: number) => number} positionOf the pointer's position at a cell
 * @param {Along} [also]
 */
export function pointing(element, hand, pointer, positionOf, also = {}) {
  const isHeld = () => hand.state.held.has(pointer);
  const go = (/** @type {number} */ position) => {
    goAlong(hand, also);
    hand.set(pointer, position);
  };
  const point = (/** @type {Event} */ event) => {
    const index = cellOf(event, element);
    if (index >= 0 && !isHeld()) go(positionOf(index));
  };
  // Not over: what moves by itself under a mouse at rest is not pointed at.
  element.addEventListener("pointermove", (event) => /** @type {PointerEvent} */ (event).pointerType === "mouse" && point(event));
  element.addEventListener("focusin", point);
  element.addEventListener("click", (event) => {
    const index = cellOf(event, element);
    if (index < 0) return;
    const position = positionOf(index);
    const release = isHeld() && isAlong(hand, also) && position === hand.state.positions[pointer];
    go(position);
    hand.hold(pointer, !release);
  });
}

/**
 * Moves the controls that go with a pointer.
 * @param {import("./controller.js").Hand} hand
 * @param {Along} also
 */
export function goAlong(hand, also) {
  for (const [name, [position]] of Object.entries(also)) hand.set(name, position);
}

/**
 * Whether the controls that go with a pointer are there.
 * @param {import("./controller.js").Hand} hand
 * @param {Along} also
 */
export function isAlong({ state }, also) {
  return Object.entries(also).every(([name, [position]]) => state.positions[name] === position);
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
