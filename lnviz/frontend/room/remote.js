// The teacher's remote: what comes next, what has been answered so far, and the doors of the room. Only here counts are live.

import { setChildren, div, button, element, setText } from "../engine/dom.js";
import { Device } from "./device.js";
import { EndRoom, RoomDialog } from "./dialogs.js";
import { setSession, getSession } from "../engine/memory.js";
import { Histogram } from "./histogram.js";
import { open } from "./room_connection.js";
import { ask } from "./requests.js";
import { FEW, hint, steering } from "./presenter_actions.js";
import { placeIn, through } from "./slide_position.js";
import { REMOTE } from "./remote_strings.js";
import { spaced, write } from "./words.js";

/** @typedef {import("./room_connection.js").Room} Room */
/** @typedef {import("./room_connection.js").Tally} Tally */
/** @typedef {import("./deck.js").Screen} Screen */
/** @typedef {import("./presenter_actions.js").Action} Action */
/** @typedef {import("./slide_position.js").Stop} Stop */

/** Milliseconds for which a button that says something new takes no press: it may be the second of a double tap. */
const NEW = 500;
/** How often a command is told again to a room whose figure moves. */
const MOVED = 3;
const MODES = /** @type {const} */ (["led", "free", "paused"]);
/** Letters of the next screen's name. */
const NAMED = 48;
const [NO_KEY, FORBIDDEN] = [401, 403];
const KEYS = { PageDown: 1, PageUp: -1 };

class Remote extends Device {
  /** @param {HTMLElement} body what the server has written there */
  constructor(body) {
    super(body, `${REMOTE.remote} @`);
    const { code, base } = this;
    /** @type {Tally | null} */
    this.tally = null;
    /** The present screen, as far as it has come. @type {Screen | null} */
    this.screen = null;
    /** What is gone through, where that is a plan, or not all of a lesson. @type {Stop[]} */
    this.plan = [];
    /** The place in the plan; -1 on a screen that is not in it. A reload keeps it: a screen may come twice. */
    this.planned = Number(getSession(`plan ${code}`));
    /** Whether an answer to a command is on its way. */
    this.isBusy = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.held = undefined;
    this.isCovered = false;

    this.counts = [REMOTE.here, REMOTE.answered, REMOTE.away, REMOTE.lost].map((words) => ({ words: element("dt", "", words), number: element("dd") }));
    this.tiles = element("dl", "tiles");
    for (const { words, number } of this.counts) this.tiles.append(div("tile", [words, number]));

    this.back = button(REMOTE.back, () => this.turn(-1));
    this.next = button(REMOTE.next, () => this.turn(1));
    this.at = element("b");
    this.then = element("span", "soft");
    const here = element("p");
    here.append(this.at, element("br"), this.then);
    const turner = div("turner", [this.back, here, this.next]);

    this.modes = MODES.map((mode) => button(REMOTE.mode[mode], () => this.command("mode", { mode })));
    const segments = div("segments", this.modes);
    segments.setAttribute("role", "group");
    segments.ariaLabel = REMOTE.modes;

    this.path = element("ol", "path");
    /** What is asked: heard by screen readers, unless it counts. */
    this.title = element("span");
    this.title.setAttribute("role", "status");
    const heading = element("h2");
    heading.append(this.title);
    this.cover = button(REMOTE.cover, () => this.coverUp(), "cover");
    this.histogram = new Histogram();
    this.covered = element("p", "soft covered", REMOTE.covered);
    this.reach = element("div", "reach");
    this.live = div("live", [div("top", [heading, this.cover]), this.covered, this.histogram.element, this.histogram.more, this.reach]);
    this.hint = element("p", "hint");
    this.trouble = element("p", "trouble");
    this.trouble.setAttribute("role", "status");
    this.main = element("main");
    this.main.append(this.tiles, turner, segments, this.path, this.live, this.hint, this.trouble);

    /** What the buttons do now. @type {Map<HTMLButtonElement, Action | null>} */
    this.actions = new Map();
    this.act = button("", () => this.press(this.act), "main");
    this.other = button("", () => this.press(this.other));
    this.show = button(REMOTE.show, () => this.press(this.show));
    this.door = button(REMOTE.lock, () => this.command("lock", { locked: !this.room?.locked }));
    this.end = new EndRoom(code, this.address, () => this.finish());
    this.settings = new RoomDialog(this.address, spaced(code));
    this.footer = element("footer");
    const doors = [this.door, button(REMOTE.setUp, () => this.settings.open()), button(REMOTE.end, () => this.end.open())];
    this.footer.append(this.act, div("two", [this.other, this.show]), div("three", doors));
    body.prepend(div("phone remote", [this.header, this.main, this.footer]));
    body.append(this.end.element, this.settings.element);
    addEventListener("keydown", (event) => this.key(event));

    this.stand("");
    this.link = open({
      code,
      as: "remote",
      base,
      onState: (room) => this.take(room),
      onTally: (tally) => {
        this.tally = tally;
        this.draw();
      },
      onConnection: (connection) => this.stand(connection),
      onGone: ({ status }) => this.over(status === NO_KEY || status === FORBIDDEN ? REMOTE.noKey : REMOTE.ended),
    });
    this.read();
  }

