// Figure options that connect a figure with its server.

import { httpLoader, httpUploader } from "../engine/http.js";
import { JobsPanel } from "../lab/jobs.js";
import { httpTrainer } from "../lab/trainer.js";

/**
 * Return the options of a figure.
 * @param {string} source URL of its payload; ends in ".json"
 */
export function serverOptions(source) {
  /** @type {(host: import("../engine/figure.js").FigureHost) => JobsPanel} */
  const jobs = (host) => new JobsPanel(httpTrainer(source), host);
  return { load: httpLoader(source), send: httpUploader(source), jobs };
}
