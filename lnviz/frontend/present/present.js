// Entry script of the presentation view in the app: figures come from the server, and a room can be opened.

import { hydrate as ask } from "../questions/exercises.js";
import { mount } from "../engine/mount.js";
import { isNotes } from "./notes.js";
import { Prefetcher } from "./prefetch.js";
import { present } from "./screens.js";
import { applyTheme } from "../page/embedding.js";
import { serverOptions } from "../page/server.js";
import { hydrate as sort } from "../book/tables.js";
import { enterRoom, offerRoom, openRoom } from "../room/projector.js";
import { PROJECTOR } from "../room/projector_strings.js";

applyTheme();

const prefetcher = new Prefetcher();
const screens = present((place) => {
  const { figure = "", source = "", parameters = "", anchor = `figure-${figure}` } = place.dataset;
  mount(place, {
    name: source,
    ...serverOptions(source),
    load: prefetcher.load(source),
    parameters: parameters.split(" ").filter(Boolean),
    page: source.replace(/json$/, "html"),
    anchor,
  });
});

if (!isNotes()) {
  screens.watchers.push(() => prefetcher.follow(screens));
  prefetcher.follow(screens);
}

// The room in the URL, or a button to open one.
const base = new URL(document.body.dataset.up ?? "../", location.href).pathname.replace(/\/$/, "");
const code = new URLSearchParams(location.search).get("room") ?? "";
if (!isNotes()) {
  const open = async (/** @type {typeof openRoom} */ how) => {
    openButton.disabled = true;
    const error = await how(screens, base);
    openButton.disabled = false;
    if (!error) {
      openButton.remove();
      screens.overview.close();
    }
    return error;
  };
  const openWithTask = async (/** @type {boolean} */ isTask) => {
    const error = await open((shown, at) => openRoom(shown, at, isTask));
    screens.overview.setStatus(error);
    if (error) screens.overview.open();
    return error;
  };
  screens.shareTask = () => openWithTask(true);
  const openButton = screens.overview.addButton(PROJECTOR.open, () => openWithTask(false));
  if (/^\d{6}$/.test(code)) open((shown, at) => enterRoom(shown, at, code));
  else if (code === "new") openWithTask(false);
  else open(offerRoom);
}

ask(document, (part) => screens.go(screens.indexContaining(part)));
sort(document);
