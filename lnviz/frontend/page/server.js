// What a figure asks of its server.

import { httpLoader, httpUploader } from "../engine/http.js";
import { JobsPanel } from "../lab/jobs.js";
import { httpTrainer } from "../lab/trainer.js";

/**
 * @param {string} source the address of its payloads; ends in ".json"
 */
export function serverOptions(source) {
  /** @type {(host: import("../engine/figure.js").FigureHost) => JobsPanel} */
  const jobs = (host) => new JobsPanel(httpTrainer(source), host);
  return { load: httpLoader(source), send: httpUploader(source), jobs };
}
