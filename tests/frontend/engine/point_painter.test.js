import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";

import { PointPainter } from "../../../lnviz/frontend/engine/point_painter.js";
import { happen, newElement, openPage } from "./page.js";

const [BLUE, ORANGE, ERASE] = [0, 1, 2];
let painter, plane, asked, context;
beforeEach(() => {
  openPage();
  asked = [];
  context = { request: (values) => asked.push(values), draft: null };
  plane = {
    spec: { labels: ["blue", "orange"], fewest: 2, most: 4, extent: 2, paint: "data", prefix: "own.", letters: "abcdefghijklmnopqrstu" },
    picture: newElement(),
    svg: newElement(),
    drawPoints: (points) => (plane.dots = points),
  };
  show("moons", [[0.04, 0, 0], [1.98, -2, 1]]);
});
/** Show a figure with data. */
const show = (data, points) => {
  plane.controller = { state: { payload: { parameters: [{ name: "data", value: data }] } } };
  plane.points = () => points;
  painter = new PointPainter(plane, context);
};
/** The plane is 200 pixels wide and begins at 50; its grid has 21 positions per axis. */
const press = (x, y) => happen(plane.picture, "pointerdown", { clientX: x, clientY: y, button: 0, pointerId: 1 });
const move = (x, y) => happen(plane.picture, "pointermove", { clientX: x, clientY: y });
const key = (name) => happen(plane.picture, "keydown", { key: name });
const pick = (tool) => happen(painter.tools[tool], "click");

test("nothing is painted before a tool is selected, nor after it is deselected", () => {
  press(150, 150);
  pick(BLUE);
  pick(BLUE);
  press(150, 150);
  assert.equal(painter.points, null);
});

test("a press sets a point at the nearest grid position, with y upward", () => {
  pick(ORANGE);
  press(250, 50);
  press(153, 200);
  assert.deepEqual(painter.points, [[20, 20, 1], [10, 5, 1]]);
  assert.deepEqual(plane.dots, [[2, 2, 1], [0, -1, 1]]);
});

test("a stroke sets spaced points until it ends, up to the maximum", () => {
  pick(BLUE);
  press(150, 150);
  move(160, 150);
  move(180, 150);
  happen(plane.picture, "pointerup");
  move(230, 150);
  assert.deepEqual(painter.points, [[10, 10, 0], [13, 10, 0]]);
  press(50, 150);
  for (let x = 80; x < 250; x += 30) move(x, 150);
  assert.equal(painter.points.length, 4);
  assert.match(painter.status.textContent, /At most 4 points/);
});

test("training needs a minimum number of points, which is shown", () => {
  plane.spec.fewest = 3;
  pick(BLUE);
  press(150, 150);
  pick(ORANGE);
  press(200, 150);
  assert.match(painter.status.textContent, /At least 3 points/);
  happen(painter.train, "click");
  assert.deepEqual([asked, painter.train.getAttribute("aria-disabled")], [[], "true"]);
  press(250, 150);
  happen(painter.train, "click");
  assert.equal(asked.length, 1);
});

test("the eraser removes points nearby", () => {
  pick(BLUE);
  press(150, 150);
  press(200, 150);
  pick(ERASE);
  press(220, 150);
  assert.deepEqual(painter.points, [[10, 10, 0]]);
});

test("arrow keys move a crosshair, and Enter uses the tool there", () => {
  pick(ORANGE);
  for (const name of ["ArrowRight", "ArrowUp", "ArrowUp", "Enter", "ArrowLeft", " ", "Tab"]) key(name);
  assert.deepEqual(painter.points, [[12, 14, 1], [10, 14, 1]]);
});

test("a figure's points can be erased, and the reader's own ones extended", () => {
  pick(ERASE);
  press(250, 250);
  assert.deepEqual(painter.points, [[10, 10, 0]]);
  show("own.kk.ua", [[0, 0, 0], [2, -2, 1]]);
  pick(ORANGE);
  press(50, 50);
  happen(painter.train, "click");
  assert.deepEqual(asked, [{ data: "own.kk.uaau" }]);
});

test("painted points survive other parameters and training, but not a reset or other data", () => {
  const all = [[0, 0, 0], [2, -2, 1]];
  pick(BLUE);
  press(150, 150);
  pick(ORANGE);
  press(250, 250);
  show("moons", []);
  assert.deepEqual(plane.dots, all);
  happen(painter.train, "click");
  pick(BLUE);
  press(50, 150);
  show("own.kk.ua", all);
  assert.deepEqual(painter.points, [[10, 10, 0], [20, 0, 1], [0, 10, 0]]);
  painter.discardDraft();
  assert.deepEqual(plane.dots, all);
  pick(BLUE);
  press(50, 150);
  show("moons", all);
  assert.equal(painter.points, null);
});

test("the tool and the crosshair survive a redraw of the same points, even before painting", () => {
  show("own.kk.ua", [[0, 0, 0], [2, -2, 1]]);
  pick(ORANGE);
  key("ArrowRight");
  show("own.kk.ua", [[0, 0, 0], [2, -2, 1]]);
  key("Enter");
  assert.deepEqual(painter.points.at(-1), [12, 10, ORANGE]);
  show("moons", []);
  assert.deepEqual([painter.tool, painter.cross], [-1, [10, 10]]);
});

test("training needs points of both classes", () => {
  pick(ORANGE);
  press(150, 150);
  happen(painter.train, "click");
  assert.deepEqual(asked, []);
  pick(BLUE);
  press(50, 150);
  happen(painter.train, "click");
  happen(painter.train, "click");
  assert.deepEqual(asked, [{ data: "own.ak.kk" }, { data: "own.ak.kk" }]);
  show("own.ak.kk", [[-2, 0, 0], [0, 0, 1]]);
  happen(painter.train, "click");
  assert.equal(asked.length, 2);
});
