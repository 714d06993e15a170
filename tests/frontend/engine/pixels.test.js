import assert from "node:assert/strict";
import test from "node:test";

import { Pixels, ColorScale } from "../../../lnviz/frontend/engine/pixels.js";

const THEME = { page: "rgb(255, 255, 255)", ink: "rgb(0, 0, 0)", warm: "rgb(255, 100, 0)", cool: "rgb(0, 100, 255)" };
const color = (token) => THEME[token];
const bytes = (scale, share) => [...new Uint8Array(Uint32Array.of(scale.at(share)).buffer)];

test("the color scale goes from one end over the page's color to the other, and is clipped", () => {
  const scale = new ColorScale(color);
  assert.deepEqual([-7, -1, 0, 1, 7].map((share) => bytes(scale, share)), [
    [0, 100, 255, 255],
    [0, 100, 255, 255],
    [255, 255, 255, 255],
    [255, 100, 0, 255],
    [255, 100, 0, 255],
  ]);
});

test("every color differs from the exact one by at most one per channel", () => {
  const ink = new ColorScale(color, true);
  for (let share = 0; share <= 1; share += 0.0007) assert.ok(Math.abs(bytes(ink, share)[0] - 255 * (1 - share)) <= 1);
  assert.equal(bytes(ink, -0.5)[0], 255);
});

test("NaN is transparent, and each pixel has its value's color", () => {
  let put;
  const pen = {
    createImageData: (width, height) => ({ data: new Uint8ClampedArray(4 * width * height) }),
    putImageData: (image) => (put = [...image.data]),
  };
  globalThis.document = { createElement: () => ({ getContext: () => pen }) };
  const pixels = new Pixels({ appendChild: (node) => node }, 2, 1);
  pixels.paint(new ColorScale(color), (pixel) => [NaN, 1][pixel]);
  assert.deepEqual(put, [0, 0, 0, 0, 255, 100, 0, 255]);
});
