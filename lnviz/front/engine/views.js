// The kinds of views that a figure can have.

import { Chart } from "./chart.js";
import { Cube } from "./cube.js";
import { Diagram } from "./diagram.js";
import { Grid } from "./grid.js";
import { Photos } from "./photos.js";
import { Pictures } from "./pictures.js";
import { Readout } from "./readout.js";
import { Scene } from "./scene.js";

/** @typedef {Grid | Cube | Diagram | Scene | Chart | Photos | Pictures | Readout} View */

/**
 * @param {import("./payload").View} spec
 * @param {import("./figure.js").Figure} figure
 * @returns {View}
 */
export function viewOf(spec, figure) {
  if (spec.kind === "grid") return new Grid(spec, figure);
  if (spec.kind === "cube") return new Cube(spec, figure);
  if (spec.kind === "diagram") return new Diagram(spec, figure);
  if (spec.kind === "scene") return new Scene(spec, figure);
  if (spec.kind === "photos") return new Photos(spec, figure);
  if (spec.kind === "pictures") return new Pictures(spec, figure);
  return spec.kind === "chart" ? new Chart(spec, figure) : new Readout(spec, figure);
}
