import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";

import { nearestPoint, pickMark } from "../../../lnviz/frontend/engine/mark_drag.js";

const axis = { _offset: 10, d2p: (value) => 100 * value };
const control = (name, count, more = {}) => ({ kind: "slider", name, slug: name, when: {}, labels: Array(count).fill(""), ...more });
let positions, chart;
beforeEach(() => {
  positions = { rate: 1, scale: 0 };
  const curve = { x: [0, 1, 2, 3], y: [0, 1, 0, 1] };
  const standing = (name, traces, indices = []) => ({ kind: "mark", control: name, traces, indices });
  const controls = { rate: control("rate", 4), scale: control("scale", 2) };
  chart = {
    plotly: {},
    plot: { _fullLayout: { xaxis: axis, yaxis: axis }, data: [curve, { x: [1], y: [1] }, { x: [5], y: [5] }] },
    context: { hidden: new Set() },
    controller: { state: { controls, isShown: () => true }, set: (name, position) => (positions[name] = position) },
    values: () => ({ 0: curve, 1: { x: [1], y: [1] } }),
    spec: {
      draggable: {},
      figure: { data: [curve, {}, { x: [5, 6, 7, 8], y: [5, 6] }] },
      bind: {
        0: { y: { kind: "values", tensor: "t", along: "rate" } },
        1: { x: standing("rate", [0]), y: standing("rate", [0]) },
        2: { x: standing("rate", [2]), y: standing("scale", [2]) },
      },
    },
  };
});
const drag = (from, ...places) => {
  const taken = pickMark(chart, from);
  for (const [x, y] of places) taken({ x, y });
  return positions;
};

test("a mark on a curve moves to the nearest point along the axis, at any pointer height", () => {
  assert.deepEqual(drag({ x: 112, y: 108 }, [230, 900]), { rate: 2, scale: 0 });
  assert.deepEqual(drag({ x: 112, y: 108 }, [900, 0]), { rate: 3, scale: 0 });
});

test("a mark bound on both axes moves both controls", () => {
  assert.deepEqual(drag({ x: 510, y: 510 }, [780, 640]), { rate: 3, scale: 1 });
});

test("away from marks, before the chart is drawn, or with hidden controls nothing is picked", () => {
  assert.equal(pickMark(chart, { x: 300, y: 300 }), null);
  chart.context.hidden = new Set(["rate", "scale"]);
  assert.equal(pickMark(chart, { x: 112, y: 108 }), null);
  chart.context.hidden = new Set();
  chart.plotly = null;
  assert.equal(pickMark(chart, { x: 112, y: 108 }), null);
});

test("points and bar tops move the control named for their trace", () => {
  const tensor = { over: ["rate"], shape: [4, 2], strides: [2], count: 2, array: Float32Array.of(0, 9, 2, 9, 4, 9, 6, 9), missing: NaN, unit: 1 };
  chart.controller.state.tensors = { t: tensor };
  chart.controller.state.positions = positions;
  const source = { kind: "values", tensor: "t", along: "" };
  Object.assign(chart.spec, { bind: { 2: { x: source } }, draggable: { 2: "rate" } });
  assert.deepEqual(drag({ x: 510, y: 510 }, [615, 0]), { rate: 3, scale: 0 });
  chart.spec.bind = { 2: { y: source } };
  assert.deepEqual(drag({ x: 510, y: 510 }, [510, 390]), { rate: 2, scale: 0 });
  chart.spec.draggable = {};
  assert.equal(pickMark(chart, { x: 510, y: 510 }), null);
});

test("a position with an index of its own is picked at that point", () => {
  chart.spec.bind[1].x.indices = chart.spec.bind[1].y.indices = [0, 2];
  chart.controller.state.controls.rate = control("rate", 2);
  assert.deepEqual(drag({ x: 112, y: 108 }, [205, 0]), { rate: 1, scale: 0 });
});

test("on a curve that turns back the height counts, too", () => {
  const circle = [[0, 0], [10, 10], [0, 20], [-10, 10]];
  assert.equal(nearestPoint(circle, [0, 18]), 2);
  assert.equal(nearestPoint(circle, [0, 1]), 0);
});
