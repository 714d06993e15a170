// The present view of a lesson in the app: its figures come from the server.

import { enliven as ask } from "./asking.js";
import { mount } from "./explorable.js";
import { present } from "./screens.js";
import { fromServer } from "./server.js";
import { enliven as sort } from "./tables.js";

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
