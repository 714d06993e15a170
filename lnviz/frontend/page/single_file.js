// A page that holds its figures and all that they need: from a disk, a browser fetches nothing.

import { mount } from "../engine/mount.js";
import { dress } from "./embedding.js";

/** What an element of the page holds as text. @param {string} id */
function held(id) {
  return document.getElementById(id)?.textContent ?? "";
}

dress();

const assets = { style: "", plotly: URL.createObjectURL(new Blob([held("plotly")], { type: "text/javascript" })) };
for (const place of document.querySelectorAll("[data-payload]")) {
  if (!(place instanceof HTMLElement)) continue;
  const payload = JSON.parse(held(place.dataset.payload ?? ""));
  mount(place, { name: payload.title, load: async () => payload, parameters: [], linked: false, assets });
}
