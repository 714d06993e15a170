// Swept tensors: decoded once, then only looked up.

/** Integer arrays by bytes per element. */
const INTEGERS = { 1: Int8Array, 2: Int16Array, 4: Int32Array };

/**
 * @typedef {object} Tensor
 * @property {string[]} over names of the leading controls, in order
 * @property {number[]} shape positions of each leading control, then the remaining dimensions
 * @property {number[]} strides elements between two positions, for each leading control
 * @property {number} count elements of one slice
 * @property {Int8Array | Int16Array | Int32Array | Float32Array} array all values
 * @property {number} missing the integer that stands for NaN
 * @property {number} unit divisor of the integers
 * @property {string[]} words texts by value, where values are indices into them; else empty
 */

/**
 * Decompress base64 data.
 * @param {string} base64
 * @returns {Promise<Uint8Array>}
 */
async function inflate(base64) {
  const packed = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * Decode a tensor of a payload.
 * @param {import("./payload").TensorDocument} spec
 * @returns {Promise<Tensor>}
 */
export async function decode(spec) {
  const planes = await inflate(spec.data);
  const size = spec.shape.reduce((product, length) => product * length, 1);
  const width = spec.bytes;
  if (planes.length !== size * width) throw new Error(`${size} numbers take ${size * width} bytes, not ${planes.length}`);
  const bytes = new Uint8Array(size * width);
  for (let plane = 0; plane < width; plane += 1) {
    for (let i = 0; i < size; i += 1) bytes[i * width + plane] = planes[plane * size + i];
  }
  const isWhole = spec.decimals !== null;
  const stored = isWhole ? new INTEGERS[width](bytes.buffer) : new Float32Array(bytes.buffer);
  const stride = (/** @type {number} */ axis) => spec.shape.slice(axis + 1).reduce((product, length) => product * length, 1);
  const axis = spec.difference;
  return {
    over: spec.over,
    shape: spec.shape,
    strides: spec.over.map((_, position) => stride(position)),
    count: stride(spec.over.length - 1),
    array: axis === null ? stored : integrate(stored, spec.shape[axis], stride(axis)),
    missing: isWhole ? -(2 ** (8 * width - 1)) : NaN,
    unit: spec.decimals === null ? 1 : 10 ** spec.decimals,
    words: spec.words,
  };
}

/**
 * Integrate differences along an axis that was moved to the end, and move it back.
 * @template {Tensor["array"]} Stored
 * @param {Stored} differences
 * @param {number} length of the axis
 * @param {number} stride of the axis
 * @returns {Stored}
 */
function integrate(differences, length, stride) {
  const array = differences.slice();
  // Sums wrap around at the largest integer, as the differences did.
  const beyond = 32 - 8 * differences.BYTES_PER_ELEMENT;
  let read = 0;
  for (let block = 0; block < array.length; block += length * stride) {
    for (let index = block; index < block + stride; index += 1) {
      let sum = 0;
      for (let step = 0; step < length; step += 1) {
        sum = ((sum + differences[read]) << beyond) >> beyond;
        read += 1;
        array[index + step * stride] = sum;
      }
    }
  }
  return /** @type {Stored} */ (array);
}

/**
 * Return the index at which a slice begins.
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
 * Return a tensor's value at an index.
 * @param {Tensor} tensor
 * @param {number} index
 * @returns {number}
 */
export function valueAt(tensor, index) {
  const stored = tensor.array[index];
  return stored === tensor.missing ? NaN : stored / tensor.unit;
}

/**
 * Return a slice as numbers: the remaining dimensions, or the values along a control.
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
