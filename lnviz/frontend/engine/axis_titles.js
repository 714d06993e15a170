// Titles of axes: in as many words as the axis has room for.

/** @typedef {{size: number, family: string}} Font */
/** @typedef {(text: string, font: Font) => number} Measure returns a text's width in pixels */

/** @type {CanvasRenderingContext2D | null} */
let canvas = null;

/** @type {Measure} */
function measure(text, { size, family }) {
  canvas ??= document.createElement("canvas").getContext("2d");
  if (!canvas) return 0;
  canvas.font = `${size}px ${family}`;
  return canvas.measureText(text).width;
}

/**
 * Return an axis title that fits: the whole one, the same in two lines, or its part before the comma, without the unit.
 * @param {string} title may have line breaks, as <br>
 * @param {number} length of the axis, in pixels
 * @param {Font} font
 * @param {Measure} [width]
 */
export function fittingTitle(title, length, font, width = measure) {
  const widest = (/** @type {string} */ text) => Math.max(...text.split("<br>").map((line) => width(line, font)));
  const words = title.split(" ");
  const inTwo = words.slice(1).map((_, i) => `${words.slice(0, i + 1).join(" ")}<br>${words.slice(i + 1).join(" ")}`);
  const balanced = title.includes("<br>") ? [] : inTwo.toSorted((one, other) => widest(one) - widest(other)).slice(0, 1);
  const [quantity] = title.split(/,|<br>/);
  return [title, ...balanced].find((text) => widest(text) <= length) ?? quantity;
}
