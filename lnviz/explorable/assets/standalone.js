// The figure as a page of its own.

import { mount } from "./explorable.js";

const { source, parameters } = document.getElementById("explorable").dataset;
mount(document.getElementById("explorable"), { source, parameters: parameters.split(" ").filter(Boolean) });
