// The present view of a lesson in the app: its figures come from the server.

import { enliven as ask } from "../questions/asking.js";
import { mount } from "../engine/mount.js";
import { isNotes } from "./notes.js";
import { present } from "./screens.js";
import { dress } from "../page/embedding.js";
import { fromServer } from "../page/server.js";
import { enliven as sort } from "../book/tables.js";
import { openRoom, Wall } from "../room/projector.js";

dress();

const screens = present((place) => {
  const { figure = "", source = "", parameters = "", anchor = `figure-${figure}` } = place.dataset;
  mount(place, {
    name: source,
    ...fromServer(source),
    parameters: parameters.split(" ").filter(Boolean),
    page: source.replace(/json$/, "html"),
    anchor,
  });
});

// A room, where there is a server: the one that the address names, or one to be opened.
const base = new URL(document.body.dataset.up ?? "../", location.href).pathname.replace(/\/$/, "");
const code = new URLSearchParams(location.search).get("room") ?? "";
if (/^\d{6}$/.test(code)) new Wall(screens, base, code);
else if (!isNotes()) {
  const begin = async () => {
    opening.disabled = true;
    const trouble = await openRoom(screens, base);
    opening.disabled = false;
    screens.overview.say(trouble);
    if (trouble) screens.overview.open();
    else {
      opening.remove();
      screens.overview.close();
    }
    return trouble;
  };
  screens.give = begin;
  const opening = screens.overview.add("Open a room for phones", begin);
  if (code === "new") begin();
}

ask(document, (part) => screens.go(screens.holding(part)));
sort(document);
