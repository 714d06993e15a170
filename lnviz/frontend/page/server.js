// What a figure asks of its server.

import { overHttp, sendOverHttp } from "../engine/http.js";
import { Jobs } from "../lab/jobs.js";
import { trainerOverHttp } from "../lab/trainer.js";

/**
 * @param {string} source the address of its payloads; ends in ".json"
 */
export function fromServer(source) {
  /** @type {(shower: import("../engine/figure.js").Shower) => Jobs} */
  const jobs = (shower) => new Jobs(trainerOverHttp(source), shower);
  return { load: overHttp(source), send: sendOverHttp(source), jobs };
}
