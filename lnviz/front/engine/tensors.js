// Swept tensors: decoded once, then only looked up.

/** The integer that stands for NaN. */
const MISSING = -(2 ** 31);

/**
 * @typedef {object} Tensor
 * @property {string[]} over names of the controls that lead, in order
 * @property {number[]} shape positions of each leading control, then the rest
 * @property {number[]} strides elements between two positions, one for each leading control
 * @property {number} count elements of one slice
 * @property {Int32Array | Float32Array} array all values
 * @property {number} unit what an integer is divided by
 * @property {string[]} words what the values stand for, by number; empty where they are numbers themselves
 */

/**
 * @param {string} base64
 * @returns {Promise<Uint8Array>}
 */
async function inflate(base64) {
  const packed = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * @param {import("./payload").TensorDocument} spec
 * @returns {Promise<Tensor>}
 */
export async function decode(spec) {
  const planes = await inflate(spec.data);
  const size = spec.shape.reduce((product, length) => product * length, 1);
  if (planes.length !== size * 4) throw new Error(`${size} numbers take ${size * 4} bytes, not ${planes.length}`);
  const bytes = new Uint8Array(size * 4);
  for (let plane = 0; plane < 4; plane += 1) {
    for (let i = 0; i < size; i += 1) bytes[i * 4 + plane] = planes[plane * size + i];
  }
  const stored = spec.decimals === null ? new Float32Array(bytes.buffer) : new Int32Array(bytes.buffer);
  const stride = (/** @type {number} */ axis) => spec.shape.slice(axis + 1).reduce((product, length) => product * length, 1);
  const axis = spec.difference;
  return {
    over: spec.over,
    shape: spec.shape,
    strides: spec.over.map((_, position) => stride(position)),
    count: stride(spec.over.length - 1),
    array: axis === null ? stored : integrate(stored, spec.shape[axis], stride(axis)),
    unit: spec.decimals === null ? 1 : 10 ** spec.decimals,
    words: spec.words,
  };
}

/**
 * Sums differences along an axis that was moved to the end, and moves it back.
 * @param {ArrayLike<number>} differences
 * @param {number} length of the axis
 * @param {number} stride of the axis
 */
function integrate(differences, length, stride) {
  const array = new Int32Array(differences.length);
  let read = 0;
  for (let block = 0; block < array.length; block += length * stride) {
    for (let place = block; place < block + stride; place += 1) {
      let sum = 0;
      for (let step = 0; step < length; step += 1) {
        sum = (sum + differences[read]) | 0;
        read += 1;
        array[place + step * stride] = sum;
      }
    }
  }
  return array;
}

/**
 * Where a slice begins.
 * @param {Tensor} tensor
 * @param {Record<string, number>} positions
 * @param {string} [free] a control that the slice runs along
 */
export function offset(tensor, positions, free) {
  let start = 0;
  for (let axis = 0; axis < tensor.over.length; axis += 1) {
    const name = tensor.over[axis];
    if (name !== free) start += positions[name] * tensor.strides[axis];
  }
  return start;
}

/**
 * @param {Tensor} tensor
 * @param {number} index
 * @returns {number}
 */
export function valueAt(tensor, index) {
  const stored = tensor.array[index];
  if (tensor.array instanceof Float32Array) return stored;
  return stored === MISSING ? NaN : stored / tensor.unit;
}

/**
 * A slice as numbers, for a chart: what is left over, or the values along a control.
 * @param {Tensor} tensor
 * @param {Record<string, number>} positions
 * @param {string} along the control, or ""
 */
export function slice(tensor, positions, along) {
  const start = offset(tensor, positions, along);
  const axis = tensor.over.indexOf(along);
  const [length, stride] = axis < 0 ? [tensor.count, 1] : [tensor.shape[axis], tensor.strides[axis]];
  return Array.from({ length }, (_, i) => valueAt(tensor, start + i * stride));
}