  /** Gets what the address says that is gone through. */
  async read() {
    const search = new URLSearchParams(location.search);
    const name = search.get("plan");
    const plan = name ? await ask(`${this.base}/present/plans/${encodeURIComponent(name)}.json`) : null;
    this.plan = through(search, plan?.status === 200 ? plan.body.screens : []);
    this.find();
    this.draw();
  }

  /** @param {Room} room */
  async take(room) {
    this.room = room;
    if (room.mode === "ended") {
      this.over(REMOTE.isOver);
      return;
    }
    this.draw();
    const { lesson, screen } = room;
    const come = await this.deck.get(lesson, screen);
    if (this.room !== room || !come) return;
    this.screen = come;
    this.find();
    this.draw();
    const next = this.stop(1);
    if (next && !next.title && (await this.deck.get(next.lesson, next.screen))) this.draw();
  }

  /** Finds the present screen in the plan. */
  find() {
    const { room, screen } = this;
    if (!room || !screen || screen !== this.deck.at(room.lesson, room.screen)) return;
    const screens = [screen.name, String(screen.place)];
    this.stay(placeIn(this.plan, Math.max(0, this.planned), { lesson: room.lesson, screens, pose: room.pose }));
  }

  /** @param {number} planned */
  stay(planned) {
    this.planned = planned;
    if (planned >= 0) setSession(`plan ${this.code}`, String(planned));
  }

  /**
   * Where one comes by turning.
   * @param {number} by
   * @returns {Stop | null}
   */
  stop(by) {
    const { screen } = this;
    if (!screen) return null;
    if (this.plan.length && this.planned >= 0) return this.plan[this.planned + by] ?? null;
    const place = screen.place + by;
    return place < 1 || place > screen.count ? null : { lesson: screen.lesson, screen: place };
  }

  /** @param {number} by */
  async turn(by) {
    const stop = this.stop(by);
    if (!stop) return;
    // A name stays when a lesson changes, a place does not.
    const screen = (await this.deck.get(stop.lesson, stop.screen))?.name ?? stop.screen;
    const before = this.planned;
    const there = this.plan.indexOf(stop);
    if (there >= 0) this.stay(there);
    const counted = there >= 0 ? [there + 1, this.plan.length] : [];
    const isDone = await this.command("go", { lesson: stop.lesson, screen, pose: stop.pose ?? {}, task: stop.task ?? "", counted });
    if (!isDone && this.planned === there) this.stay(before);
  }

