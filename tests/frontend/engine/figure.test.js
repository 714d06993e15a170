import assert from "node:assert/strict";
import test, { afterEach, beforeEach, mock } from "node:test";

import { FigureLayout } from "../../../lnviz/frontend/engine/figure_layout.js";
import { Figure } from "../../../lnviz/frontend/engine/figure.js";
import { NetworkError } from "../../../lnviz/frontend/engine/http.js";
import { PressTracker } from "../../../lnviz/frontend/engine/press_tracker.js";
import { UserFacingError, FigureRequests } from "../../../lnviz/frontend/engine/loading.js";
import { announceServer, Retry } from "../../../lnviz/frontend/engine/retry.js";
import { Slider } from "../../../lnviz/frontend/engine/sliders.js";
import { happen, newElement, openPage } from "./page.js";

const DETAIL = { kind: "pick", name: "detail", value: "few", start: "few", then: "all" };
const DATA = { kind: "pick", name: "data", value: "moons", start: "spiral", then: "" };

let figure, asked, heard, said, page;
afterEach(() => mock.timers.reset());
beforeEach(() => {
  page = new EventTarget();
  openPage();
  for (const name of ["addEventListener", "dispatchEvent"]) globalThis[name] = page[name].bind(page);
  [asked, heard, said] = [[], [], []];
  const load = (parameters, { signal, report }) =>
    new Promise((resolve, reject) => asked.push({ parameters, signal, report, resolve, reject }));
  const root = Object.assign(newElement(), { contains: () => false });
  figure = Object.assign(Object.create(Figure.prototype), {
    root,
    controller: { currentState: null },
    requests: new FigureRequests(load, (text) => figure.reportProgress(text)),
    parameters: { drafts: {} },
    layout: { playing: [], resumePlaying() {} },
    pressTracker: new PressTracker(newElement()),
    retry: new Retry(() => {}),
    message: { set textContent(text) { said.push(text); }, get textContent() { return said.at(-1) ?? ""; } },
    progress: newElement(),
    reportProgress: (text) => heard.push((figure.progress.textContent = text)),
    show: (payload) => (figure.controller.currentState = { payload }),
    showParameters() {},
    offerRetry() {},
  });
});

/** Answer the latest request. */
async function answer(...parameters) {
  asked.at(-1).resolve({ tensors: {}, parameters });
  await passed();
}
async function refuse(sentence) {
  asked.at(-1).reject(new UserFacingError(sentence));
  await passed();
}
const passed = () => new Promise((resolve) => setTimeout(resolve));
const shown = () => Object.fromEntries(figure.controller.currentState.payload.parameters.map(({ name, value }) => [name, value]));
const wanted = () => asked.map(({ parameters }) => parameters);
const WHOLE = { ...DETAIL, value: "all" };

test("a partial figure loads the full one once, and reports progress", async () => {
  figure.load({ data: "moons" });
  await answer(DATA, DETAIL);
  assert.deepEqual(shown(), { data: "moons", detail: "few" });
  asked[1].report("half");
  assert.equal(heard.at(-1), "half");
  await answer(DATA, WHOLE);
  assert.deepEqual(shown(), { data: "moons", detail: "all" });
  assert.deepEqual(wanted(), [{ data: "moons" }, { data: "moons", detail: "all" }]);
  assert.equal(heard.at(-1), "");
});

test("for other parameters the partial figure is loaded first again", async () => {
  figure.load({});
  await answer(DATA, WHOLE);
  figure.load({ data: "xor" });
  assert.deepEqual(asked.at(-1).parameters, { data: "xor", detail: "few" });
});

test("a reader's request aborts loading the full figure, which is resumed if that fails", async () => {
  figure.load({});
  await answer(DATA, DETAIL);
  figure.load({ data: "circles" });
  assert.equal(asked[1].signal.aborted, true);
  await refuse("No circles.");
  assert.equal(said.at(-1), "No circles.");
  assert.deepEqual(asked.at(-1).parameters, { data: "moons", detail: "all" });
  await answer(DATA, WHOLE);
  assert.equal(shown().detail, "all");
});

test("a full figure that fails shows a message, keeps the partial one, and offers a retry", async () => {
  figure.load({});
  await answer(DATA, DETAIL);
  await refuse("Later.");
  assert.equal(heard.at(-1), "Later.");
  assert.equal(shown().detail, "few");
  assert.equal(asked.length, 2);
  happen(figure.progress.children.at(-1), "click");
  await answer(DATA, WHOLE);
  assert.equal(shown().detail, "all");
});

test("the full figure waits until the pointer is released, and is dropped if the figure was removed", async () => {
  for (const stays of [true, false]) {
    figure.controller.currentState = null;
    figure.load({});
    await answer(DATA, DETAIL);
    figure.pressTracker.waiters = [];
    await answer(DATA, WHOLE);
    assert.equal(shown().detail, "few");
    figure.root.isConnected = stays;
    figure.pressTracker.release();
    await passed();
    assert.equal(shown().detail, stays ? "all" : "few");
  }
});

test("a playing slider continues at its speed when it is replaced", () => {
  const slider = (name) => Object.assign(Object.create(Slider.prototype), { spec: { name }, frame: 0, rate: 1, startPlaying() { this.frame = 1; } });
  const layout = Object.assign(Object.create(FigureLayout.prototype), { widgets: [slider("step"), slider("rate"), { spec: { name: "norm" } }] });
  Object.assign(layout.widgets[0], { frame: 7, rate: 4 });
  const { playing } = layout;
  layout.resumePlaying(playing);
  assert.equal(layout.widgets[0].frame, 7, "it plays already");
  layout.widgets = [slider("rate"), slider("step")];
  layout.resumePlaying(playing);
  assert.deepEqual(layout.sliders.map(({ frame, rate }) => [frame, rate]), [[0, 1], [1, 4]]);
});

test("a figure that the server has not answered comes when it is back, without a hand", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const fail = async () => {
    asked.at(-1).reject(new NetworkError());
    await settled();
  };
  const isMissing = () => "data-unanswered" in figure.root.attributes;
  figure.load({ data: "moons" }, true);
  await fail();
  assert.equal(isMissing(), true);
  mock.timers.tick(2_000); // the first back-off; the next is longer
  assert.equal(asked.length, 2);
  await fail();
  mock.timers.tick(3_000);
  assert.equal(asked.length, 2);
  dispatchEvent(new Event("online"));
  mock.timers.tick(500);
  assert.equal(asked.length, 3);
  await fail();
  announceServer();
  mock.timers.tick(500);
  assert.equal(asked.length, 4);
  asked.at(-1).resolve({ tensors: {}, parameters: [DATA] });
  await settled();
  await settled();
  assert.deepEqual([isMissing(), said.at(-1), wanted().at(-1)], [false, "", { data: "moons" }]);
  dispatchEvent(new Event("online"));
  mock.timers.tick(100_000);
  assert.equal(asked.length, 4);
});

test("what the server refuses is not asked again by itself", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  figure.load({ data: "sun" }, true);
  asked.at(-1).reject(new UserFacingError("No sun."));
  await new Promise((resolve) => setImmediate(resolve));
  mock.timers.tick(100_000);
  assert.equal(asked.length, 1);
});
