import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";

import { hiddenIn, hiding, parametersIn, positionsIn, query, standing, write } from "../../../lnviz/front/engine/address.js";
import { State } from "../../../lnviz/front/engine/state.js";
import { PAYLOAD } from "./payloads.js";

/** The page's address and history, as far as the scripts ask for them. */
function at(search) {
  globalThis.location = { pathname: "/axes", search, hash: "#figure-grid" };
  globalThis.history = { state: null, written: [], replaceState: (_, __, address) => history.written.push(address) };
}

const state = (positions = {}) => new State(PAYLOAD, {}, positions);
beforeEach(() => at(""));

for (const [search, positions] of [
  ["", {}],
  ["?gain=2&norm=layer&cell=2.3", { gain: 3, norm: 1, cell: 5 }],
  ["?gain=99&cell=9.9", { gain: 3, cell: 5 }],
  ["?gain=-inf&norm=Layer&cell=1", {}],
  ["?gain=&cell=0.0", { cell: 0 }],
  ["?gain=0.4", { gain: 1 }],
]) {
  test(`the address ${search || "of rest"} is read`, () => {
    at(search);
    assert.deepEqual(positionsIn(PAYLOAD.controls), positions);
  });
}

test("what is read is what was written", () => {
  const moved = { gain: 0, norm: 1, cell: 4 };
  at(`?${new URLSearchParams(query(state(moved)))}`);
  assert.deepEqual(positionsIn(PAYLOAD.controls), moved);
});

test("only what differs from rest is written, of a pointer only a held one", () => {
  assert.deepEqual(query(state()), { seed: "3" });
  assert.deepEqual(standing(state()), { gain: "1", norm: "batch", seed: "3" });
});

test("others' words stay in the address, and it is written only when it changes", () => {
  at("?other=1&gain=2");
  write(state({ gain: 1 }), ["seed", "data"]);
  assert.deepEqual(history.written, ["/axes?other=1&gain=0&seed=3#figure-grid"]);
  at("?seed=3");
  write(state(), ["seed", "data"]);
  assert.deepEqual(history.written, []);
});

test("a link takes controls away by name", () => {
  at("?hide=Gain,%20seed&hide=norm");
  assert.deepEqual(hiddenIn(), new Set(["gain", "seed", "norm"]));
  assert.deepEqual(hiding(), { hide: "Gain, seed,norm" });
});

test("parameters are read by name", () => {
  at("?seed=7&x=1");
  assert.deepEqual(parametersIn(["seed", "data"]), { seed: "7" });
});
