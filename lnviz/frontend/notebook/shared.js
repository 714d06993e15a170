// A figure of a notebook whose figures share their scripts: they are kept once, in widgets that the figures name.

/** @typedef {{get: (name: string) => any, widget_manager: {get_model: (id: string) => Promise<Model>}}} Model */

const REFERENCE = /^IPY_MODEL_/;

/** URLs of the shared scripts, by id of their widget: each figure loads this script anew. @type {Map<string, Promise<string>>} */
const urls = Reflect.get(globalThis, "lnvizScripts") ?? new Map();
Reflect.set(globalThis, "lnvizScripts", urls);

/**
 * Return the URL of a script that a figure shares with others; "" if it needs none.
 * @param {Model} model
 * @param {string} name of the trait
 */
async function sharedUrl(model, name) {
  const id = (model.get(name) ?? "").replace(REFERENCE, "");
  if (!id) return "";
  const load = async () => {
    const shared = await model.widget_manager.get_model(id);
    return URL.createObjectURL(new Blob([shared.get("text")], { type: "text/javascript" }));
  };
  if (!urls.has(id)) urls.set(id, load());
  return /** @type {Promise<string>} */ (urls.get(id));
}

/**
 * Render the widget; return its cleanup. Called by anywidget.
 * @param {{model: Model, el: HTMLElement}} widget
 */
export async function render({ model, el }) {
  const [scripts, plotly] = await Promise.all([sharedUrl(model, "scripts"), sharedUrl(model, "plotly")]);
  const { renderFigure, style } = await import(scripts);
  return renderFigure(el, model.get("payload"), plotly, style);
}
