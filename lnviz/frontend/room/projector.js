// A room on the wall: the present view, with the room's address in a corner, what is asked, and what has become of it.
// If the room fails, it goes on as the present view.

import { button, element } from "../engine/dom.js";
import { figureIn } from "../engine/mount.js";
import { waitForState } from "../engine/visible_state.js";
import { JoinCard } from "./join_card.js";
import { choice, clear, number, question, setting } from "./answers.js";
import { Commands } from "./commands.js";
import { AGAIN_MS, Leaving } from "./confirm_leave.js";
import { open } from "./room_connection.js";
import { ask, roomAt } from "./requests.js";
import { isSame, placeIn } from "./slide_position.js";
import { following } from "./results.js";
import { spaced, WALL } from "./words.js";

/** @typedef {import("./room_connection.js").Room} Room */
/** @typedef {import("./room_connection.js").Pose} Pose */
/** @typedef {import("../present/screens.js").Screens} Screens */

/** Milliseconds between two settings of a figure that phones follow. */
const FOLLOWED_MS = 600;

/**
 * Opens a room for what is shown.
 * @param {Screens} screens
 * @param {string} base the address of the app, without a slash at its end
 * @returns {Promise<string>} what went wrong; "" where a room is open
 */
export async function openRoom(screens, base) {
  const { lesson, screen } = screens.screen.dataset;
  const { status, body } = await ask(`${base}/rooms`, "POST", { lesson, screen, ...told(screens) });
  if (status !== 201) return body?.detail ?? WALL.failed;
  const search = new URLSearchParams(location.search);
  search.set("room", body.code);
  history.replaceState(history.state, "", `${location.pathname}?${search}`);
  new Wall(screens, base, body.code).card.open();
  return "";
}

/**
 * What phones are told of the present screen: how they count it, where a turn comes to it; and what the class is to do, the
 * teacher's own task on the present figure, with where that stands, or a step of a plan that is words alone.
 * @param {Screens} screens
 */
function told(screens) {
  const [place, count] = screens.position();
  const task = screens.task() || screens.screen.dataset.task;
  return {
    counted: place ? [place, count] : [],
    ...(task && { task, pose: Object.fromEntries(new URLSearchParams(screens.state())) }),
  };
}

export class Wall {
  /**
   * @param {Screens} screens
   * @param {string} base
   * @param {string} code
   */
  constructor(screens, base, code) {
    this.screens = screens;
    this.address = roomAt(base, code);
    this.base = base;
    this.code = code;
    /** @type {Room | null} */
    this.room = null;
    this.heads = { here: 0, answered: 0 };
    this.commands = new Commands(this.address, (state) => this.link.take(state));
    /** What is presented, as a room names it. @type {import("./slide_position.js").Stop[]} */
    this.stops = screens.all.map(({ dataset: { lesson = "", screen = "", state } }) => ({
      lesson,
      screen,
      pose: Object.fromEntries(new URLSearchParams(state)),
    }));
    /** The task that was shown last, with the screen that it is on. */
    this.tasked = "";
    /** The poll that is shown, and the screen that it is of. */
    this.poll = { id: 0, at: 0 };
    this.leaving = new Leaving();
    /** Where the figure stands, and what was told of it last. @type {Pose} */
    this.stands = {};
    /** @type {Pose | null} */
    this.pose = null;
    this.timer = 0;
    this.isOver = false;
    this.card = new JoinCard(this);
    this.where = button("", () => this.card.toggle(), "join");
    this.count = element("p", "heads");
    this.trouble = element("p", "trouble");
    this.trouble.setAttribute("role", "status");
    screens.back.before(this.where, this.count);
    document.body.append(this.trouble);
    /** What a round is at: heard by screen readers, unlike counts. */
    this.round = element("p", "round");
    this.round.setAttribute("role", "status");
    /** Takes a screen's place while its question is asked. */
    this.stage = element("section", "screen polled");
    this.stage.hidden = true;
    document.querySelector("main")?.append(this.stage);
    document.body.dataset.room = code;
    screens.overview.addButton("Next step of the question (a)", () => this.step());
    screens.overview.addButton("Join card (j)", () => this.card.toggle());
    const remote = element("a", "", "Remote");
    remote.target = "_blank";
    // What is shown may have been chosen anew.
    const lead = () => remote.setAttribute("href", `${this.address}/remote${this.through()}`);
    for (const type of ["pointerdown", "focus"]) remote.addEventListener(type, lead);
    lead();
    screens.overview.dialog.querySelector(".ways > :last-child")?.before(remote);
    screens.actions.join = () => this.card.toggle();
    screens.actions.step = () => this.step();
    screens.shareTask = async () => {
      await this.heard(this.commands.go(this.stop()));
      await this.do("ask");
      return this.trouble.textContent ?? "";
    };
    screens.canTurn = (isRepeat) => this.mayTurn(isRepeat);
    screens.watchers.push((_, byHand) => this.turned(byHand));
    this.link = open({
      code,
      base,
      as: "screen",
      onState: (state) => this.take(state),
      onHeads: (heads) => this.hearHeads(heads),
      onConnection: (connection) => this.connected(connection),
      onGone: ({ detail }) => this.gone(detail),
    });
    this.follow();
    this.draw();
  }

