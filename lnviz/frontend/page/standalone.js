// Entry script of a figure's own page.

import { mount } from "../engine/mount.js";
import { applyTheme, postHeight } from "./embedding.js";
import { serverOptions } from "./server.js";

applyTheme();
postHeight();

const place = document.getElementById("explorable");
if (!place) throw new Error("the page has no place for its figure");
const { source = "", parameters = "" } = place.dataset;
const server = serverOptions(source);

/**
 * Load the figure, and set the page's title.
 * @type {import("../engine/loading.js").LoadPayload} sets the page's title to the figure's
 */
async function load(requested, options) {
  const payload = await server.load(requested, options);
  document.title = `${payload.title} - lnviz`;
  document.querySelector("h1")?.replaceChildren(payload.title);
  return payload;
}

mount(place, { name: source, ...server, load, parameters: parameters.split(" ").filter(Boolean) });
