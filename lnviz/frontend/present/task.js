// A task that a teacher sets on a figure: "find a setting where ...". It stands above the figure and in the address,
// which is the link to it; a room takes it to phones. What a room was told by others stands there, too, or in place of a
// screen without a figure.

import { div, button, element, labeledField } from "../engine/dom.js";

/** @typedef {import("./screens.js").Screens} Screens */

const TASK = "task";
const LONGEST = 140;

/** @param {Screens} screens */
export function tasks(screens) {
  /** What is set on each screen, by its place. @type {Map<number, string>} */
  const set = new Map();
  /** What the room is to do on this screen, whoever has told it; "" for nothing. */
  let common = "";
  const field = element("input", "task");
  Object.assign(field, { maxLength: LONGEST, placeholder: "Find a setting where \u2026", autocomplete: "off" });
  const told = element("p", "outcome");
  told.setAttribute("role", "status");
  const take = () => {
    set.set(screens.at, field.value.trim());
    draw();
  };
  screens.task = () => common || (set.get(screens.at) ?? "");
  screens.tell = (task) => {
    common = task;
    draw();
  };
  const give = button("Set it, and ask the phones", async () => {
    common = ""; // the room takes this one in its place
    take();
    if (!screens.task()) return void (told.textContent = "Write the task first.");
    told.textContent = (await screens.give?.()) ?? "";
    if (!told.textContent) screens.overview.close();
  });
  const copy = button("Set it, and copy its link", async () => {
    take();
    const link = new URL(location.href);
    link.searchParams.delete("room");
    try {
      await navigator.clipboard.writeText(link.href);
      told.textContent = "Set. The link is copied.";
    } catch {
      told.textContent = `Set. Its link: ${link.href}`;
    }
  });
  const looks = element("p", "soft", "Phones get a code for it and hand in settings. Nothing checks a task in words: you look at them.");
  const form = div("network", [labeledField("Set a task on this figure", field), copy, give, looks, told]);
  screens.overview.dialog.append(form);

  const draw = () => {
    const { screen, at } = screens;
    const place = screen.querySelector(".ln-place");
    give.hidden = looks.hidden = !screens.give;
    form.hidden = !place || Boolean(screen.dataset.asks && screen.querySelector("form"));
    const text = form.hidden ? "" : (set.get(at) ?? "");
    const there = screen.querySelector(":scope > .task");
    const shown = there ?? element("p", "task");
    shown.textContent = common || text;
    if (!shown.textContent) there?.remove();
    else if (!there) screen.insertBefore(shown, place ?? screen.firstChild);
    const search = new URLSearchParams(location.search);
    if (text === (search.get(TASK) ?? "")) return;
    if (text) search.set(TASK, text);
    else search.delete(TASK);
    history.replaceState(history.state, "", `${location.pathname}?${search}${location.hash}`);
  };
  const given = new URLSearchParams(location.search).get(TASK) ?? "";
  if (given) set.set(screens.at, given.slice(0, LONGEST));
  const begin = () => {
    field.value = set.get(screens.at) ?? "";
    draw();
  };
  screens.watchers.push(() => {
    told.textContent = "";
    common = "";
    begin();
  });
  begin();
  // Whoever can give it to phones says so once all of the page's script has run.
  queueMicrotask(draw);
}
