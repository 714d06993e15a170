// Entry script of a page in a single file: payloads and scripts are inline, since a page on disk cannot fetch.

import { mount } from "../engine/mount.js";
import { applyTheme } from "./embedding.js";

/** Return the text of an element. @param {string} id */
function textOf(id) {
  return document.getElementById(id)?.textContent ?? "";
}

applyTheme();

const assets = { style: "", plotly: URL.createObjectURL(new Blob([textOf("plotly")], { type: "text/javascript" })) };
for (const place of document.querySelectorAll("[data-payload]")) {
  if (!(place instanceof HTMLElement)) continue;
  const payload = JSON.parse(textOf(place.dataset.payload ?? ""));
  mount(place, { name: payload.title, load: async () => payload, parameters: [], linked: false, assets });
}
