// What a figure asks of its server.

import { overHttp, sendOverHttp } from "../engine/http.js";
import { trainerOverHttp } from "../lab/trainer.js";

/**
 * @param {string} source the address of its payloads; ends in ".json"
 */
export function fromServer(source) {
  return { load: overHttp(source), send: sendOverHttp(source), trainer: trainerOverHttp(source) };
}
