// What lies beside the page as scripts, payloads above all: from a disk, browsers fetch nothing else.

import { element } from "../engine/dom.js";
import { UserFacingError } from "../engine/loading.js";

/** @typedef {{name: string, label: string, start: string, values: string[]}} StoredParameter a parameter and what it can be here */
/**
 * What there is of a figure: by the values of its parameters, in their order, the address of the payload, or why
 * there is none and what is nearest.
 * @typedef {object} PayloadInventory
 * @property {StoredParameter[]} parameters
 * @property {Record<string, string | {detail: string, nearest: Record<string, string>}>} files
 */

/** The folder of the export: this script is in its `assets/export/`. */
const ROOT = new URL("../../", import.meta.url).href;

/** What the scripts have brought, by their addresses. @type {Map<string, any>} */
const received = new Map();

/** Called by each script. */
Reflect.set(window, "lnvizBrings", (/** @type {string} */ address, /** @type {unknown} */ content) => received.set(address, content));

/**
 * The loader of a figure of which this is there.
 * @param {PayloadInventory} stock
 * @returns {import("../engine/loading.js").LoadPayload}
 */
export function fileLoader({ parameters, files }) {
  return async (asked) => {
    const unknown = parameters.find(({ name, values }) => name in asked && !values.includes(asked[name]));
    if (unknown) {
      const { name, label, start } = unknown;
      throw new UserFacingError(`These files do not hold the value of “${label}” that the link names.`, { ...asked, [name]: start }, true);
    }
    const found = files[parameters.map(({ name, start }) => asked[name] ?? start).join(" ")];
    if (typeof found === "object") throw new UserFacingError(found.detail, found.nearest);
    return loadScript(found);
  };
}

/**
 * What a script beside the page brings: a payload, or what else is too much for the page itself.
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
      else reject(new UserFacingError(`The file ${address} is missing or broken: what it holds cannot be shown.`));
    };
    script.onload = script.onerror = end;
    script.src = ROOT + address;
    document.head.append(script);
  });
}
