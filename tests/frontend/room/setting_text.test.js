// Settings in the words of a figure's controls.

import assert from "node:assert/strict";
import test from "node:test";

import { describeSetting, namesOutsideSettings } from "../../../lnviz/frontend/room/setting_text.js";

const control = (kind, name, values, labels, when = {}) => ({ kind, name, slug: name.replaceAll(" ", "-"), values, labels, when });
const FIGURE = {
  controls: [
    control("choice", "diagram", ["olmo2", "qk"], ["OLMo 2", "QK-norm"]),
    control("slider", "block", [1, 2], ["1", "2"]),
    control("choice", "with epsilon", ["none", "usual"], ["ε = 0", "ε = 1e-5"]),
    control("slider", "step", [1, 2], ["embeddings", "into the block"]),
    control("slider", "weight factor", [1, 1.12], ["1", "1.12"], { diagram: [1] }),
    control("switch", "log", ["on", "off"], ["on", "off"]),
    { kind: "pointer", name: "cell", slug: "cell", rows: ["a", "b"], columns: ["1", "2"], labels: ["a, 1", "a, 2", "b, 1", "b, 2"] },
  ],
  parameters: [{ kind: "pick", name: "data", label: "Data", options: [{ value: "moons", label: "Two moons" }] }],
};
const words = (pose) => describeSetting(pose, FIGURE);

test("a setting is told in labels, numbers with the name of their control", () => {
  assert.equal(words({ step: "2", block: "2", diagram: "olmo2" }), "OLMo 2, block 2, into the block");
  assert.equal(words({ data: "moons", cell: "2.1" }), "cell b, 1, Two moons");
  assert.equal(words({ block: "2" }), "2");
  assert.equal(words({ block: "2", "with-epsilon": "none" }), "block 2, ε = 0");
});

test("what is not shown at a setting is left out", () => {
  assert.equal(words({ diagram: "olmo2", "weight-factor": "1.12", log: "on" }), "OLMo 2");
  assert.equal(words({ diagram: "qk", "weight-factor": "1.12" }), "QK-norm, weight factor 1.12");
});

test("what is computed from and how a picture is turned are no part of a setting", () => {
  const views = [[{ kind: "readout" }], [{ kind: "scene", turn: "block" }]];
  assert.deepEqual(namesOutsideSettings({ ...FIGURE, views }), ["data", "block"]);
});

test("before the figure has come, no value is shown without its name", () => {
  assert.equal(describeSetting({ norm: "layer", size: "4", cell: "2.2" }, null), "your setting");
  assert.equal(describeSetting(0.5, null), "0.5");
});
