import assert from "node:assert/strict";
import test from "node:test";

import { indexInStops, nextToBrowse, slidesToBrowse, stopsFromQuery, stopsOfRoom } from "../../../lnviz/frontend/room/slide_position.js";

const grid = (pose) => ({ lesson: "axes", screen: "grid", pose });
const PLAN = [grid({ step: "mean" }), grid({ norm: "batch" }), { lesson: "axes", screen: "shared" }, grid({ norm: "batch" }), grid({ step: "scale" })];
const at = (before, pose, screens = ["grid"]) => indexInStops(PLAN, before, { lesson: "axes", screens, pose });

test("repeated slides are distinguished by their pose", () => {
  assert.equal(at(0, { norm: "batch" }), 1);
  assert.equal(at(4, { norm: "batch" }), 3);
  assert.equal(at(1, { step: "scale" }), 4);
});

test("moving the figure keeps the index", () => {
  for (const place of [0, 1, 3, 4]) assert.equal(at(place, { norm: "group", step: "mean" }), place);
  assert.equal(at(1, { norm: "batch" }), 1);
});

test("of equally near slides the later one is chosen", () => {
  assert.equal(at(2, { norm: "batch" }), 3);
  assert.equal(at(0, {}, ["3", "shared"]), 2);
  assert.equal(at(0, {}, ["other"]), -1);
});

test("skipped slides are no stops, in a plan or a lesson", () => {
  const plan = ["a", "b", "c"].map((name) => ({ name, lesson: "axes", screen: "grid" }));
  const stops = (query, of = plan) => stopsFromQuery(new URLSearchParams(query), of);
  assert.deepEqual(stops("plan=hour"), plan);
  assert.deepEqual(stops("plan=hour&only=a,c,gone"), [plan[0], plan[2]]);
  const lesson = ["start", "depth"].map((screen) => ({ lesson: "axes", screen }));
  assert.deepEqual(stops("lesson=axes&only=start,depth", []), lesson);
  assert.deepEqual(stops("lesson=axes", []), []);
});

test("the room's slide of a plan is found by its name, however its figure stands", () => {
  const plan = PLAN.map((stop, i) => ({ ...stop, name: `axes.${stop.screen}.${i + 1}` }));
  const index = (slide) => indexInStops(plan, 1, { lesson: "axes", screens: ["grid"], pose: { norm: "batch" }, slide });
  assert.deepEqual(["axes.grid.1", "axes.grid.4", "axes.grid.5"].map(index), [0, 3, 4]);
  assert.equal(index("axes.gone"), 1);
});

test("a plan's task is not the screen of its lesson that phones load for it", () => {
  const plan = [...PLAN, { name: "task", lesson: "axes", screen: "start", task: "Write it down." }];
  const index = (slide) => indexInStops(plan, 0, { lesson: "axes", screens: ["start", "1"], pose: {}, slide });
  assert.deepEqual([index("task"), index("")], [5, -1]);
});

test("a remote goes through the slides that the projector includes", () => {
  const plan = ["a", "b", "c"].map((name) => ({ name, lesson: "axes", screen: "grid" }));
  const stops = (room, whole = plan) => stopsOfRoom({ lesson: "axes", slide: "", ...room }, whole, plan);
  assert.deepEqual(stops({ slide: "a", slides: ["a", "c"] }), [plan[0], plan[2]]);
  assert.deepEqual(stops({ slides: ["start", "far"] }, []), [{ lesson: "axes", screen: "start" }, { lesson: "axes", screen: "far" }]);
  assert.deepEqual(stops({ slide: "z", slides: ["z"] }), plan); // another plan
  assert.deepEqual(stops({}), plan);
});

test("a phone counts and turns the slides that the projector does", () => {
  const screen = { lesson: "axes", name: "shared", place: 3, count: 8 };
  const plan = [
    { name: "why.depth", lesson: "why", screen: "depth", pose: {} },
    { name: "axes.shared", lesson: "axes", screen: "shared", pose: {} },
    { name: "axes.grid", lesson: "axes", screen: "grid", pose: { norm: "batch" }, title: "under BatchNorm" },
    { name: "task", lesson: "axes", screen: "start", pose: {}, task: "Write a sentence." },
  ];
  const browse = (room, known = plan) => {
    const { stops, place } = slidesToBrowse({ lesson: "axes", slide: "", ...room }, screen, known);
    return [place, stops.length, stops[place]];
  };
  const slides = ["why.depth", "axes.shared", "axes.grid", "task"];
  assert.deepEqual(browse({ slide: "axes.shared", slides }), [2, 4, plan[2]], "with its figure's state and title");
  assert.deepEqual(browse({ slide: "axes.grid", slides: slides.slice(2) }), [1, 2, plan[3]], "with its task");
  assert.deepEqual(browse({ slides: ["start", "shared", "remember"] }), [2, 3, { lesson: "axes", screen: "remember" }]);
  const whole = [3, 8, { lesson: "axes", screen: 4 }];
  for (const told of [{}, { slides: ["start"] }, { slide: "z", slides: ["a"] }]) assert.deepEqual(browse(told), whole);
  assert.deepEqual(browse({ slide: "axes.shared", slides }, []), whole, "before the plan is loaded");
});

test("a phone turns up to the last slide that is open", () => {
  const walk = (most, ...moves) => moves.map(([number, by]) => nextToBrowse({ most }, number, by));
  assert.deepEqual(walk(3, [1, -1], [1, 1], [3, 1], [3, -1], [2, 0]), [1, 2, 3, 2, 2]);
  assert.deepEqual(walk(0, [0, 1]), [0], "before the projector's slide is loaded");
});
