// What a figure asks of its server.

import { httpLoader, httpUploader } from "../engine/http.js";
import { Jobs } from "../lab/jobs.js";
import { trainerOverHttp } from "../lab/trainer.js";

/**
 * @param {string} source the address of its payloads; ends in ".json"
 */
export function fromServer(source) {
  /** @type {(shower: import("../engine/figure.js").FigureHost) => Jobs} */
  const jobs = (shower) => new Jobs(trainerOverHttp(source), shower);
  return { load: httpLoader(source), send: httpUploader(source), jobs };
}
