// A figure of a lesson, between its text.

import { mount as show } from "./explorable.js";
import { overHttp, sendOverHttp } from "./http.js";

export { unmount } from "./explorable.js";

/**
 * @param {Element} parent
 * @param {{source: string, parameters: string[]}} figure as the server's side of the page gives it
 */
export function mount(parent, { source, parameters }) {
  const name = /([^/]+)\.json$/.exec(source)?.[1] ?? "";
  const page = source.replace(/json$/, "html");
  const [load, send] = [overHttp(source), sendOverHttp(source)];
  show(parent, { name: source, load, send, parameters, page, anchor: `figure-${name}` });
}
