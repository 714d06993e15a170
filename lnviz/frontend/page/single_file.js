// A page that holds its figures and all that they need: from a disk, a browser fetches nothing.

import { mount } from "../engine/mount.js";
import { applyTheme } from "./embedding.js";

/** What an element of the page holds as text. @param {string} id */
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
