import assert from "node:assert/strict";
import test, { beforeEach, mock } from "node:test";

import { FigureController } from "../../../lnviz/frontend/engine/controller.js";
import { formatNumber } from "../../../lnviz/frontend/engine/numbers.js";
import { Slider } from "../../../lnviz/frontend/engine/sliders.js";
import { State } from "../../../lnviz/frontend/engine/state.js";
import { GAIN, PAYLOAD } from "./payloads.js";
import { happen, openPage } from "./page.js";

const FRAME = 10;
let now, frames, controller, slider, settled;

/** A slider at its default, and a clock that the test advances. */
function open(values, start, { form = "2", ...more } = {}) {
  const spec = { ...GAIN, values, labels: values.map((value) => formatNumber(value, form)), start, ...more };
  settled = 0;
  controller = new FigureController(() => slider.draw(), () => (settled += 1));
  controller.currentState = new State({ ...PAYLOAD, controls: [spec] }, {}, {});
  slider = new Slider(spec, controller);
  slider.draw();
}

/** Advance the clock. */
function pass(milliseconds) {
  const end = now + milliseconds;
  while (now < end) {
    now += FRAME;
    mock.timers.tick(FRAME);
    for (const [number, draw] of [...frames]) {
      frames.delete(number);
      draw(now);
    }
  }
}

const at = () => controller.state.positions.gain;
const press = (key) => happen(slider.input, "keydown", { key });
const click = (button) => happen(button, "click");

/** Drag the slider to a position. */
function move(position) {
  slider.input.value = String(position);
  happen(slider.input, "input");
  pass(FRAME);
}

function type(text) {
  slider.exact.value = text;
  happen(slider.exact, "input");
}

function enter(text) {
  type(text);
  happen(slider.exact, "change");
  pass(FRAME);
}

/** From -3 to 3. */
const gains = Array.from({ length: 301 }, (_, i) => (i - 150) / 50);
const whole = (last) => Array.from({ length: last + 1 }, (_, i) => i);

beforeEach(() => {
  now = 0;
  frames = new Map();
  let count = 0;
  globalThis.requestAnimationFrame = (draw) => frames.set((count += 1), draw) && count;
  globalThis.cancelAnimationFrame = (number) => frames.delete(number);
  mock.restoreAll();
  mock.method(performance, "now", () => now);
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  openPage();
  open(gains, 200);
});

test("the range input moves in positions, and announces and shows values", () => {
  move(275);
  assert.equal(at(), 275);
  assert.equal(slider.input.max, "300");
  assert.deepEqual([slider.input.attributes["aria-valuetext"], slider.exact.value], ["2.50", "2.50"]);
});

for (const [last, tenth] of [[1, 1], [3, 1], [14, 1], [15, 2], [200, 20], [300, 30]]) {
  test(`page keys move by ${tenth} of ${last}, and stop at the ends`, () => {
    open(whole(last), 0);
    const seen = ["PageUp", "PageUp", "PageDown", "PageDown", "PageDown"].map((key) => press(key) ?? at());
    assert.deepEqual(seen, [tenth, Math.min(2 * tenth, last), Math.min(2 * tenth, last) - tenth, 0, 0]);
    assert.equal(slider.input.value, "0");
  });
}

for (const [what, values, form] of [
  ["decimals", gains, "2"],
  ["whole numbers", whole(15), "0"],
  ["thousands", [0, 1500, 22550], "0"],
  ["powers of ten", [1e-12, 1.02e-7, 1e-5, 0.5, 100], "g3"],
]) {
  test(`${what} can be typed as shown`, () => {
    open(values, 0, { form });
    values.forEach((value, position) => {
      enter(formatNumber(value, form));
      assert.deepEqual([at(), slider.exact.value, slider.hint.textContent], [position, formatNumber(value, form), ""]);
    });
  });
}

test("labels can be typed as shown", () => {
  open([1, 2], 0, { labels: ["first", "second"] });
  enter("second");
  assert.deepEqual([at(), slider.hint.textContent], [1, ""]);
});

for (const [text, value] of [
  ["2.5", 2.5],
  [" 2.5 ", 2.5],
  ["-1.5", -1.5],
  ["−1.5", -1.5],
  ["1,5", 1.5],
  ["1e0", 1],
  ["0.013", 0.02],
  ["0.009", 0],
]) {
  test(`“${text}” moves to the nearest value without a message`, () => {
    enter(text);
    assert.equal(gains[at()], value);
    assert.deepEqual([slider.exact.value, slider.hint.textContent], [formatNumber(value, "2"), ""]);
  });
}

for (const text of ["1e-7", "0.0000001", "1.02e-7"]) {
  test(`“${text}” is accepted where powers of ten are shown`, () => {
    open([1e-8, 1e-7, 1e-6], 0, { form: "g3" });
    enter(text);
    assert.deepEqual([at(), slider.exact.value], [1, "1 × 10⁻⁷"]);
  });
}

