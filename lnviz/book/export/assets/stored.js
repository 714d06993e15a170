// Payloads that lie beside the page as scripts: from a disk, browsers fetch nothing else.

import { element } from "../../../explorable/assets/dom.js";
import { Refusal } from "../../../explorable/assets/loading.js";

/** @typedef {import("../../../explorable/assets/payload").Payload} Payload */
/** @typedef {{name: string, label: string, start: string, values: string[]}} Known a parameter and what it can be here */
/**
 * What there is of a figure: by the values of its parameters, in their order, the address of the payload, or why
 * there is none and what is nearest.
 * @typedef {object} Stock
 * @property {Known[]} parameters
 * @property {Record<string, string | {detail: string, nearest: Record<string, string>}>} files
 */

/** What the scripts have brought, by their addresses. @type {Map<string, Payload>} */
const brought = new Map();

/** Called by each script. */
Reflect.set(window, "lnvizPayload", (/** @type {string} */ address, /** @type {Payload} */ payload) => brought.set(address, payload));

/**
 * The loader of a figure of which this is there.
 * @param {Stock} stock
 * @returns {import("../../../explorable/assets/loading.js").Load}
 */
export function fromFiles({ parameters, files }) {
  return async (asked) => {
    const foreign = parameters.find(({ name, values }) => name in asked && !values.includes(asked[name]));
    if (foreign) {
      const { name, label, start } = foreign;
      throw new Refusal(`These files do not hold the value of “${label}” that the link names.`, { ...asked, [name]: start }, true);
    }
    const found = files[parameters.map(({ name, start }) => asked[name] ?? start).join(" ")];
    if (typeof found === "object") throw new Refusal(found.detail, found.nearest);
    return bring(found);
  };
}

/**
 * @param {string} address
 * @returns {Promise<Payload>}
 */
function bring(address) {
  return new Promise((resolve, reject) => {
    const script = element("script");
    const end = () => {
      script.remove();
      const payload = brought.get(address);
      brought.delete(address);
      if (payload) resolve(payload);
      else reject(new Refusal(`The file ${address}, which holds this figure, is missing or broken.`));
    };
    script.onload = script.onerror = end;
    script.src = address;
    document.head.append(script);
  });
}
