import assert from "node:assert/strict";
import test from "node:test";

import { canBrowse, indexInStops, nextToBrowse, slidesToBrowse, stopsFromQuery, stopsOfRoom } from "../../../lnviz/frontend/room/slide_position.js";

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
  const browse = (room) => {
    const { stops, place } = slidesToBrowse({ lesson: "axes", slide: "", ...room }, screen);
    return [place, stops.length, stops[place]];
  };
  assert.deepEqual(browse({ slide: "axes.shared.2", slides: ["why.depth", "axes.shared", "axes.shared.2", "batch.noise.2"] }), [3, 4, { lesson: "batch", screen: "noise" }]);
  assert.deepEqual(browse({ slides: ["start", "shared", "remember"] }), [2, 3, { lesson: "axes", screen: "remember" }]);
  for (const told of [{}, { slides: ["start"] }, { slide: "z", slides: ["a"] }]) assert.deepEqual(browse(told), [3, 8, { lesson: "axes", screen: 4 }]);
});

test("a phone passes over a plan's tasks, except for the one that the projector shows", () => {
  const slides = ["axes.grid", "task", "axes.shared", "task-2", "axes.grid.2"];
  const around = (slide, most = 5) => ({ ...slidesToBrowse({ lesson: "axes", slide, slides }, { lesson: "axes", name: "start", place: 1, count: 8 }), most });
  const open = (of) => slides.flatMap((_, i) => (canBrowse(of, i + 1) ? [i + 1] : []));
  assert.deepEqual(around("axes.grid").stops[4], { lesson: "axes", screen: "grid" });
  assert.deepEqual([open(around("axes.shared")), open(around("task", 2)), open(around("task-2"))], [[1, 3, 5], [1, 2], [1, 3, 4, 5]]);
  const walk = (of, ...moves) => moves.map((by, i) => nextToBrowse(of, i + 1, by));
  assert.deepEqual(walk(around("axes.shared"), 1, 1, -1, 1, 1), [3, 3, 1, 5, 5]);
  assert.deepEqual(walk(around("task", 2), 1, 1), [2, 2]);
  assert.equal(nextToBrowse(around("task-2"), 2, 0), 2);
  assert.equal(nextToBrowse({ stops: [], place: 0, most: 0 }, 0, 1), 0, "before the projector's slide is loaded");
});
