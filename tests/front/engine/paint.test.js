import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";

import { Paint } from "../../../lnviz/front/engine/paint.js";
import { happen, newElement, openPage } from "./page.js";

const [BLUE, ORANGE, ERASE] = [0, 1, 2];
let paint, plane, asked;
beforeEach(() => {
  openPage();
  asked = [];
  plane = {
    spec: { labels: ["blue", "orange"], most: 4, reach: 2, paint: "data", before: "own.", letters: "abcdefghijklmnopqrstu" },
    picture: newElement(),
    svg: newElement(),
    dot: (points) => (plane.dots = points),
  };
  paint = new Paint(plane, (values) => asked.push(values));
});
/** The plane is 200 pixels wide and begins at 50; it has 21 places each way. */
const press = (x, y) => happen(plane.picture, "pointerdown", { clientX: x, clientY: y, button: 0, pointerId: 1 });
const move = (x, y) => happen(plane.picture, "pointermove", { clientX: x, clientY: y });
const key = (name) => happen(plane.picture, "keydown", { key: name });
const pick = (tool) => happen(paint.tools[tool], "click");

test("nothing is painted before a tool is taken up, nor once it is put down", () => {
  press(150, 150);
  pick(BLUE);
  pick(BLUE);
  press(150, 150);
  assert.equal(paint.points, null);
});

test("a press sets a point at the nearest place, and up is up", () => {
  pick(ORANGE);
  press(250, 50);
  press(153, 200);
  assert.deepEqual(paint.points, [[20, 20, 1], [10, 5, 1]]);
  assert.deepEqual(plane.dots, [[2, 2, 1], [0, -1, 1]]);
});

test("a moving hand sets points apart from each other, until it is lifted, and no more than there may be", () => {
  pick(BLUE);
  press(150, 150);
  move(160, 150);
  move(180, 150);
  happen(plane.picture, "pointerup");
  move(230, 150);
  assert.deepEqual(paint.points, [[10, 10, 0], [13, 10, 0]]);
  press(50, 150);
  for (let x = 80; x < 250; x += 30) move(x, 150);
  assert.equal(paint.points.length, 4);
  assert.match(paint.told.textContent, /4 points are the most/);
});

test("the eraser takes away what is near", () => {
  pick(BLUE);
  press(150, 150);
  press(200, 150);
  pick(ERASE);
  press(220, 150);
  assert.deepEqual(paint.points, [[10, 10, 0]]);
});

test("arrows move a cross, and Enter uses the tool there", () => {
  pick(ORANGE);
  for (const name of ["ArrowRight", "ArrowUp", "ArrowUp", "Enter", "ArrowLeft", " ", "Tab"]) key(name);
  assert.deepEqual(paint.points, [[12, 14, 1], [10, 14, 1]]);
});

test("networks are trained once there are points of both classes", () => {
  pick(ORANGE);
  press(150, 150);
  happen(paint.train, "click");
  assert.deepEqual(asked, []);
  pick(BLUE);
  press(50, 150);
  happen(paint.train, "click");
  assert.deepEqual(asked, [{ data: "own.ak.kk" }]);
});
