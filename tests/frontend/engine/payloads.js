// A payload with a slider, a choice and a pointer, and tensors over them.

import { deflateSync } from "node:zlib";

const control = (name, kind, values, start, more = {}) => ({
  name,
  slug: name,
  kind,
  values,
  labels: values.map(String),
  codes: values.map(String),
  start,
  when: {},
  ...more,
});

export const GAIN = control("gain", "slider", [-1, 0, 1, 2], 2, { walks: false });
export const NORM = control("norm", "choice", ["batch", "layer"], 0, { colors: ["batch", "layer"] });
export const CELL = control("cell", "pointer", [], 0, {
  rows: ["1", "2"],
  columns: ["a", "b", "c"],
  labels: ["1a", "1b", "1c", "2a", "2b", "2c"],
});
export const PAYLOAD = {
  title: "t",
  controls: [GAIN, NORM, CELL],
  parameters: [{ name: "seed", kind: "whole", value: 3, start: 0 }],
  tensors: {},
  views: [],
  code: "x = «gain»  # «norm»",
  color: "norm",
  edits: null,
};

/** Encode a tensor as Python does: byte planes, compressed, in base64. */
export function packed(array, spec) {
  const [bytes, width] = [new Uint8Array(array.buffer), array.BYTES_PER_ELEMENT];
  const size = array.length;
  const planes = Uint8Array.from({ length: width * size }, (_, i) => bytes[(i % size) * width + Math.floor(i / size)]);
  return { decimals: null, bytes: width, difference: null, words: [], ...spec, data: deflateSync(planes).toString("base64") };
}
