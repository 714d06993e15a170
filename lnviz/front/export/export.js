// A page of the exported book: its figures, its tables and what it asks come to life.

import { enliven as ask } from "../questions/asking.js";
import { mount } from "../engine/mount.js";
import { present } from "../present/screens.js";
import { searchable } from "../book/search.js";
import { enliven as sort } from "../book/tables.js";
import { bringIntoView } from "../page/view.js";
import { bring, fromFiles } from "./stored.js";

/** Loads a figure into its place. @param {HTMLElement} place */
function put(place) {
  const { figure = "", stock = "" } = place.dataset;
  /** @type {import("./stored.js").Stock} */
  const there = JSON.parse(stock);
  const anchor = `figure-${figure}`;
  const parameters = there.parameters.map(({ name }) => name);
  mount(place, { name: figure, load: fromFiles(there), parameters, anchor });
}

const reveal = document.querySelector(".screen") ? present(put) : undefined;
if (!reveal) {
  for (const place of document.querySelectorAll(".ln-place")) {
    if (!(place instanceof HTMLElement)) continue;
    put(place);
    if (location.hash === `#figure-${place.dataset.figure}`) bringIntoView(place, document.body);
  }
}

ask(document, reveal);
sort(document);
searchable(document, () => bring("assets/search.js"));
