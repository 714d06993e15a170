// A figure in a notebook. What it needs has come with it: there is no server to ask, and the address is the notebook's.

import { mount, unmount } from "../engine/mount.js";

/** @typedef {{get: (name: string) => any}} Model what Python has given */

/** The address of Plotly, which figures with a chart bring: one for all that share these scripts. */
let plotly = "";

/**
 * Called by the notebook; what it returns, when the figure goes.
 * @param {{model: Model, el: HTMLElement}} place
 */
export function render({ model, el }) {
  const payload = model.get("payload");
  const library = model.get("plotly");
  if (library) plotly ||= URL.createObjectURL(new Blob([library], { type: "text/javascript" }));
  el.addEventListener("focusin", suppressShortcuts);
  mount(el, { name: payload.title, load: async () => payload, parameters: [], linked: false, assets: { style: "", plotly } });
  return () => {
    el.removeEventListener("focusin", suppressShortcuts);
    unmount(el);
  };
}

/** The keys of what has the focus, a slider's arrows say, are no shortcuts of Jupyter's. @param {Event} event */
function suppressShortcuts({ target }) {
  if (target instanceof HTMLElement || target instanceof SVGElement) target.dataset.lmSuppressShortcuts = "true";
}
