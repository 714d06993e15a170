// A page of the exported book: its figures, its tables and what it asks come to life.

import { enliven as ask } from "../questions/asking.js";
import { mount } from "../engine/mount.js";
import { present } from "../present/screens.js";
import { searchable } from "../book/search.js";
import { explain } from "../book/glossary.js";
import { enliven as sort } from "../book/tables.js";
import { dress } from "../page/embedding.js";
import { enliven as open } from "../page/folds.js";
import { comeBack, placeLeft, remember } from "../page/scroll_restoration.js";
import { enliven as follow } from "../page/progress.js";
import { bringIntoView, whenShown } from "../page/scroll_into_view.js";
import { bring, fromFiles } from "./stored.js";

/** What a figure is made of. @param {HTMLElement} place */
function options(place) {
  const { figure = "", stock = "" } = place.dataset;
  /** @type {import("./stored.js").Stock} */
  const there = JSON.parse(stock);
  const anchor = `figure-${figure}`;
  const parameters = there.parameters.map(({ name }) => name);
  return { name: figure, load: fromFiles(there), parameters, anchor };
}

dress();

const screens = document.querySelector(".screen") ? present((place) => mount(place, options(place))) : null;
/** @type {((part: Element) => void) | undefined} */
const reveal = screens ? (part) => screens.go(screens.holding(part)) : undefined;
if (!reveal) {
  for (const place of document.querySelectorAll(".ln-place")) {
    if (!(place instanceof HTMLElement)) continue;
    const figure = options(place);
    whenShown(place, () => mount(place, figure));
    if (location.hash === `#figure-${place.dataset.figure}` && !placeLeft()) bringIntoView(() => place);
  }
  comeBack();
  remember();
  addEventListener("popstate", comeBack);
}

open(document);
ask(document, reveal);
sort(document);
follow(document);
explain(() => bring("assets/glossary.js"));
searchable(document, () => bring("assets/search.js"), {
  enter() {
    document.querySelector("details.contents")?.setAttribute("open", "");
  },
});