  /**
   * Tells the room what to do. One thing at a time: whoever presses twice means it once.
   * @param {string} verb
   * @param {Record<string, unknown>} [more]
   * @returns {Promise<boolean>} whether it has been done
   */
  async command(verb, more = {}) {
    const { room } = this;
    if (!room) return false;
    if (this.isBusy) {
      this.trouble.textContent = REMOTE.busy;
      return false;
    }
    this.isBusy = true;
    const tell = (/** @type {number} */ rev) => ask(`${this.address}/do`, "POST", { verb, rev, ...more });
    let { status, body } = await tell(room.rev);
    // The projector's figure has moved meanwhile: that changes nothing of what the teacher saw and meant.
    for (let left = MOVED; left > 0 && status === 409 && body?.state && isSame(room, body.state); left -= 1) {
      ({ status, body } = await tell(body.state.rev));
    }
    this.isBusy = false;
    if (status === 0) this.link.wake();
    if (body?.state) this.link.take(body.state);
    this.trouble.textContent = status === 200 ? "" : status === 0 ? REMOTE.failed : body?.detail || REMOTE.stale;
    this.draw();
    return status === 200;
  }

  /** @param {HTMLButtonElement} pressed */
  press(pressed) {
    const action = this.actions.get(pressed);
    if (!action || "new" in pressed.dataset) return;
    if (action.does === "next") this.turn(1);
    else {
      const { verb, ...more } = action.does;
      this.command(verb, more);
    }
  }

  /** Has the main button take no press for a moment. */
  hold() {
    this.act.dataset.new = "";
    clearTimeout(this.held);
    this.held = setTimeout(() => delete this.act.dataset.new, NEW);
  }

  /** Ends the room, and has its answers deleted. */
  async finish() {
    await this.command("end");
    const { status } = await ask(this.address, "DELETE");
    if (status === 200 || status === 204) this.over(REMOTE.ended);
    else this.trouble.textContent = REMOTE.failed;
  }

