// A question before something that cannot be undone.

import { button, div, element } from "../engine/dom.js";
import { dialog } from "./dialog.js";
import { REMOTE } from "./remote_strings.js";

/**
 * Ask in a dialog; closing it is a no.
 * @param {string} question
 * @param {string} consequence what else happens; "" for nothing
 * @param {string} yes text of the button that confirms
 * @returns {Promise<boolean>}
 */
export function confirmed(question, consequence, yes) {
  const node = dialog(question);
  const answer = (/** @type {string} */ value) => () => node.close(value);
  if (consequence) node.append(element("p", "", consequence));
  node.append(div("choices", [button(yes, answer("yes"), "main"), button(REMOTE.keep, answer(""))]));
  document.body.append(node);
  node.showModal();
  return new Promise((resolve) => {
    node.addEventListener("close", () => {
      node.remove();
      resolve(node.returnValue === "yes");
    });
  });
}
