// What looks like a thing can be taken hold of: a mark on a curve, a block, a sphere. A control moves with the hand;
// it stays where it is, too, for keyboards.

/** @typedef {{x: number, y: number}} Point in pixels, from the element's corner */
/** @typedef {(pointOf: Point) => void} DragHandler moves with the hand, to a place */

const CLICK_TOLERANCE = 4; // pixels that a hand moves in a click

/**
 * @param {HTMLElement | SVGElement} element
 * @param {(pointOf: Point) => DragHandler | null} pick what moves with a hand that closes at a place; null for nothing
 * @param {() => void} onRelease called when the hand has let go of what it has moved
 * @param {boolean} small whether things are taken at small places, at which a finger need not scroll
 */
export function makeDraggable(element, pick, onRelease, small = false) {
  /** Stops listening to the hand that holds something; null while none does. @type {AbortController | null} */
  let dragListeners = null;
  const pointOf = (/** @type {Event} */ event) => {
    const { clientX, clientY } = /** @type {PointerEvent} */ (event);
    const { left, top } = element.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  /** Follows a hand wherever it goes: Plotly lays a cover over the page. @param {Point} from @param {DragHandler} onMove */
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
      // The click that a drag ends with is none. It comes before the next task, where there is one.
      const swallowClick = (/** @type {Event} */ event) => event.stopPropagation();
      element.addEventListener("click", swallowClick, { capture: true, once: true });
      setTimeout(() => element.removeEventListener("click", swallowClick, { capture: true }));
      onRelease();
    };
    addEventListener("pointermove", move, { signal });
    for (const type of ["pointerup", "pointercancel", "blur"]) addEventListener(type, end, { signal });
  };
  // Where a finger takes hold it does not scroll, whichever way it goes.
  element.addEventListener("touchstart", (event) => dragListeners && small && event.preventDefault(), { passive: false });
  element.addEventListener("pointermove", (event) => dragListeners || element.classList.toggle("near", pick(pointOf(event)) !== null));
  element.addEventListener("pointerdown", (event) => {
    const from = pointOf(event);
    const onMove = /** @type {PointerEvent} */ (event).button === 0 && !dragListeners ? pick(from) : null;
    if (onMove) startDrag(from, onMove);
  });
}

/**
 * Has a picture turn with the hand: the whole way of its control is as long as the picture is wide.
 * @param {SVGElement} svg
 * @param {import("./controller.js").FigureController} controller
 * @param {string} control the angle from which one looks: what is near goes to the left as it grows
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
