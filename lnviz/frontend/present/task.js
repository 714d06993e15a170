// Tasks that a teacher sets on a figure: "find a setting where ...". A task is shown above the figure and stored in the
// URL, so that it can be linked; a room sends it to phones. A task set from elsewhere in the room is shown, too, and
// replaces a slide without a figure. A task that this tab has not set is marked: anybody can write a link.

import { div, button, element, labeledField } from "../engine/dom.js";
import { limitLength } from "../engine/length_limit.js";
import { getSession, setSession } from "../engine/memory.js";

/** @typedef {import("./screens.js").Screens} Screens */

const TASK = "task";
const MAX_LENGTH = 140;
/** Session key of the tasks set in this tab. */
const OWN = "own tasks";
const FROM_LINK = "From a link:";

/** Add tasks to a presentation. @param {Screens} screens */
export function attachTasks(screens) {
  /** Tasks by slide index. @type {Map<number, string>} */
  const taskByScreen = new Map();
  /** The room's task for this slide; "" for none. */
  let roomTask = "";
  const field = element("input", "task");
  Object.assign(field, { placeholder: "Find a setting where \u2026", autocomplete: "off" });
  const status = element("p", "outcome");
  status.setAttribute("role", "status");
  const limit = limitLength(field, MAX_LENGTH);
  /** Set the task, unless it is too long. */
  const commit = () => {
    if (!limit.check()) return false;
    const task = field.value.trim();
    taskByScreen.set(screens.at, task);
    if (task) setSession(OWN, `${getSession(OWN)}\n${task}`);
    draw();
    return true;
  };
  const isOwn = (/** @type {string} */ task) => getSession(OWN).split("\n").includes(task);
  // Only what was set here is sent to phones.
  screens.task = () => roomTask || [taskByScreen.get(screens.at) ?? ""].filter(isOwn).join("");
  screens.setRoomTask = (task) => {
    roomTask = task;
    draw();
  };
  const askButton = button("Set the task and ask phones", async () => {
    if (!limit.check()) return;
    roomTask = ""; // the new task replaces it
    commit();
    if (!screens.task()) return void (status.textContent = "Write the task first.");
    status.textContent = (await screens.shareTask?.()) ?? "";
    if (!status.textContent) screens.overview.close();
  });
  const copyButton = button("Set the task and copy its link", async () => {
    if (!commit()) return;
    const link = new URL(location.href);
    link.searchParams.delete("room");
    try {
      await navigator.clipboard.writeText(link.href);
      status.textContent = "The task is set. Its link is copied.";
    } catch {
      status.textContent = `The task is set. Its link: ${link.href}`;
    }
  });
  const hint = element("p", "soft", "Students join by code and hand in settings. A task in your own words is not checked: you judge the settings.");
  const labeled = labeledField("Set a task on this figure", field);
  labeled.append(limit.element);
  const form = div("network", [labeled, copyButton, askButton, hint, status]);
  screens.overview.dialog.append(form);

  const draw = () => {
    const { screen, at } = screens;
    const place = screen.querySelector(".ln-place");
    askButton.hidden = hint.hidden = !screens.shareTask;
    form.hidden = !place || Boolean(screen.dataset.asks && screen.querySelector("form"));
    const text = form.hidden ? "" : (taskByScreen.get(at) ?? "");
    const existing = screen.querySelector(":scope > .task");
    const shown = existing ?? element("p", "task");
    const task = roomTask || text;
    const mark = task && task !== roomTask && !isOwn(task) ? [element("span", "origin", FROM_LINK), " "] : [];
    shown.replaceChildren(...mark, task);
    if (!task) existing?.remove();
    else if (!existing) screen.insertBefore(shown, place ?? screen.firstChild);
    const search = new URLSearchParams(location.search);
    if (text === (search.get(TASK) ?? "")) return;
    if (text) search.set(TASK, text);
    else search.delete(TASK);
    history.replaceState(history.state, "", `${location.pathname}?${search}${location.hash}`);
  };
  const initial = new URLSearchParams(location.search).get(TASK) ?? "";
  if (initial) taskByScreen.set(screens.at, initial.slice(0, MAX_LENGTH));
  const reset = () => {
    field.value = taskByScreen.get(screens.at) ?? "";
    draw();
  };
  screens.watchers.push(() => {
    status.textContent = "";
    roomTask = "";
    reset();
  });
  reset();
  // Sending to phones is enabled later in the page's script.
  queueMicrotask(draw);
}
