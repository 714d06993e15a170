// Loads payloads and data from script files beside the page: browsers do not fetch from disk.

import { element } from "../engine/dom.js";
import { UserFacingError } from "../engine/loading.js";

/**
 * @typedef {{name: string, label: string, start: string, values: string[]}} StoredParameter a parameter and its
 * exported values
 */
/**
 * The exported payloads of a figure: by parameter values in order, the file, or why there is none and the nearest ones.
 * @typedef {object} PayloadInventory
 * @property {StoredParameter[]} parameters
 * @property {Record<string, string | {detail: string, nearest: Record<string, string>}>} files
 */

/** Root of the export: this script is in its `assets/export/`. */
export const ROOT = new URL("../../", import.meta.url).href;

/** Contents of loaded script files, by address. @type {Map<string, any>} */
const received = new Map();

/** Called by each script file. */
Reflect.set(window, "lnvizBrings", (/** @type {string} */ address, /** @type {unknown} */ content) => received.set(address, content));

/**
 * Return the loader of an exported figure.
 * @param {PayloadInventory} inventory
 * @returns {import("../engine/loading.js").LoadPayload}
 */
export function fileLoader({ parameters, files }) {
  return async (requested) => {
    const unknown = parameters.find(({ name, values }) => name in requested && !values.includes(requested[name]));
    if (unknown) {
      const { name, label, start } = unknown;
      throw new UserFacingError(`These files do not include the value of “${label}” in the link.`, { ...requested, [name]: start }, true);
    }
    const found = files[parameters.map(({ name, start }) => requested[name] ?? start).join(" ")];
    if (typeof found === "object") throw new UserFacingError(found.detail, found.nearest);
    return loadScript(found);
  };
}

/**
 * Load the content of a script file.
 * @param {string} address
 * @returns {Promise<any>}
 */
export function loadScript(address) {
  return new Promise((resolve, reject) => {
    const script = element("script");
    const end = () => {
      script.remove();
      const content = received.get(address);
      received.delete(address);
      if (content) resolve(content);
      else reject(new UserFacingError(`The file ${address} is missing or damaged, so its contents can’t be shown.`));
    };
    script.onload = script.onerror = end;
    script.src = ROOT + address;
    document.head.append(script);
  });
}
