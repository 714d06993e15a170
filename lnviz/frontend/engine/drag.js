// What looks like a thing can be taken hold of: a mark on a curve, a block, a sphere. A control moves with the hand;
// it stays where it is, too, for keyboards.

/** @typedef {{x: number, y: number}} Place in pixels, from the element's corner */
/** @typedef {(place: Place) => void} Taken moves with the hand, to a place */

const STILL = 4; // pixels that a hand moves in a click

/**
 * @param {HTMLElement | SVGElement} element
 * @param {(place: Place) => Taken | null} take what moves with a hand that closes at a place; null for nothing
 * @param {() => void} release called when the hand has let go of what it has moved
 * @param {boolean} small whether things are taken at small places, at which a finger need not scroll
 */
export function holdable(element, take, release, small = false) {
  /** Stops listening to the hand that holds something; null while none does. @type {AbortController | null} */
  let holding = null;
  const place = (/** @type {Event} */ event) => {
    const { clientX, clientY } = /** @type {PointerEvent} */ (event);
    const { left, top } = element.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  /** Follows a hand wherever it goes: Plotly lays a cover over the page. @param {Place} from @param {Taken} taken */
  const hold = (from, taken) => {
    const { signal } = (holding = new AbortController());
    let moved = false;
    const move = (/** @type {Event} */ event) => {
      const to = place(event);
      moved ||= Math.hypot(to.x - from.x, to.y - from.y) > STILL;
      element.classList.toggle("held", moved);
      if (moved) taken(to);
    };
    const end = () => {
      holding?.abort();
      holding = null;
      element.classList.remove("held");
      if (!moved) return;
      // The click that a drag ends with is none. It comes before the next task, where there is one.
      const unclick = (/** @type {Event} */ event) => event.stopPropagation();
      element.addEventListener("click", unclick, { capture: true, once: true });
      setTimeout(() => element.removeEventListener("click", unclick, { capture: true }));
      release();
    };
    addEventListener("pointermove", move, { signal });
    for (const type of ["pointerup", "pointercancel", "blur"]) addEventListener(type, end, { signal });
  };
  // Where a finger takes hold it does not scroll, whichever way it goes.
  element.addEventListener("touchstart", (event) => holding && small && event.preventDefault(), { passive: false });
  element.addEventListener("pointermove", (event) => holding || element.classList.toggle("near", take(place(event)) !== null));
  element.addEventListener("pointerdown", (event) => {
    const from = place(event);
    const taken = /** @type {PointerEvent} */ (event).button === 0 && !holding ? take(from) : null;
    if (taken) hold(from, taken);
  });
}

/**
 * Has a picture turn with the hand: the whole way of its control is as long as the picture is wide.
 * @param {SVGElement} svg
 * @param {import("./controller.js").Hand} hand
 * @param {string} control the angle from which one looks: what is near goes to the left as it grows
 */
export function turnable(svg, hand, control) {
  const take = (/** @type {Place} */ from) => {
    const { positions, controls } = hand.state;
    const [start, last] = [positions[control], controls[control].labels.length - 1];
    return (/** @type {Place} */ to) => {
      const steps = Math.round(((from.x - to.x) / svg.clientWidth) * last);
      hand.set(control, Math.max(0, Math.min(last, start + steps)));
    };
  };
  holdable(svg, take, () => hand.settle());
}
