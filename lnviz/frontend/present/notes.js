// Presenter notes in their own window: current slide, its answer, and what comes next. Both windows run the same page,
// synchronized by a BroadcastChannel.

import { div, button, element } from "../engine/dom.js";

/** @typedef {import("./screens.js").Screens} Screens */
/** @typedef {{at?: number, turn?: number, asks?: boolean}} Message */

const NOTES = "notes";

/** Return whether this window shows the notes. */
export function isNotes() {
  return new URLSearchParams(location.search).has(NOTES);
}

/** Synchronize a presentation with its notes window, or show the notes. @param {Screens} screens */
export function attachNotes(screens) {
  const channel = new BroadcastChannel(`lnviz present ${location.pathname}`);
  const post = (/** @type {Message} */ message) => channel.postMessage(message);
  if (isNotes()) return showNotes(screens, channel, post);
  screens.actions.notes = () => {
    const search = new URLSearchParams(location.search);
    for (const name of ["room", "task"]) search.delete(name);
    search.set(NOTES, "");
    open(`${location.pathname}?${search}`, "lnviz-notes", "popup,width=720,height=820");
  };
  screens.overview.addButton("Notes in a window (n)", () => screens.actions.notes());
  screens.watchers.push(() => post({ at: screens.at }));
  channel.onmessage = ({ data }) => {
    if (data.asks) post({ at: screens.at });
    if (typeof data.turn === "number") screens.turn(data.turn);
    else if (typeof data.at === "number") screens.go(data.at);
  };
}

/**
 * Show the notes of the current slide.
 * @param {Screens} screens
 * @param {BroadcastChannel} channel
 * @param {(message: Message) => void} post
 */
function showNotes(screens, channel, post) {
  document.body.toggleAttribute("data-notes", true);
  const [now, note, next] = [element("h2"), element("div", "prose"), element("p", "next")];
  // Turning pages here turns them in the presentation.
  screens.turn = (by) => post({ turn: by });
  const draw = () => {
    const { all, at, shown } = screens;
    now.textContent = all[at].dataset.called ?? "";
    const message = all[at].querySelector("template.note");
    note.replaceChildren(...(message instanceof HTMLTemplateElement ? [message.content.cloneNode(true)] : []));
    const nextIndex = all.findIndex((_, i) => i > at && shown[i]);
    next.textContent = nextIndex < 0 ? "This is the last screen." : `Then: ${all[nextIndex].dataset.called}`;
  };
  screens.watchers.push(draw);
  channel.onmessage = ({ data }) => {
    if (typeof data.at !== "number" || data.at === screens.at || !screens.all[data.at]) return;
    screens.at = data.at;
    screens.updateBar();
    draw();
  };
  const buttons = div("ways", [button("\u2190 Back", () => post({ turn: -1 })), button("Next \u2192", () => post({ turn: 1 }))]);
  document.querySelector("main")?.replaceChildren(...screens.all, div("notes", [now, buttons, note, next]));
  draw();
  post({ asks: true });
}
