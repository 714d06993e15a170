import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test, { beforeEach } from "node:test";

import { hiddenNames, hideQuery, parametersIn, positionsIn, changedValues, allValues, writeAddress } from "../../../lnviz/frontend/engine/address.js";
import { State } from "../../../lnviz/frontend/engine/state.js";
import { GAIN, PAYLOAD } from "./payloads.js";

/** The page's location and history, as far as the scripts use them. */
function at(search) {
  globalThis.location = { pathname: "/axes", search, hash: "#figure-grid" };
  globalThis.history = { state: null, written: [], replaceState: (_, __, address) => history.written.push(address) };
}

const state = (positions = {}) => new State(PAYLOAD, {}, positions);
beforeEach(() => at(""));

for (const [search, positions] of [
  ["", {}],
  ["?gain=2&norm=layer&cell=2.3", { gain: 3, norm: 1, cell: 5 }],
  ["?cell=9.9", { cell: 5 }],
  ["?cell=0.0", { cell: 0 }],
  ["?cell=2.9", { cell: 5 }],
  ["?cell=0.2", { cell: 1 }],
  ["?cell=999999.1", { cell: 3 }],
  ["?gain=-inf&norm=Layer&cell=1", {}],
  ["?gain=2&norm=layer&gain=1&norm=batch", { gain: 3, norm: 1 }],
  ["?utm=1&gain=2&toString=3&__proto__=4&ga%20in=1", { gain: 3 }],
]) {
  test(`the query ${search || "of the defaults"} is parsed`, () => {
    at(search);
    assert.deepEqual(positionsIn(PAYLOAD.controls), positions);
  });
}

const numbers = JSON.parse(readFileSync(new URL("positions.json", import.meta.url), "utf8"));
for (const { values, text, position } of numbers) {
  test(`of ${values}, ${JSON.stringify(text)} in a URL is position ${position}`, () => {
    at(`?${new URLSearchParams({ gain: text })}`);
    assert.deepEqual(positionsIn([{ ...GAIN, values }]), position === null ? {} : { gain: position });
  });
}

for (const [what, text] of Object.entries({
  "nothing": "",
  "a blank": "%20",
  "nan": "nan",
  "a word": "constructor",
  "a prototype": "__proto__",
  "a null byte": "%00",
  "a script": "%3Cscript%3Ewindow.harm=1%3C/script%3E",
  "an image": "%22%3E%3Cimg%20src=x%20onerror=window.harm=1%3E",
  "digits of another script": "%D9%A3",
  "bytes that are no text": "%FF%FE",
  "a broken escape": "%E0%A4%A",
  "three numbers": "1.2.3",
  "a long text": "9e".repeat(2000),
})) {
  test(`${what} is ignored and removed from the URL`, () => {
    at(`?${PAYLOAD.controls.map(({ slug }) => `${slug}=${text}`).join("&")}`);
    assert.deepEqual(positionsIn(PAYLOAD.controls), {});
    writeAddress(state(), ["seed"]);
    assert.deepEqual(history.written, ["/axes?seed=3#figure-grid"]);
  });
}

test("every position survives serializing and parsing", () => {
  for (const control of PAYLOAD.controls) {
    for (let position = 0; position < control.labels.length; position += 1) {
      const moved = { [control.name]: position };
      at(`?${new URLSearchParams(allValues(state(moved)))}`);
      assert.equal(positionsIn(PAYLOAD.controls)[control.name], position);
    }
  }
});

test("only changed controls and pinned pointers are written", () => {
  assert.deepEqual(changedValues(state()), { seed: "3" });
  assert.deepEqual(changedValues(state({ gain: 0, norm: 1, cell: 4 })), { gain: "-1", norm: "layer", cell: "2.2", seed: "3" });
  assert.deepEqual(changedValues(state({ cell: 0 })), { cell: "1.1", seed: "3" });
  assert.deepEqual(allValues(state()), { gain: "1", norm: "batch", seed: "3" });
});

test("unrelated query parameters are kept, and an unchanged URL is not written", () => {
  at("?other=1&gain=2");
  writeAddress(state({ gain: 1 }), ["seed", "data"]);
  assert.deepEqual(history.written, ["/axes?other=1&gain=0&seed=3#figure-grid"]);
  at("?seed=3");
  writeAddress(state(), ["seed", "data"]);
  assert.deepEqual(history.written, []);
  at("?gain=2&norm=layer&gain=1&norm=batch");
  writeAddress(state({ gain: 3, norm: 1 }), []);
  assert.deepEqual(history.written, ["/axes?gain=2&norm=layer#figure-grid"]);
});

test("a link hides controls by name", () => {
  at("?hide=Gain,%20seed&hide=norm");
  assert.deepEqual(hiddenNames(), new Set(["gain", "seed", "norm"]));
  assert.deepEqual(hideQuery(), { hide: "Gain, seed,norm" });
});

for (const text of ["", ",,", "nowhere", "%00", "constructor", "%3Cscript%3E", "x,".repeat(2000)]) {
  test(`a link that hides ${text.slice(0, 20) || "nothing"} hides nothing`, () => {
    at(`?hide=${text}`);
    assert.deepEqual(["gain", "norm", "cell", "seed"].filter((name) => hiddenNames().has(name)), []);
  });
}

test("of a repeated parameter the first value counts", () => {
  at("?seed=7&x=1&seed=8");
  assert.deepEqual(parametersIn(["seed", "data"]), { seed: "7" });
});