  /** What tells the remote of what it goes through: a plan, or a lesson of which something is left out or added. */
  through() {
    const { entries, shown, screen } = this.screens;
    const { plan = "" } = document.body.dataset;
    const search = new URLSearchParams(plan && { plan });
    if (entries.some(({ part }, i) => shown[i] !== !part)) {
      if (!plan) search.set("lesson", screen.dataset.lesson ?? "");
      search.set("only", entries.flatMap(({ name }, i) => (shown[i] ? [name] : [])).join(","));
    }
    return search.size ? `?${search}` : "";
  }

  /** @param {Room} room */
  take(room) {
    if (room.rev < this.commands.since) return;
    this.commands.since = room.rev;
    const isOpening = !this.room;
    this.room = room;
    if (room.mode === "ended") return this.gone(WALL.ended);
    this.catchUp();
    if (room.poll && room.poll.id !== this.poll.id) {
      this.poll = { id: room.poll.id, at: this.screens.at };
      // Who asks by the remote wants the question to be seen; a room that opens with one has nobody in it yet.
      if (!isOpening) this.card.close();
    }
    this.draw();
  }

  /** @param {import("./room_connection.js").Connection} connection */
  connected(connection) {
    const isBack = connection === "connected";
    this.trouble.textContent = isBack ? "" : WALL.away;
    // A turn during an outage counts: the room has not heard of it.
    if (isBack && this.commands.owed) this.heard(this.commands.again());
  }

  /** Shows the screen that the remote has turned to. @param {Room} room */
  goTo({ lesson, screen, pose }) {
    const { at } = this.screens;
    const inLesson = this.stops.filter((stop) => stop.lesson === lesson);
    const screens = [String(screen), String(inLesson[Number(screen) - 1]?.screen ?? screen)];
    // A setting that this wall has told is no turn to another screen.
    const own = this.pose !== null && isSame(this.pose, pose);
    const there = placeIn(this.stops, at, { lesson, screens, pose: (own && this.stops[at].pose) || pose });
    if (there >= 0) return this.screens.go(there, false);
    const query = new URLSearchParams({ screen: String(screen), room: this.code });
    location.assign(`${this.base}/present/${encodeURIComponent(lesson)}?${query}`);
  }

  /** @param {import("./room_connection.js").Heads} heads */
  hearHeads(heads) {
    this.heads = heads;
    this.card.draw();
    this.draw();
  }

  /** The room is over: what is presented goes on. @param {string} detail */
  gone(detail) {
    this.link.close();
    this.isOver = true;
    this.room = null;
    delete document.body.dataset.room;
    this.trouble.textContent = detail || WALL.ended;
    this.where.remove();
    this.count.remove();
    this.card.close();
    this.screens.canTurn = () => true;
    this.screens.shareTask = null;
    this.screens.setRoomTask("");
    this.draw();
  }

  /**
   * Has the room do something. Whoever has moved it meanwhile is not overruled.
   * @param {string} verb
   * @param {Record<string, unknown>} [more]
   */
  async do(verb, more = {}) {
    if (!this.isOver) await this.heard(this.commands.tell(verb, more));
  }

  /**
   * Says what has become of a command, and comes where the room is.
   * @param {Promise<import("./commands.js").Told>} command
   */
  async heard(command) {
    const { isDone, trouble } = await command;
    if (this.isOver) return;
    this.trouble.textContent = isDone ? "" : (trouble ?? WALL.failed);
    this.catchUp();
  }

  /** Comes where the room is, once it knows of all that was done here. */
  catchUp() {
    const { room, commands } = this;
    if (!room || room.rev < commands.since || commands.isAhead) return;
    this.goTo(room);
    this.set(room.task);
  }

  /** Shows what the class is to do, whoever has said so. @param {string} task */
  set(task) {
    const { at, screen } = this.screens;
    const tasked = `${at} ${task}`;
    if (tasked === this.tasked) return;
    this.tasked = tasked;
    // A step of a plan that is words alone says it by itself.
    this.screens.setRoomTask(task === screen.dataset.task ? "" : task);
  }