  coverUp() {
    this.isCovered = !this.isCovered;
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const by = KEYS[/** @type {keyof typeof KEYS} */ (event.key)];
    if (!by || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    this.turn(by);
  }

  /** Says the last there is to say. @param {string} sentence */
  over(sentence) {
    this.link.close();
    for (const { element: dialog } of [this.end, this.settings]) dialog.close();
    const line = element("p", "end", sentence);
    line.setAttribute("role", "status");
    this.state.hidden = true;
    this.footer.remove();
    this.main.replaceChildren(line);
    if (sentence !== REMOTE.isOver) return;
    this.main.append(this.end.download());
  }

  draw() {
    const { room, tally, screen } = this;
    if (!room) return;
    const { poll } = room;
    // A screen that is on its way says nothing of another one's question.
    const current = screen && screen === this.deck.at(room.lesson, room.screen) ? screen : null;
    this.number(room, tally);
    this.place(room, current);
    MODES.forEach((mode, i) => this.modes[i].setAttribute("aria-pressed", String(room.mode === mode)));
    const { title, steps, step, main, other, show } = steering(room, current, tally);
    this.title.setAttribute("role", poll && poll.kind !== "choice" ? "none" : "status");
    setText(this.title, current || poll ? title : REMOTE.coming);
    this.walk(steps, step);
    this.set(this.act, main);
    this.set(this.other, other, REMOTE.over);
    this.set(this.show, show, { choice: REMOTE.show, number: REMOTE.showNumbers, setting: REMOTE.showSettings }[poll?.kind ?? "choice"]);
    // What the main button does is not offered twice.
    this.show.hidden = this.act.textContent === this.show.textContent;
    this.door.setAttribute("aria-pressed", String(room.locked));
    setText(this.door, room.locked ? REMOTE.isLocked : REMOTE.lock);
    this.results(room, current);
  }

  /** What has been answered, and what that suggests. @param {Room} room @param {Screen | null} screen */
  results(room, screen) {
    const { poll } = room;
    // What is counted may be of the poll or the round before.
    const tally = poll && this.tally?.poll === poll.id && this.tally.round === poll.round ? this.tally : null;
    if (poll && tally) this.histogram.show(poll, tally, screen);
    const isShown = poll !== null && tally !== null;
    this.cover.hidden = !isShown;
    setText(this.cover, this.isCovered ? REMOTE.uncover : REMOTE.cover);
    this.live.classList.toggle("is-covered", isShown && this.isCovered);
    this.covered.hidden = !isShown || !this.isCovered;
    this.histogram.element.hidden = !isShown;
    this.histogram.more.hidden = !isShown || !this.histogram.more.textContent;
    const [bold, rest] = tally ? hint(room, screen, tally) : ["", ""];
    this.hint.hidden = !(bold || rest);
    this.hint.classList.toggle("is-covered", this.isCovered);
    if (this.hint.textContent !== `${bold} ${rest}`) write(this.hint, bold ? `@ ${rest}` : ` ${rest}`, bold);
    const isEmpty = !poll && (this.tally?.here ?? 0) === 0;
    this.reach.hidden = !isEmpty;
    if (isEmpty && !this.reach.firstChild) this.settings.reach(this.reach);
  }

  /** @param {Room} room @param {Tally | null} tally */
  number({ poll }, tally) {
    const { here = 0, answered = 0, away = 0, lost = 0 } = tally ?? {};
    const isFew = here < FEW;
    const numbers = [here, answered, isFew ? "–" : away, isFew ? "–" : lost];
    this.counts.forEach(({ number }, i) => setText(number, String(numbers[i])));
    setText(this.counts[1].words, poll?.kind === "setting" ? REMOTE.handed : REMOTE.answered);
    for (const { number } of this.counts.slice(2)) number.title = isFew ? REMOTE.few : "";
    this.settings.show(tally);
  }

  /** @param {Room} room @param {Screen | null} screen */
  place({ counted }, screen) {
    if (!screen) return;
    const next = this.stop(1);
    const own = this.planned >= 0 && this.plan.length ? [this.planned + 1, this.plan.length] : [screen.place, screen.count];
    // As the wall counts, where it has said so.
    const [place, count] = counted.length ? counted : own;
    setText(this.at, REMOTE.at(screen.title, place, count));
    const there = next && (next.title ?? called(this.deck.at(next.lesson, next.screen)));
    setText(this.then, next ? (there ? REMOTE.then.replace("@", () => there) : "") : REMOTE.last);
    this.back.setAttribute("aria-disabled", String(!this.stop(-1)));
    this.next.setAttribute("aria-disabled", String(!next));
  }

  /** @param {string[]} steps @param {number} step */
  walk(steps, step) {
    const items = steps.map((words, i) => {
      const item = element("li", "", `${i + 1} ${words}`);
      if (i === step) item.ariaCurrent = "step";
      return item;
    });
    setChildren(this.path, items);
  }

  /**
   * @param {HTMLButtonElement} node
   * @param {Action | null} action
   * @param {string} [usual] what it says while it does nothing
   */
  set(node, action, usual = "") {
    this.actions.set(node, action);
    const words = action?.words ?? usual;
    if (node.textContent !== words) {
      node.textContent = words;
      if (node === this.act) this.hold();
    }
    const isShut = !action || (action.does === "next" && !this.stop(1));
    node.setAttribute("aria-disabled", String(isShut));
  }
}

/** Whether two states differ in the figure's positions alone. @param {Room} one @param {Room} other */
function isSame(one, other) {
  const fields = /** @type {const} */ (["mode", "lesson", "screen", "locked", "poll", "shown"]);
  return fields.every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]));
}

/** What a screen is called, in a few words. @param {Screen | null} screen */
function called(screen) {
  if (!screen) return "";
  const { called: words } = screen;
  return words.length > NAMED ? `${words.slice(0, NAMED).replace(/\s+\S*$/, "")} …` : words;
}

new Remote(document.body);
