// Color photos whose channels are scaled and shifted as controls move.

import { element } from "./dom.js";
import { slice } from "./tensors.js";
import { Template, plainText } from "./text.js";

const CHANNELS = 3;

/** View of color photos. */
export class Photos {
  /**
   * @param {import("./payload").PhotoGallery} spec
   * @param {import("./controller.js").FigureController} controller
   */
  constructor(spec, controller) {
    this.spec = spec;
    this.controller = controller;
    const tensor = controller.state.tensors[spec.values];
    const [height, width] = tensor.shape.slice(-2);
    this.values = slice(tensor, controller.state.positions, "");
    this.element = element("figure", "pictures");
    this.templates = [new Template(this.element.appendChild(element("figcaption")), spec.title, controller)];
    this.sheet = this.element.appendChild(element("div", "sheet photos"));
    this.sheet.setAttribute("role", "img");
    this.sheet.style.setProperty("--columns", String(spec.labels.length));
    this.canvases = spec.labels.map(() => {
      const canvas = this.sheet.appendChild(element("canvas"));
      [canvas.width, canvas.height] = [width, height];
      return canvas;
    });
    for (const label of spec.labels) this.templates.push(new Template(this.sheet.appendChild(element("span")), label, controller));
    /** Key of what each canvas shows. */
    this.painted = this.canvases.map(() => "");
  }

  draw() {
    for (const template of this.templates) template.draw();
    const { spec, controller } = this;
    this.sheet.setAttribute("aria-label", plainText(spec.alt, controller));
    const { tensors, positions } = controller.state;
    const scale = slice(tensors[spec.scale], positions, "");
    const shift = slice(tensors[spec.shift], positions, "");
    this.canvases.forEach((canvas, i) => {
      const [first, last] = [i * CHANNELS, (i + 1) * CHANNELS];
      this.paint(canvas, i, scale.slice(first, last), shift.slice(first, last));
    });
  }

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {number} index
   * @param {number[]} scale factor of each channel
   * @param {number[]} shift offset of each channel
   */
  paint(canvas, index, scale, shift) {
    const key = `${scale} ${shift}`;
    if (key === this.painted[index]) return;
    this.painted[index] = key;
    const size = canvas.width * canvas.height;
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    const image = pen.createImageData(canvas.width, canvas.height);
    for (let channel = 0; channel < CHANNELS; channel += 1) {
      const start = (index * CHANNELS + channel) * size;
      const [factor, added] = [255 * scale[channel], 255 * shift[channel]];
      for (let i = 0; i < size; i += 1) image.data[4 * i + channel] = factor * this.values[start + i] + added;
    }
    for (let i = 0; i < size; i += 1) image.data[4 * i + 3] = 255;
    pen.putImageData(image, 0, 0);
  }
}