  /** What the teacher is likely to do next. */
  step() {
    if (!this.room) return;
    const next = following(this.room);
    if (!next) return this.screens.turn(1);
    const { verb, ...more } = next;
    this.do(verb, more);
  }

  /** Whether one may turn: not by mistake away from a question that is open. @param {boolean} isRepeat */
  mayTurn(isRepeat) {
    // The card covers a screen that nobody has seen yet.
    if (!this.card.element.hidden) {
      this.card.close();
      return false;
    }
    const phase = this.room?.poll?.phase;
    const said = this.leaving.turn(phase !== undefined && phase !== "shown", isRepeat, Date.now());
    if (said === "warned") {
      this.trouble.textContent = WALL.leave;
      setTimeout(() => (this.trouble.textContent = ""), AGAIN_MS);
    }
    return said === "taken";
  }

  /** @param {boolean} byHand */
  turned(byHand) {
    clearTimeout(this.timer);
    this.timer = 0;
    this.pose = null;
    if (byHand && !this.isOver) {
      this.heard(this.commands.go(this.stop()));
      if (this.room) this.room.poll = null;
    }
    this.card.close();
    this.draw();
    this.follow();
  }

  /** What a room is told of the present screen. @returns {Record<string, unknown>} */
  stop() {
    return { ...this.stops[this.screens.at], ...told(this.screens) };
  }

  /** Tells phones where the figure on the wall stands, at most twice a second. */
  follow() {
    const { screen } = this.screens;
    const place = screen.querySelector(".ln-place");
    if (!(place instanceof HTMLElement)) return;
    waitForState(place.dataset.anchor ?? `figure-${place.dataset.figure}`, (values) => {
      if (screen !== this.screens.screen || this.isOver) return true;
      this.stands = values;
      // Settings stand on the figure's own controls, which may have come only now.
      if (this.room?.poll?.phase === "shown") this.draw();
      this.timer ||= setTimeout(() => this.tell(), FOLLOWED_MS);
      return false;
    });
  }

  async tell() {
    this.timer = 0;
    const pose = this.stands;
    if ((this.pose && isSame(pose, this.pose)) || this.room?.mode !== "led" || this.isOver) return;
    this.pose = pose;
    const isMeant = () => this.pose === pose && !this.isOver;
    const { isDone } = await this.commands.tell("pose", { pose }, isMeant);
    if (!this.isOver) this.catchUp();
    if (isDone || !isMeant()) return;
    // What the server would not take now is told again a moment later.
    this.pose = null;
    this.timer ||= setTimeout(() => this.tell(), 2 * FOLLOWED_MS);
  }

  draw() {
    const { room, heads, screens } = this;
    const poll = room?.poll ?? null;
    const isHere = poll && this.poll.at === screens.at;
    this.where.replaceChildren(`${this.card.said()} `, element("b", "", spaced(this.code)));
    const isSetting = poll?.kind === "setting";
    const said = isSetting ? WALL.handed : WALL.answered;
    // Whoever has answered and left counts among those who could.
    this.count.textContent = poll ? said(heads.answered, Math.max(heads.answered, heads.here)) : WALL.here(heads.here);
    const takes = isHere && poll.kind !== "setting";
    screens.screen.hidden = Boolean(takes);
    this.stage.hidden = !takes;
    const place = screens.screen.querySelector(".ln-place");
    const figure = place ? figureIn(place) : undefined;
    if (!room || !poll || !isHere) {
      this.round.remove();
      clear(screens.screen);
      return;
    }
    this.say(poll);
    if (poll.kind === "setting") {
      screens.screen.prepend(this.round);
      setting(screens.screen, room, figure);
      return;
    }
    const form = screens.screen.querySelector("form.ln-ask");
    if (!form) return;
    if (poll.phase !== "shown") question(this.stage, this.round, form, poll.labels);
    else if (poll.kind === "choice") choice(this.stage, room, form);
    else number(this.stage, room, form);
    screens.refit(this.stage);
  }

  /** Says what a round is at. @param {import("./room_connection.js").Poll} poll */
  say({ id, round, phase, kind }) {
    const [bold, words] = {
      asking: [kind === "setting" ? "" : `Round ${round}`, kind === "setting" ? WALL.move : round > 1 ? WALL.again : WALL.asking],
      closed: [WALL.closed(round), ""],
      talking: ["Talk", WALL.talk],
      shown: ["", kind === "setting" ? WALL.found : ""],
    }[phase];
    const key = `${id} ${round} ${phase} ${bold}`;
    // The same words again would be said again.
    if (this.round.dataset.said === key) return;
    this.round.dataset.said = key;
    this.round.dataset.phase = phase;
    this.round.replaceChildren(...(bold ? [element("b", "", bold.replace(/\.$/, ""))] : []), element("span", "", words ?? ""));
  }
}
