import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";

import { makeDraggable, makeRotatable } from "../../../lnviz/frontend/engine/drag.js";

let picture, classes;
class Picture extends EventTarget {
  clientWidth = 200;
  classList = { add: (name) => classes.add(name), remove: (name) => classes.delete(name), toggle: (name, on) => (on ? classes.add(name) : classes.delete(name)) };
  getBoundingClientRect = () => ({ left: 100, top: 50 });
}
beforeEach(() => {
  classes = new Set();
  picture = new Picture();
  const window = new EventTarget();
  globalThis.addEventListener = window.addEventListener.bind(window);
  globalThis.dispatchEvent = window.dispatchEvent.bind(window);
});
/** Dispatch an event to the picture, and to the window. */
const happen = (type, x, y, more = {}) => {
  const event = () => Object.assign(new Event(type), { clientX: x, clientY: y, button: 0, ...more });
  picture.dispatchEvent(event());
  dispatchEvent(event());
};

test("a drag reports positions in the element's pixels until the pointer is released", () => {
  const [places, released] = [[], []];
  makeDraggable(picture, () => (place) => places.push(place), () => released.push(true));
  happen("pointerdown", 110, 60);
  happen("pointermove", 130, 65);
  assert(classes.has("held"));
  happen("pointerup", 130, 65);
  happen("pointermove", 150, 65);
  assert.deepEqual(places, [{ x: 30, y: 15 }]);
  assert.deepEqual(released, [true]);
  assert(!classes.has("held"));
});

test("where nothing can be picked, nothing moves, and there is no drag cursor", () => {
  makeDraggable(picture, ({ x }) => (x < 20 ? assert.fail : null), assert.fail);
  happen("pointermove", 110, 60);
  assert(classes.has("near"));
  happen("pointermove", 150, 60);
  assert(!classes.has("near"));
  happen("pointerdown", 150, 60);
  happen("pointermove", 170, 60);
  happen("pointerup", 170, 60);
});

test("a click is no drag, and the click that ends a drag is swallowed", () => {
  let [released, clicked] = [0, 0];
  makeDraggable(picture, () => () => {}, () => (released += 1));
  const click = () => {
    const inside = Object.assign(new Event("click"), { stopPropagation: () => (clicked -= 1) });
    clicked += 1;
    picture.dispatchEvent(inside);
    return clicked;
  };
  happen("pointerdown", 110, 60);
  happen("pointermove", 112, 60);
  happen("pointerup", 112, 60);
  assert.deepEqual([click(), released], [1, 0]);
  happen("pointerdown", 110, 60);
  happen("pointermove", 130, 60);
  happen("pointerup", 130, 60);
  assert.deepEqual([click(), released], [1, 1]);
});

test("other mouse buttons start no drag", () => {
  makeDraggable(picture, () => assert.fail, assert.fail);
  happen("pointerdown", 110, 60, { button: 2 });
  happen("pointermove", 130, 60);
});

test("dragging across a picture's width covers the control's whole range, and stops at its ends", () => {
  const state = { positions: { turn: 4 }, controls: { turn: { labels: Array(11).fill("") } } };
  const controller = { state, set: (name, position) => (state.positions[name] = position), settle() {} };
  makeRotatable(picture, controller, "turn");
  happen("pointerdown", 200, 60);
  const turned = (x) => (happen("pointermove", x, 60), state.positions.turn);
  assert.deepEqual([160, 240, 400, 0].map(turned), [6, 2, 0, 10]);
});
