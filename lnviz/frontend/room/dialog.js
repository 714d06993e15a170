// A dialog of a room, for phone, remote and projector.

import { element, uniqueId } from "../engine/dom.js";

/** Create a dialog with a heading. @param {string} heading */
export function dialog(heading) {
  const node = element("dialog", "room-dialog");
  const title = node.appendChild(element("h2", "", heading));
  title.id = uniqueId();
  node.setAttribute("aria-labelledby", title.id);
  return node;
}
