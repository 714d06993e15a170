import assert from "node:assert/strict";
import test from "node:test";

import { decode, offset, slice, valueAt } from "../../../lnviz/frontend/engine/tensors.js";
import { packed } from "./payloads.js";

const floats = packed(Float32Array.from({ length: 12 }, (_, i) => i / 2), { over: ["gain", "norm"], shape: [3, 2, 2] });

test("floats are decoded exactly", async () => {
  const tensor = await decode(floats);
  assert.deepEqual([tensor.count, tensor.strides], [2, [4, 2]]);
  assert.equal(valueAt(tensor, 3), 1.5);
});

test("fixed-point numbers are integers, with the lowest one for NaN", async () => {
  const tensor = await decode(packed(Int32Array.of(125, -(2 ** 31)), { over: [], shape: [2], decimals: 2 }));
  assert.deepEqual(slice(tensor, {}, ""), [1.25, NaN]);
});

test("small integers take one or two bytes, with the lowest one for NaN", async () => {
  const decoded = async (array) => slice(await decode(packed(array, { over: [], shape: [3], decimals: 1 })), {}, "");
  assert.deepEqual(await decoded(Int8Array.of(-127, 5, -128)), [-12.7, 0.5, NaN]);
  assert.deepEqual(await decoded(Int16Array.of(-128, 300, -(2 ** 15))), [-12.8, 30, NaN]);
});

test("integrated differences wrap around at the largest integer", async () => {
  const spec = { over: ["gain"], shape: [3], decimals: 0, difference: 0 };
  // -100, then 100, then -100 again.
  const tensor = await decode(packed(Int8Array.of(-100, 200 - 256, 56), spec));
  assert.deepEqual(slice(tensor, {}, "gain"), [-100, 100, -100]);
});

test("differences are integrated along their axis, which is moved back", async () => {
  // Over two positions by three values, sent along the first axis: (1, +1), (2, +0), (3, -3).
  const spec = { over: ["gain"], shape: [2, 3], decimals: 0, difference: 0 };
  const tensor = await decode(packed(Int32Array.of(1, 1, 2, 0, 3, -3), spec));
  assert.deepEqual([slice(tensor, { gain: 0 }, ""), slice(tensor, { gain: 1 }, "")], [[1, 2, 3], [2, 2, 0]]);
});

test("a slice has the remaining dimensions, or runs along a control", async () => {
  const tensor = await decode(floats);
  assert.equal(offset(tensor, { gain: 2, norm: 1 }), 10);
  assert.deepEqual(slice(tensor, { gain: 2, norm: 1 }, ""), [5, 5.5]);
  assert.deepEqual(slice(tensor, { gain: 2, norm: 1 }, "gain"), [1, 3, 5]);
});

test("too few bytes are an error", async () => {
  await assert.rejects(decode({ ...floats, shape: [3, 2, 3] }), /18 numbers take 72 bytes, not 48/);
});
