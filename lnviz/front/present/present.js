// The present view of a lesson in the app: its figures come from the server.

import { enliven as ask } from "../questions/asking.js";
import { mount } from "../engine/mount.js";
import { present } from "./screens.js";
import { dress } from "../page/embedding.js";
import { fromServer } from "../page/server.js";
import { enliven as sort } from "../book/tables.js";

dress();

const reveal = present((place) => {
  const { figure = "", source = "", parameters = "" } = place.dataset;
  mount(place, {
    name: source,
    ...fromServer(source),
    parameters: parameters.split(" ").filter(Boolean),
    page: source.replace(/json$/, "html"),
    anchor: `figure-${figure}`,
  });
});

ask(document, reveal);
sort(document);
