// Heat maps: one color per pixel, from a precomputed color table.

import { element } from "./dom.js";

/** @typedef {[number, number, number]} Color red, green and blue, from 0 to 255 */

/** Colors on either side of 0, enough that rounding changes no channel by more than one. */
const STEPS = 511;

/** Color table of the theme's diverging scale, or of one from page color to ink. */
export class ColorScale {
  /**
   * @param {(token: string) => string} color returns the theme color of a token
   * @param {boolean} [ink]
   */
  constructor(color, ink = false) {
    const [zero, low, high] = ["page", ink ? "page" : "cool", ink ? "ink" : "warm"].map((token) => channels(color(token)));
    const bytes = new Uint8ClampedArray(4 * (2 * STEPS + 1));
    for (let step = -STEPS; step <= STEPS; step += 1) {
      const end = step < 0 ? low : high;
      const share = Math.abs(step) / STEPS;
      bytes.set([...zero.map((channel, i) => channel + share * (end[i] - channel)), 255], 4 * (step + STEPS));
    }
    /** Four bytes per color, in the format of image data. */
    this.colors = new Uint32Array(bytes.buffer);
  }

  /**
   * Return the color of a value from -1 to 1; values beyond are clipped, NaN is transparent.
   * @param {number} share of the scale
   */
  at(share) {
    if (Number.isNaN(share)) return 0;
    return this.colors[Math.round(STEPS * Math.max(-1, Math.min(1, share))) + STEPS];
  }
}

/** A canvas with one pixel per value, enlarged by the style sheet. */
export class Pixels {
  /**
   * @param {Element} parent
   * @param {number} width
   * @param {number} height
   */
  constructor(parent, width, height) {
    this.canvas = parent.appendChild(element("canvas"));
    [this.canvas.width, this.canvas.height] = [width, height];
    this.pen = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    this.image = this.pen.createImageData(width, height);
    this.colors = new Uint32Array(this.image.data.buffer);
  }

  /**
   * @param {ColorScale} scale
   * @param {(pixel: number) => number} share returns a pixel's value from -1 to 1, row by row
   */
  paint(scale, share) {
    for (let i = 0; i < this.colors.length; i += 1) this.colors[i] = scale.at(share(i));
    this.pen.putImageData(this.image, 0, 0);
  }
}

/**
 * Parse the channels of a computed color.
 * @param {string} color
 * @returns {Color}
 */
function channels(color) {
  const [red, green, blue] = (color.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}
