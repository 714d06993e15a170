// Figures in notebooks: payload and scripts come with the widget, there is no server, and the URL is the notebook's.

import { mount, unmount } from "../engine/mount.js";

/** @typedef {{get: (name: string) => any}} Model the widget's traits */

/** URL of the Plotly script, for a widget that brings its own. */
let plotly = "";

/**
 * Render a widget that brings its scripts; return its cleanup. Called by anywidget.
 * @param {{model: Model, el: HTMLElement}} widget
 */
export function render({ model, el }) {
  const library = model.get("plotly");
  if (library) plotly ||= URL.createObjectURL(new Blob([library], { type: "text/javascript" }));
  return renderFigure(el, model.get("payload"), plotly);
}

/**
 * Show a figure; return its cleanup.
 * @param {HTMLElement} el
 * @param {import("../engine/payload").Payload} payload
 * @param {string} plotly URL of the Plotly script; "" without charts
 * @param {string} [style] style sheet to add to the document
 */
export function renderFigure(el, payload, plotly, style = "") {
  if (style && !document.getElementById(STYLE)) {
    const sheet = document.head.appendChild(document.createElement("style"));
    sheet.id = STYLE;
    sheet.textContent = style;
  }
  el.addEventListener("focusin", suppressShortcuts);
  mount(el, { name: payload.title, load: async () => payload, parameters: [], linked: false, assets: { style: "", plotly } });
  return () => {
    el.removeEventListener("focusin", suppressShortcuts);
    unmount(el);
  };
}

const STYLE = "lnviz-style";

/**
 * Keep keys of the focused element, such as a slider's arrows, from triggering Jupyter shortcuts.
 * @param {Event} event
 */
function suppressShortcuts({ target }) {
  if (target instanceof HTMLElement || target instanceof SVGElement) target.dataset.lmSuppressShortcuts = "true";
}