for (const [text, position, said] of [
  ["99", 300, "gain goes from −3.00 to 3.00; 99 is out of range."],
  ["-99", 0, "gain goes from −3.00 to 3.00; −99 is out of range."],
  ["1e999", 300, "gain goes from −3.00 to 3.00; 1e999 is out of range."],
  ["-1e999", 0, "gain goes from −3.00 to 3.00; −1e999 is out of range."],
  ["", 200, ""],
  [" ", 200, ""],
  ["abc", 200, "“abc” is not a number: gain is unchanged."],
  ["nan", 200, "“nan” is not a number: gain is unchanged."],
  ["--1", 200, "“−-1” is not a number: gain is unchanged."],
  ["1.2.3", 200, "“1.2.3” is not a number: gain is unchanged."],
  ["٣", 200, "“٣” is not a number: gain is unchanged."],
  ["<b>2</b>", 200, "“<b>2</b>” is not a number: gain is unchanged."],
  ["9e".repeat(50), 200, `“${"9e".repeat(10)}…” is not a number: gain is unchanged.`],
]) {
  test(`“${text.slice(0, 10)}” gets a message until the slider moves`, () => {
    enter(text);
    assert.deepEqual([at(), slider.exact.value], [position, formatNumber(gains[position], "2")]);
    assert.equal(slider.hint.textContent, said);
    controller.set("gain", 3);
    pass(FRAME);
    assert.equal(slider.hint.textContent, "");
  });
}

test("the message disappears on typing or dragging", () => {
  enter("abc");
  type("2");
  assert.equal(slider.hint.textContent, "");
  enter("abc");
  move(200);
  assert.equal(slider.hint.textContent, "");
});

test("a moving figure does not change what is being typed", () => {
  type("2");
  slider.draw();
  assert.equal(slider.exact.value, "2");
  happen(slider.exact, "blur");
  assert.equal(slider.exact.value, "1.00");
});

for (const [what, values, time, times] of [
  ["of many positions takes six seconds, settles once", gains, 6000, 1],
  ["of few positions leaves time to read each, settles at each", whole(5), 6000, 5],
  ["of two positions is one of few, settles once", whole(1), 1200, 1],
]) {
  test(`playing ${what}, and stops at the end`, () => {
    const last = values.length - 1;
    open(values, 0);
    click(slider.playButton);
    assert.equal(slider.playButton.attributes["aria-label"], "Stop gain");
    const seen = Array.from({ length: 10 }, () => pass(time / 10) ?? at());
    assert.deepEqual(seen, Array.from({ length: 10 }, (_, i) => Math.floor(((i + 1) / 10) * last)));
    assert.equal(slider.playButton.attributes["aria-label"], "Play gain");
    pass(300);
    assert.deepEqual([slider.input.value, frames.size, settled], [String(last), 0, times]);
  });
}

test("playing starts at the present position, or from the end at the beginning", () => {
  click(slider.playButton);
  pass(60);
  assert.equal(at(), 203);
  open(gains, 300);
  click(slider.playButton);
  pass(FRAME);
  assert.equal(at(), 0);
});

test("the speed of playing can be changed", () => {
  open(gains, 0);
  click(slider.playButton);
  const seen = Array.from({ length: 5 }, () => {
    const before = at();
    pass(600);
    const moved = at() - before;
    const said = slider.speedButton.textContent;
    click(slider.speedButton);
    return [said, moved];
  });
  assert.deepEqual(seen, [["1×", 30], ["2×", 60], ["4×", 120], ["½×", 15], ["1×", 30]]);
  assert.equal(slider.speedButton.attributes["aria-label"], "2×, the speed of gain");
});

for (const [what, end, leads] of [
  ["its button", () => click(slider.playButton), (before) => before],
  ["an arrow key or a drag", () => move(3), () => 3],
  ["a page key", () => press("PageDown"), () => 0],
  ["a typed value", () => enter("-2"), () => gains.indexOf(-2)],
  ["a step back", () => click(slider.prevNext.back), (before) => before - 1],
  ["a step on", () => click(slider.prevNext.next), (before) => before + 1],
]) {
  test(`${what} stops playing`, () => {
    open(gains, 0, { walks: true });
    click(slider.playButton);
    pass(100);
    const before = at();
    end();
    pass(300);
    assert.deepEqual([at(), settled], [leads(before), 1]);
    pass(20_000);
    assert.deepEqual([at(), frames.size], [leads(before), 0]);
  });
}

test("nothing plays by default, nor after the slider is removed", () => {
  pass(20_000);
  assert.deepEqual([at(), frames.size], [200, 0]);
  click(slider.playButton);
  pass(60);
  slider.element.isConnected = false;
  pass(1000);
  assert.equal(frames.size, 0);
});

test("another payload changes the slider's range", () => {
  slider.update({ ...slider.spec, values: whole(8), labels: whole(8).map(String) });
  assert.equal(slider.input.max, "8");
});
