// The figure as a page of its own.

import { mount } from "./explorable.js";
import { overHttp, sendOverHttp } from "./http.js";
import { trainerOverHttp } from "./trainer.js";

const place = document.getElementById("explorable");
if (!place) throw new Error("the page has no place for its figure");
const { source = "", parameters = "" } = place.dataset;
const fetched = overHttp(source);

/** @type {import("./loading.js").Load} the page is called what its figure is called */
async function load(wanted, how) {
  const payload = await fetched(wanted, how);
  document.title = `${payload.title} - lnviz`;
  document.querySelector("h1")?.replaceChildren(payload.title);
  return payload;
}

const over = { load, send: sendOverHttp(source), trainer: trainerOverHttp(source) };
mount(place, { name: source, ...over, parameters: parameters.split(" ").filter(Boolean) });
