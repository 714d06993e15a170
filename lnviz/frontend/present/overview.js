// Overview of all slides: jump to one, include or skip it; with further commands.

import { div, button, element } from "../engine/dom.js";

/** @typedef {import("./screens.js").Screens} Screens */

const KEYS = [
  ["Page Down, \u2192, space", "next screen (Page Down works wherever the focus is)"],
  ["Page Up, \u2190", "previous screen"],
  ["Home, End", "first screen, last screen"],
  ["a number, Enter", "go to that screen"],
  ["b or .", "blank screen, until you press it again"],
  ["l", "a large pointer"],
  ["n", "your notes, in a separate window"],
  ["o or ?", "this list"],
  ["f", "full screen"],
  ["a, j", "in a room: the question’s next step; how to join"],
];

/** Dialog with all slides and commands. */
export class Overview {
  /** @param {Screens} screens */
  constructor(screens) {
    this.screens = screens;
    const dialog = document.querySelector("dialog.overview");
    if (!(dialog instanceof HTMLDialogElement)) throw new Error("the page lacks its overview");
    this.dialog = dialog;
    this.list = element("ol");
    const keys = element("dl");
    for (const [key, effect] of KEYS) keys.append(element("dt", "", key), element("dd", "", effect));
    const close = button("Close", () => this.close());
    dialog.querySelector(".ways")?.append(close);
    /** Result of the last command. */
    this.status = element("p", "outcome");
    this.status.setAttribute("role", "status");
    dialog.append(this.status, div("columns", [this.list, keys]));
  }

  /** Add a command button. @param {string} text @param {() => void} then */
  addButton(text, then) {
    const node = button(text, then);
    this.dialog.querySelector(".ways > :last-child")?.before(node);
    return node;
  }

  /** @param {string} text */
  setStatus(text) {
    this.status.textContent = text;
  }

  toggle() {
    if (this.dialog.open) this.close();
    else this.open();
  }

  open() {
    if (this.dialog.open) return;
    this.screens.updateExitLink();
    this.draw();
    this.dialog.showModal();
    this.list.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
  }

  close() {
    this.dialog.close();
  }

  /** Return whether a key belongs to the open overview. @param {KeyboardEvent} event */
  handlesKey({ key }) {
    return this.dialog.open && !key.startsWith("Page") && !["o", "?"].includes(key);
  }

  draw() {
    const { all, shown, at } = this.screens;
    let number = 0;
    this.list.replaceChildren(
      ...all.map(({ dataset }, i) => {
        number += Number(shown[i]);
        const item = element("li", dataset.part ? "more" : "");
        const tick = element("input");
        Object.assign(tick, { type: "checkbox", checked: shown[i], disabled: i === at });
        tick.setAttribute("aria-label", `Show “${dataset.called}”`);
        tick.addEventListener("change", () => {
          this.screens.include(i, tick.checked);
          this.draw();
          const replacement = this.list.children[i]?.querySelector("input");
          replacement?.focus();
        });
        const go = button(`${shown[i] ? `${number} ` : ""}${dataset.called}`, () => {
          this.close();
          this.screens.go(i);
        });
        if (i === at) go.setAttribute("aria-current", "true");
        item.append(tick, go);
        return item;
      }),
    );
  }
}
