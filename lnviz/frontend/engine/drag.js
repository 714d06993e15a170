// Dragging: what looks draggable (a mark on a curve, a block, a sphere) moves a control. The control itself stays
// available to keyboards.

/** @typedef {{x: number, y: number}} Point in pixels, from the element's corner */
/** @typedef {(point: Point) => void} DragHandler called with each position of the drag */

const CLICK_TOLERANCE = 4; // pixels a pointer may move within a click

/**
 * Report drags that start on a draggable part of an element.
 * @param {HTMLElement | SVGElement} element
 * @param {(point: Point) => DragHandler | null} pick returns the handler of a drag that starts at a point; null where
 * nothing is draggable
 * @param {() => void} onRelease called after a drag has ended
 * @param {boolean} small whether targets are small, so that touching one need not scroll
 */
export function makeDraggable(element, pick, onRelease, small = false) {
  /** Removes the listeners of the current drag; null while there is none. @type {AbortController | null} */
  let dragListeners = null;
  const pointOf = (/** @type {Event} */ event) => {
    const { clientX, clientY } = /** @type {PointerEvent} */ (event);
    const { left, top } = element.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  /**
   * Follow the pointer across the window: Plotly covers the page during a drag.
   * @param {Point} from
   * @param {DragHandler} onMove
   */
  const startDrag = (from, onMove) => {
    const { signal } = (dragListeners = new AbortController());
    let moved = false;
    const move = (/** @type {Event} */ event) => {
      const to = pointOf(event);
      moved ||= Math.hypot(to.x - from.x, to.y - from.y) > CLICK_TOLERANCE;
      element.classList.toggle("held", moved);
      if (moved) onMove(to);
    };
    const end = () => {
      dragListeners?.abort();
      dragListeners = null;
      element.classList.remove("held");
      if (!moved) return;
      // Swallow the click that ends a drag. It fires before the next task, if at all.
      const swallowClick = (/** @type {Event} */ event) => event.stopPropagation();
      element.addEventListener("click", swallowClick, { capture: true, once: true });
      setTimeout(() => element.removeEventListener("click", swallowClick, { capture: true }));
      onRelease();
    };
    addEventListener("pointermove", move, { signal });
    for (const type of ["pointerup", "pointercancel", "blur"]) addEventListener(type, end, { signal });
  };
  // A touch that starts a drag must not scroll.
  element.addEventListener("touchstart", (event) => dragListeners && small && event.preventDefault(), { passive: false });
  element.addEventListener("pointermove", (event) => dragListeners || element.classList.toggle("near", pick(pointOf(event)) !== null));
  element.addEventListener("pointerdown", (event) => {
    const from = pointOf(event);
    const onMove = /** @type {PointerEvent} */ (event).button === 0 && !dragListeners ? pick(from) : null;
    if (onMove) startDrag(from, onMove);
  });
}

/**
 * Let a drag rotate a picture: its full width covers the control's full range.
 * @param {SVGElement} svg
 * @param {import("./controller.js").FigureController} controller
 * @param {string} control the viewing angle; near parts move left as it grows
 */
export function makeRotatable(svg, controller, control) {
  const pick = (/** @type {Point} */ from) => {
    const { positions, controls } = controller.state;
    const [start, last] = [positions[control], controls[control].labels.length - 1];
    return (/** @type {Point} */ to) => {
      const steps = Math.round(((from.x - to.x) / svg.clientWidth) * last);
      controller.set(control, Math.max(0, Math.min(last, start + steps)));
    };
  };
  makeDraggable(svg, pick, () => controller.settle());
}
