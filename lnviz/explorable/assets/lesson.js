// A figure of a lesson, between its text.

import { mount as show } from "./explorable.js";
import { overHttp } from "./http.js";

export { unmount } from "./explorable.js";

/**
 * @param {Element} parent
 * @param {{source: string, parameters: string[], set: Record<string, string> | null}} figure as the server's
 *   side of the page gives it
 */
export function mount(parent, { source, parameters, set }) {
  const name = /([^/]+)\.json$/.exec(source)?.[1] ?? "";
  const page = source.replace(/json$/, "html");
  show(parent, { name: source, load: overHttp(source), parameters, set, page, anchor: `figure-${name}` });
}
