// Entry script of the exported book's pages: mounts figures and activates tables, exercises and search.

import { hydrate as ask } from "../questions/exercises.js";
import { mount } from "../engine/mount.js";
import { present } from "../present/screens.js";
import { attachSearch } from "../book/search.js";
import { attachGlossary } from "../book/glossary.js";
import { hydrate as sort } from "../book/tables.js";
import { applyTheme, postHeight } from "../page/embedding.js";
import { hydrate as open } from "../page/folds.js";
import { restoreScroll, savedState, trackScroll } from "../page/scroll_restoration.js";
import { hydrate as follow } from "../page/progress.js";
import { followRoute } from "../page/route.js";
import { keepInView, onceVisible } from "../page/scroll_into_view.js";
import { ROOT, loadScript, fileLoader } from "./stored.js";

/** Whether this is a figure's own page. */
const isAlone = document.body.classList.contains("alone");

/** Return the options of a figure. @param {HTMLElement} place */
function options(place) {
  const { figure = "", page = "", stock = "" } = place.dataset;
  /** @type {import("./stored.js").PayloadInventory} */
  const inventory = JSON.parse(stock);
  const anchor = `figure-${figure}`;
  const parameters = inventory.parameters.map(({ name }) => name);
  const load = fileLoader(inventory);
  if (isAlone) return { name: figure, load: titled(load), parameters };
  return { name: figure, load, parameters, anchor, page: ROOT + page };
}

/**
 * Return a loader that also names its page after the figure.
 * @param {import("../engine/loading.js").LoadPayload} load
 * @returns {import("../engine/loading.js").LoadPayload}
 */
function titled(load) {
  return async (requested, options) => {
    const payload = await load(requested, options);
    document.title = `${payload.title} - lnviz`;
    document.querySelector("h1")?.replaceChildren(payload.title);
    return payload;
  };
}

applyTheme();
if (isAlone) postHeight();

const screens = document.querySelector(".screen") ? present((place) => mount(place, options(place))) : null;
/** @type {((part: Element) => void) | undefined} */
const reveal = screens ? (part) => screens.go(screens.indexContaining(part)) : undefined;
if (!reveal) {
  for (const place of document.querySelectorAll(".ln-place")) {
    if (!(place instanceof HTMLElement)) continue;
    const figure = options(place);
    onceVisible(place, () => mount(place, figure));
    if (location.hash === `#figure-${place.dataset.figure}` && !savedState()) keepInView(() => place);
  }
  restoreScroll();
  trackScroll();
  addEventListener("popstate", restoreScroll);
}

followRoute();
open(document);
ask(document, reveal);
sort(document);
follow(document);
attachGlossary(() => loadScript("assets/glossary.js"));
attachSearch(document, () => loadScript("assets/search.js"), {
  enter() {
    document.querySelector(".fold-contents")?.setAttribute("open", "");
  },
});
