// Figures in notebooks: payload and scripts come with the widget, there is no server, and the URL is the notebook's.

import { mount, unmount } from "../engine/mount.js";

/** @typedef {{get: (name: string) => any}} Model the widget's traits */

/** URL of the Plotly script, shared by all figures of the notebook. */
let plotly = "";

/**
 * Render the widget; return its cleanup. Called by anywidget.
 * @param {{model: Model, el: HTMLElement}} widget
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

/**
 * Keep keys of the focused element, such as a slider's arrows, from triggering Jupyter shortcuts.
 * @param {Event} event
 */
function suppressShortcuts({ target }) {
  if (target instanceof HTMLElement || target instanceof SVGElement) target.dataset.lmSuppressShortcuts = "true";
}
