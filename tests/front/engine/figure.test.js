import assert from "node:assert/strict";
import test from "node:test";

import { Figure } from "../../../lnviz/front/engine/figure.js";

const DETAIL = { kind: "pick", name: "detail", value: "few", start: "few", then: "all" };
const DATA = { kind: "pick", name: "data", value: "moons", start: "spiral", then: "" };

/** A figure of which no more is there than what is shown, and what it has fetched by itself. */
function shown(...parameters) {
  const asked = [];
  const figure = Object.assign(Object.create(Figure.prototype), {
    hand: { shown: { payload: { parameters } } },
    refresh: async (values) => asked.push(values),
  });
  return { figure, asked };
}

test("a figure that shows a first part goes on to the whole, once", () => {
  const { figure, asked } = shown(DATA, DETAIL);
  figure.goOn();
  assert.deepEqual(asked, [{ detail: "all" }]);
  const { figure: whole, asked: nothing } = shown(DATA, { ...DETAIL, value: "all" });
  whole.goOn();
  assert.deepEqual(nothing, []);
});

test("where something else is asked for, a first part comes before the whole again", () => {
  const { figure } = shown(DATA, { ...DETAIL, value: "all" });
  assert.deepEqual(figure.values(), { data: "moons", detail: "few" });
});
