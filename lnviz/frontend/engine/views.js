// The kinds of views that a figure can have.

import { Chart } from "./chart.js";
import { Cube } from "./cube.js";
import { Diagram } from "./diagram.js";
import { Grid } from "./grid.js";
import { Photos } from "./photos.js";
import { Pictures } from "./pictures.js";
import { Plane } from "./plane.js";
import { Readout } from "./readout.js";
import { Scene } from "./scene.js";
import { Units } from "./units.js";

/** @typedef {Grid | Cube | Diagram | Scene | Chart | Photos | Pictures | Plane | Units | Readout} View */

/**
 * @param {import("./payload").View} spec
 * @param {import("./controller.js").Hand} hand
 * @param {import("./drawing.js").Look} look
 * @returns {View}
 */
export function viewOf(spec, hand, look) {
  if (spec.kind === "grid") return new Grid(spec, hand);
  if (spec.kind === "cube") return new Cube(spec, hand);
  if (spec.kind === "diagram") return new Diagram(spec, hand);
  if (spec.kind === "scene") return new Scene(spec, hand);
  if (spec.kind === "photos") return new Photos(spec, hand);
  if (spec.kind === "pictures") return new Pictures(spec, hand, look);
  if (spec.kind === "plane") return new Plane(spec, hand, look);
  if (spec.kind === "units") return new Units(spec, hand, look);
  return spec.kind === "chart" ? new Chart(spec, hand, look) : new Readout(spec, hand);
}
