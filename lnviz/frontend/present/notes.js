// The teacher's notes, in a window of their own: what the wall shows now, its answer, and what comes next. Both windows
// are the same page, and tell each other where they are.

import { div, button, element } from "../engine/dom.js";

/** @typedef {import("./screens.js").Screens} Screens */
/** @typedef {{at?: number, turn?: number, asks?: boolean}} Told */

const NOTES = "notes";

/** Whether this window shows the notes. */
export function isNotes() {
  return new URLSearchParams(location.search).has(NOTES);
}

/** @param {Screens} screens */
export function noted(screens) {
  const channel = new BroadcastChannel(`lnviz present ${location.pathname}`);
  const tell = (/** @type {Told} */ told) => channel.postMessage(told);
  if (isNotes()) return show(screens, channel, tell);
  screens.does.notes = () => {
    const search = new URLSearchParams(location.search);
    for (const name of ["room", "task"]) search.delete(name);
    search.set(NOTES, "");
    open(`${location.pathname}?${search}`, "lnviz-notes", "popup,width=720,height=820");
  };
  screens.overview.add("Notes in a window (n)", () => screens.does.notes());
  screens.watchers.push(() => tell({ at: screens.at }));
  channel.onmessage = ({ data }) => {
    if (data.asks) tell({ at: screens.at });
    if (typeof data.turn === "number") screens.turn(data.turn);
    else if (typeof data.at === "number") screens.go(data.at);
  };
}

/**
 * @param {Screens} screens
 * @param {BroadcastChannel} channel
 * @param {(told: Told) => void} tell
 */
function show(screens, channel, tell) {
  document.body.toggleAttribute("data-notes", true);
  const [now, note, next] = [element("h2"), element("div", "prose"), element("p", "next")];
  // What is turned here turns the wall.
  screens.turn = (by) => tell({ turn: by });
  const draw = () => {
    const { all, at, shown } = screens;
    now.textContent = all[at].dataset.called ?? "";
    const told = all[at].querySelector("template.note");
    note.replaceChildren(...(told instanceof HTMLTemplateElement ? [told.content.cloneNode(true)] : []));
    const then = all.findIndex((_, i) => i > at && shown[i]);
    next.textContent = then < 0 ? "This is the last screen." : `Then: ${all[then].dataset.called}`;
  };
  screens.watchers.push(draw);
  channel.onmessage = ({ data }) => {
    if (typeof data.at !== "number" || data.at === screens.at || !screens.all[data.at]) return;
    screens.at = data.at;
    screens.say();
    draw();
  };
  const ways = div("ways", [button("\u2190 Back", () => tell({ turn: -1 })), button("Next \u2192", () => tell({ turn: 1 }))]);
  document.querySelector("main")?.replaceChildren(...screens.all, div("notes", [now, ways, note, next]));
  draw();
  tell({ asks: true });
}
