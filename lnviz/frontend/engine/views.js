// The kinds of views, and their factory.

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
 * Create the view of a specification.
 * @param {import("./payload").View} spec
 * @param {import("./controller.js").FigureController} controller
 * @param {import("./figure_layout.js").ViewContext} context
 * @returns {View}
 */
export function createView(spec, controller, context) {
  if (spec.kind === "grid") return new Grid(spec, controller);
  if (spec.kind === "cube") return new Cube(spec, controller);
  if (spec.kind === "diagram") return new Diagram(spec, controller);
  if (spec.kind === "scene") return new Scene(spec, controller);
  if (spec.kind === "photos") return new Photos(spec, controller);
  if (spec.kind === "pictures") return new Pictures(spec, controller, context);
  if (spec.kind === "plane") return new Plane(spec, controller, context);
  if (spec.kind === "units") return new Units(spec, controller, context);
  return spec.kind === "chart" ? new Chart(spec, controller, context) : new Readout(spec, controller);
}
