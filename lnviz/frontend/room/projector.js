// The room on the projector: the presentation view with the join address, the open question, and its results. If the room
// fails, the presentation continues without it.

import { button, element, setText } from "../engine/dom.js";
import { figureIn } from "../engine/mount.js";
import { allValues } from "../engine/address.js";
import { waitForState } from "../engine/visible_state.js";
import { applyPose } from "./figure_pose.js";
import { FigureSync } from "./figure_sync.js";
import { CornerCode } from "./corner_code.js";
import { JoinCard } from "./join_card.js";
import { showChoice, clearSettings, showNumbers, showQuestion, showSettings } from "./projector_results.js";
import { CommandQueue } from "./commands.js";
import { CONFIRM_MS, LeaveConfirmation, leaveWarning } from "./confirm_leave.js";
import { questionForm } from "./own_question.js";
import { chooseRoom, lastSlide, openRooms, rememberRoom, rememberSlide } from "./own_rooms.js";
import { RemoteRequests } from "./remote_requests.js";
import { TimeLeft } from "./time_left.js";
import { openConnection } from "./room_connection.js";
import { request, roomUrl } from "./requests.js";
import { announceServer, Retry } from "../engine/retry.js";
import { stepIn, turnStep } from "../engine/steps.js";
import { ARRIVAL_MS, isSamePose, indexInStops, stepAsked } from "./slide_position.js";
import { hasRounds } from "./question_view.js";
import { handedIn, nextCommand } from "./results.js";
import { HANDED_IN, PROJECTOR, attendanceText } from "./projector_strings.js";
import { spacedCode } from "./strings.js";

/** @typedef {import("./room_connection.js").Room} Room */
/** @typedef {import("./room_connection.js").Pose} Pose */
/** @typedef {import("../present/screens.js").Screens} Screens */

/** Status code for a browser that may not present in the room any more. */
const FORBIDDEN = 403;
/** Milliseconds for which is shown why a command failed, or why the presentation has left the room. */
const NOTICE_MS = 10_000;

/**
 * Offer to return to a room that this browser has opened before, if there is one.
 * @param {Screens} screens
 * @param {string} base URL of the app, without a trailing slash
 * @returns {Promise<string>} an error message, or "" once a room is open
 */
export async function offerRoom(screens, base) {
  return (await openRooms(base)).length ? openRoom(screens, base) : PROJECTOR.notOpened;
}

/**
 * Enter the room that the URL names. If this browser has shown this presentation in it before, and the class is elsewhere now,
 * ask whether to go there or to bring it back.
 * @param {Screens} screens
 * @param {string} base URL of the app, without a trailing slash
 * @param {string} code
 * @returns {Promise<string>} an error message, or ""
 */
export async function enterRoom(screens, base, code) {
  const open = lastSlide(code, routeOf(screens)) ? (await openRooms(base)).filter((own) => own.code === code) : [];
  // A lesson goes along with a plan where it has the plan's slide.
  const isAlong = (/** @type {Room} */ room) => isAtPresentation(screens, document.body.dataset.plan ? room : { ...room, plan: "" });
  if (open.some(({ room }) => !isAlong(room))) return goOn(screens, base, open);
  new Projector(screens, base, code);
  return "";
}

/**
 * Open a room for the presentation, or go on in one that this browser has opened before.
 * @param {Screens} screens
 * @param {string} base URL of the app, without a trailing slash
 * @param {boolean} [isTask] whether to ask the slide's task there; a new room does so by itself
 * @returns {Promise<string>} an error message, or ""
 */
export async function openRoom(screens, base, isTask = false) {
  return goOn(screens, base, await openRooms(base), isTask);
}

/** Return whether a room is at a slide of this presentation. @param {Screens} screens @param {Room} room */
function isAtPresentation(screens, room) {
  return room.plan === (document.body.dataset.plan ?? "") && findSlide(stopsOf(screens), screens.at, room) >= 0;
}

/**
 * Go on in one of these rooms, as the presenter chooses, or open another one.
 * @param {Screens} screens
 * @param {string} base URL of the app, without a trailing slash
 * @param {import("./own_rooms.js").OwnRoom[]} open
 * @param {boolean} [isTask] as for `openRoom`
 * @returns {Promise<string>} an error message, or ""
 */
async function goOn(screens, base, open, isTask = false) {
  const chosen = open.length ? await chooseRoom(open, (room) => isAtPresentation(screens, room), (code) => screens.placeOf(lastIndex(screens, code))) : { way: /** @type {const} */ ("open") };
  if (chosen === null) return PROJECTOR.notOpened;
  if (chosen.way !== "open") {
    const { code, room } = chosen.own;
    if (chosen.way === "follow") {
      location.assign(presentationOf(base, code, room));
      return PROJECTOR.notOpened;
    }
    keepInAddress(code);
    const projector = new Projector(screens, base, code);
    if (chosen.way === "bring") projector.bring(room.rev);
    return (isTask && (await screens.shareTask?.())) || "";
  }
  const { lesson, screen } = screens.screen.dataset;
  const { status, body } = await request(`${base}/rooms`, "POST", { lesson, screen, ...screenCommand(screens) });
  if (status !== 201) return body?.detail ?? PROJECTOR.failed;
  rememberRoom(body.code);
  keepInAddress(body.code);
  new Projector(screens, base, body.code);
  return "";
}

/** Name the room in the address, so that it stays when the page is loaded again. @param {string} code "" for none */
function keepInAddress(code) {
  const search = new URLSearchParams(location.search);
  if (code) search.set("room", code);
  else search.delete("room");
  history.replaceState(history.state, "", `${location.pathname}?${search}`);
}

/**
 * Return the part of a command that describes the current slide: where it is among the included ones, and its task with
 * the figure's state (a task of the teacher, or the text of a plan's step without a figure). Without a task, the room
 * takes the one that was asked there before.
 * @param {Screens} screens
 */
function screenCommand(screens) {
  const [place, count] = screens.position();
  const task = screens.task() || screens.screen.dataset.task;
  return {
    counted: place ? [place, count, ...stepIn(screens.screen)] : [],
    plan: document.body.dataset.plan ?? "",
    slide: "plan" in document.body.dataset ? screens.screen.dataset.name : "",
    slides: screens.entries.flatMap(({ name }, i) => (screens.shown[i] ? [name] : [])),
    ...(task && { task, pose: Object.fromEntries(new URLSearchParams(screens.state())) }),
  };
}

/** Leave out of the bar what it has no room for: the title, then also the address. */
function fitBar() {
  const bar = document.querySelector(".navigation");
  if (!(bar instanceof HTMLElement)) return;
  const isTooLong = () => bar.scrollWidth > bar.clientWidth;
  delete bar.dataset.full;
  for (const full of ["title", "code"]) if (isTooLong()) bar.dataset.full = full;
}

/**
 * Return the figure's state in a room, or in the description of a slide.
 * @param {{pose?: Pose, counted: number[]}} stop
 * @returns {import("./figure_sync.js").RoomFigure}
 */
function roomFigure({ pose = {}, counted: [, , step = 0] }) {
  return { pose, step };
}

/** Return descriptions of a presentation's slides, as a room names them. @param {Screens} screens */
function stopsOf(screens) {
  return screens.all.map(({ dataset: { lesson = "", screen = "", name = "", state, task = "" } }) => ({
    lesson,
    screen,
    ...("plan" in document.body.dataset && { name }),
    pose: Object.fromEntries(new URLSearchParams(state)),
    ...(task && { task }),
  }));
}

/**
 * Return the index of a room's slide; -1 if it is none of these.
 * @param {import("./slide_position.js").Stop[]} stops
 * @param {number} at the present index
 * @param {Room} room
 * @param {Pose} pose of the figure
 */
function findSlide(stops, at, { lesson, screen, slide, ...room }, pose = room.pose) {
  const inLesson = stops.filter((stop) => stop.lesson === lesson);
  const screens = [String(screen), String(inLesson[Number(screen) - 1]?.screen ?? screen)];
  return indexInStops(stops, at, { lesson, screens, pose, slide });
}

/**
 * Return the URL of the presentation of a room's plan or, without one, its lesson.
 * @param {string} base
 * @param {string} code
 * @param {{lesson: string, screen: string | number, plan: string}} room
 */
function presentationOf(base, code, { lesson, screen, plan }) {
  const path = plan ? `plans/${encodeURIComponent(plan)}` : encodeURIComponent(lesson);
  const query = new URLSearchParams({ ...(!plan && { screen: String(screen) }), room: code });
  return `${base}/present/${path}?${query}`;
}

/** Return the plan that a presentation shows, or else the lesson. @param {Screens} screens */
function routeOf(screens) {
  return document.body.dataset.plan || (screens.all[0]?.dataset.lesson ?? "");
}

/**
 * Return the index of the slide to which a room that is brought to a presentation comes: where it was there before, if the
 * presentation has just been opened; else -1, for the present one.
 * @param {Screens} screens
 * @param {string} code
 */
function lastIndex(screens, code) {
  const last = screens.entries.findIndex(({ name }) => name === lastSlide(code, routeOf(screens)));
  return screens.at === 0 && last > 0 ? last : -1;
}

/** Return a key of the slide that a room is at. @param {Room | null} room */
function placeOf(room) {
  return room ? JSON.stringify([room.lesson, room.screen, room.slide]) : "";
}

/** Connects a presentation with its room. */
export class Projector {
  /**
   * @param {Screens} screens
   * @param {string} base
   * @param {string} code
   */
  constructor(screens, base, code) {
    this.screens = screens;
    this.address = roomUrl(base, code);
    this.base = base;
    this.code = code;
    /** @type {Room | null} */
    this.room = null;
    /** @type {import("./room_connection.js").HeadCounts} */
    this.heads = { here: 0, poll: null, round: null, answered: 0, asked: 0, simulated: 0 };
    this.commands = new CommandQueue(this.address, (state) => this.connection.applyState(state));
    /** The slides, as the room names them. @type {import("./slide_position.js").Stop[]} */
    this.stops = stopsOf(screens);
    /** Key of the task shown last, and its slide. */
    this.shownTask = "";
    /** Whether the room was at this window's plan, or like this one at none. */
    this.wasAlong = false;
    /** The poll shown, its slide, the task of the step at which it was asked, or "", and until when the figure may be on its way there. */
    this.poll = { id: 0, at: 0, task: "", until: 0 };
    this.leaveConfirmation = new LeaveConfirmation();
    /** The figure of the current slide; it takes over the state that the room has when this projector enters. */
    this.figureSync = this.syncFigure(null);
    /** The position among the included slides that was sent last. */
    this.sentPosition = "";
    this.hasEnded = false;
    /** Attempts to send a turn that the server has not got. */
    this.turnRetry = new Retry(() => this.retryTurn());
    /** Where the room was before the last turn here. */
    this.turnedFrom = "";
    /** The QR code on every slide. */
    this.cornerCode = new CornerCode(() => (this.card.element.hidden ? document.querySelector(".screen:not([hidden])") : null));
    this.card = new JoinCard(this);
    this.joinButton = button("", () => this.showCard(!this.room?.card), "join");
    this.countLine = element("p", "heads");
    this.trouble = screens.trouble;
    this.trouble.onChange = fitBar;
    this.timeLeft = new TimeLeft();
    this.requests = new RemoteRequests((verb, number) => this.command(verb, { number }));
    /** Takes the slide's place while the teacher shows a student's question. */
    this.featured = element("section", "screen featured");
    this.featured.hidden = true;
    this.featuredText = element("p", "question");
    this.featuredText.setAttribute("role", "status");
    this.featured.append(element("h2", "heading", PROJECTOR.classQuestion), this.featuredText);
    screens.back.before(this.timeLeft.element, this.joinButton, this.countLine);
    document.body.append(this.requests.element);
    /** Round and phase of the poll: announced, unlike the counts. */
    this.roundLine = element("p", "round");
    this.roundLine.setAttribute("role", "status");
    /** Puts submitted settings away on all projectors, or shows them again. */
    this.handedButton = button("", () => this.turnSettings(), "handed");
    /** Takes the slide's place while its question is open. */
    this.pollScreen = element("section", "screen polled");
    this.pollScreen.hidden = true;
    document.querySelector("main")?.append(this.pollScreen, this.featured);
    document.body.dataset.room = code;
    /** What the overview offers while the room is open. @type {HTMLElement[]} */
    this.offers = [
      screens.overview.addButton("Question: next step (a)", () => this.nextStep()),
      screens.overview.addButton("Join card (j)", () => this.showCard(!this.room?.card)),
    ];
    const remote = element("a", "", "Remote");
    remote.target = "_blank";
    // Included slides may have changed.
    const updateLink = () => remote.setAttribute("href", `${this.address}/remote${this.remoteQuery()}`);
    for (const type of ["pointerdown", "focus"]) remote.addEventListener(type, updateLink);
    remote.addEventListener("click", () => screens.overview.close());
    updateLink();
    screens.overview.dialog.querySelector(".ways > :last-child")?.before(remote);
    this.offers.push(remote);
    screens.actions.join = () => this.showCard(!this.room?.card);
    screens.actions.step = () => this.nextStep();
    screens.shareTask = async () => {
      const stop = this.currentStop();
      this.figureSync.room = roomFigure(stop);
      await this.sendTurn(this.commands.turn(stop));
      return this.commands.unsentTurn ? PROJECTOR.behind : this.command("ask");
    };
    screens.onInclude = () => this.catchUp();
    screens.canTurn = (isRepeat, by) => this.canTurn(isRepeat, by);
    screens.watchers.push((_, isLocal) => this.onTurn(isLocal));
    this.connection = openConnection({
      code,
      base,
      as: "screen",
      onState: (state) => this.applyState(state),
      onHeads: (heads) => this.onHeads(heads),
      onConnection: (connection) => this.onConnection(connection),
      onGone: ({ status, detail }) => this.onGone(status === FORBIDDEN ? detail : ""),
    });
    addEventListener("resize", fitBar);
    // A page that the browser has kept, and shows again after "back", would follow the class away: it enters anew, and asks.
    addEventListener("pageshow", ({ persisted }) => {
      if (!persisted || this.hasEnded) return;
      this.connection.close();
      location.reload();
    });
    for (const type of ["click", "submit"]) document.querySelector("main")?.addEventListener(type, (event) => this.guardAnswer(event), true);
    this.followFigure();
    this.draw();
  }

  /** Keep a question's answer from being shown by a press on the projector: in a room, students answer. @param {Event} event */
  guardAnswer(event) {
    if (this.hasEnded || !(event.target instanceof Element) || !event.target.closest('form.ln-ask:not([data-kind="goal"])')) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Return the remote's query: the plan, or the slides that differ from the lesson's default. */
  remoteQuery() {
    const { entries, shown, screen } = this.screens;
    const { plan = "" } = document.body.dataset;
    const search = new URLSearchParams(plan && { plan });
    if (entries.some(({ part }, i) => shown[i] !== !part)) {
      if (!plan) search.set("lesson", screen.dataset.lesson ?? "");
      search.set("only", entries.flatMap(({ name }, i) => (shown[i] ? [name] : [])).join(","));
    }
    return search.size ? `?${search}` : "";
  }

  /** Bring the class here from another presentation, to the slide that it was at here before. @param {number} revision of the room */
  bring(revision) {
    const { screens } = this;
    this.commands.revision = revision;
    const last = lastIndex(screens, this.code);
    if (last > 0) return screens.go(last);
    // Otherwise other projectors of the room, which follow, would not know the figure's state in the address.
    const pose = Object.fromEntries(new URLSearchParams(screens.state()));
    this.onTurn(true, screens.hasOwnStates() || !Object.keys(pose).length ? {} : { pose });
  }

  /** Apply a new state of the room. @param {Room} room */
  applyState(room) {
    if (room.rev < this.commands.revision) return;
    this.commands.revision = room.rev;
    const isOpening = !this.room;
    this.room = room;
    if (room.mode === "ended") return this.onGone("");
    const isNew = room.poll !== null && room.poll.id !== this.poll.id;
    // Its slide is known once this presentation is where the room is.
    if (isNew) this.poll = { id: room.poll?.id ?? 0, at: -1, task: "", until: isOpening || room.poll?.phase !== "asking" ? 0 : Date.now() + ARRIVAL_MS };
    this.card.show(room.card ?? false); // which hides the figure's steps
    this.catchUp();
    this.card.draw();
    if (isNew && !isOpening) this.screens.overview.close();
    this.draw();
  }

  /** @param {import("./room_connection.js").Connection} connection */
  onConnection(connection) {
    const isBack = connection === "connected";
    this.trouble.set("connection", isBack ? "" : PROJECTOR.away);
    // What was turned during an outage is sent again soon.
    if (isBack) announceServer();
  }

  /** Return the index of the room's slide, or -1 if the presentation does not have it. @param {Room} room */
  indexOf(room) {
    const { at } = this.screens;
    // A pose of the figure that is shown here is no turn to another slide.
    const isOwnPose = this.figureSync.room !== null && isSamePose(this.figureSync.room.pose, room.pose);
    return findSlide(this.stops, at, room, (isOwnPose && this.stops[at].pose) || room.pose);
  }

  /**
   * Return whether another window has turned the class to a plan, or away from one; a remote may just not know it.
   * @param {Room} room
   */
  isTakenAway({ plan, slides = [] }) {
    return this.wasAlong && plan !== (document.body.dataset.plan ?? "") && slides.length > 0;
  }

  /**
   * Return whether a state of the room is at the slide that is shown here: the latest state, unless a turn from here will
   * override it.
   * @param {Room | null} [state]
   * @returns {boolean}
   */
  isHere(state = this.commands.unsentTurn ? null : this.room) {
    return !state || (!this.isTakenAway(state) && this.indexOf(state) === this.screens.at);
  }

  /** Show the room's slide; return whether this presentation has it, instead of making way for another. @param {Room} room */
  goTo(room) {
    const { lesson, screen, plan } = room;
    const isTakenAway = this.isTakenAway(room);
    this.wasAlong ||= plan === (document.body.dataset.plan ?? "");
    const index = this.indexOf(room);
    if (index >= 0 && !isTakenAway) {
      this.screens.go(index, false);
      return true;
    }
    location.assign(presentationOf(this.base, this.code, { lesson, screen, plan: isTakenAway ? plan : "" }));
    return false;
  }

  /** @param {import("./room_connection.js").HeadCounts} heads */
  onHeads(heads) {
    this.heads = heads;
    this.card.draw();
    this.draw();
  }

  /** Leave the room: the presentation continues. @param {string} detail why, unless the room was ended */
  onGone(detail) {
    this.connection.close();
    this.figureSync.close();
    this.turnRetry.cancel();
    this.hasEnded = true;
    this.room = null;
    delete document.body.dataset.room;
    this.trouble.set("command", "");
    this.trouble.set("connection", detail || PROJECTOR.ended, NOTICE_MS);
    for (const node of [this.joinButton, this.countLine, this.timeLeft.element, this.requests.element, this.featured, ...this.offers]) node.remove();
    this.card.remove();
    this.cornerCode.remove();
    this.screens.canTurn = () => true;
    this.screens.shareTask = null;
    delete this.screens.actions.join;
    delete this.screens.actions.step;
    keepInAddress("");
    this.screens.overview.addButton(PROJECTOR.open, () => {
      keepInAddress("new");
      location.reload();
    });
    this.screens.setRoomTask("");
    this.draw();
  }

  /**
   * Send a command. Concurrent changes by others win.
   * @param {string} verb
   * @param {Record<string, unknown>} [more]
   * @returns {Promise<string>} an error message, or ""
   */
  async command(verb, more = {}) {
    return this.hasEnded ? "" : this.report(this.commands.enqueue(verb, more));
  }

  /**
   * Show the result of a command, and synchronize with the room.
   * @param {Promise<import("./commands.js").CommandResult>} command
   * @returns {Promise<string>} an error message, or ""
   */
  async report(command) {
    const { isDone, error } = await command;
    if (this.hasEnded) return "";
    const message = isDone ? "" : (error ?? PROJECTOR.failed);
    this.trouble.set("command", message, NOTICE_MS);
    this.catchUp();
    return message;
  }

  /**
   * Show the result of a turn, which is sent again until the server has it.
   * @param {Promise<import("./commands.js").CommandResult>} turn
   */
  async sendTurn(turn) {
    const [{ isFinal }] = await Promise.all([turn, this.report(turn)]);
    if (isFinal || this.hasEnded) {
      this.turnedFrom = placeOf(this.room);
      return this.turnRetry.cancel();
    }
    this.trouble.set("command", PROJECTOR.behind);
    this.turnRetry.schedule();
  }

  /** Send a turn again, unless the room has been turned by others meanwhile: then this presentation goes where the class is. */
  retryTurn() {
    this.sendTurn(this.commands.retryTurn((state) => placeOf(state ?? this.room) === this.turnedFrom));
  }

  /** Whether the room's state includes all commands sent from here. */
  get isCaughtUp() {
    return this.room !== null && this.room.rev >= this.commands.revision && !this.commands.isAhead;
  }

  /** Synchronize with the room, once its state includes all commands sent from here. */
  catchUp() {
    const { room } = this;
    if (!room || !this.isCaughtUp || !this.goTo(room)) return;
    rememberSlide(this.code, routeOf(this.screens), this.screens.entries[this.screens.at].name);
    if (room.poll) this.poll.at = this.screens.at;
    this.figureSync.follow(room);
    this.showTask(room.task);
    this.draw();
    this.sendPosition(room);
  }

  /** Tell the room where this slide is among the included ones, if a remote does not know. @param {Room} room */
  async sendPosition(room) {
    const { counted: [place, count, ...shown], plan, slide, slides } = screenCommand(this.screens);
    // A question hides the steps, which the room keeps unless it has none.
    const steps = room.counted.length > 2 || !this.figureSync.isAgreed ? room.counted.slice(2) : shown;
    const counted = place ? [place, count, ...steps] : [];
    const position = JSON.stringify([counted, plan, slide, slides]);
    const sent = `${position} ${JSON.stringify(room.results)}`;
    if (sent === this.sentPosition || position === JSON.stringify([room.counted, room.plan, room.slide, room.slides])) return;
    this.sentPosition = sent; // once after each question: another window may include other slides
    const { isDone, isFinal } = await this.commands.enqueue("count", { counted, plan, slide, slides }, (state) => this.isHere(state));
    if (!this.hasEnded) this.catchUp();
    if (!isFinal || (!isDone && !this.isHere(this.room))) this.sentPosition = ""; // again with the room's next state
  }

  /** Show the room's task. @param {string} task */
  showTask(task) {
    const { at, screen } = this.screens;
    const shownTask = `${at} ${task}`;
    if (shownTask === this.shownTask) return;
    this.shownTask = shownTask;
    // A plan's step without a figure shows its text already.
    this.screens.setRoomTask(task === screen.dataset.task ? "" : task);
  }

  /** Show the join card in place of the slide, or hide it. @param {boolean} open */
  async showCard(open) {
    if (!this.room) return;
    this.room.card = open;
    this.draw();
    const error = await this.command("card", { open });
    if (!error || !this.room || this.room.card !== open) return;
    this.room.card = !open;
    this.draw();
  }

  /** Put submitted settings away, or show them again. */
  turnSettings() {
    if (this.room?.poll) this.command("away");
    else this.command("recall", { poll: handedIn(this.room?.results ?? [])?.id });
  }

  /** Send the most likely next command. */
  nextStep() {
    if (!this.room) return;
    const next = nextCommand(this.room);
    if (!next) return this.screens.turn(1);
    const { verb, ...more } = next;
    this.command(verb, more);
  }

  /**
   * Return whether turning is allowed: leaving an open question needs confirmation.
   * @param {boolean} isRepeat
   * @param {number} by 1 or -1
   */
  canTurn(isRepeat, by) {
    // The join card hides a slide that the class has not seen yet: close it first.
    if (this.room?.card) {
      this.showCard(false);
      return false;
    }
    if (this.room?.featured) {
      this.room.featured = null;
      this.command("feature", { question: null });
      this.draw();
      return false;
    }
    const poll = this.room?.poll;
    const isOpen = Boolean(poll && poll.phase !== "shown");
    const decision = this.leaveConfirmation.check(isOpen, isRepeat, Date.now(), by);
    if (poll && decision === "warned") this.trouble.set("leave", leaveWarning(poll), CONFIRM_MS);
    if (decision === "allowed" || decision === "taken back") this.trouble.set("leave", "");
    return decision === "allowed";
  }

  /**
   * Handle a turn of the slide.
   * @param {boolean} isLocal
   * @param {{pose?: Pose}} [state] of the slide's figure, if it is not the usual one
   */
  onTurn(isLocal, state = {}) {
    this.figureSync.close();
    this.clearQuestion(); // of an earlier visit: it hides the figure's steps
    // A projector that goes where the room is when it enters has yet to take over the figure's state there.
    let known = this.figureSync.room && this.room && roomFigure(this.room);
    if (isLocal && !this.hasEnded) {
      const stop = { ...this.currentStop(), ...state };
      known = roomFigure(stop);
      if (!this.commands.unsentTurn) this.turnedFrom = placeOf(this.room);
      this.sendTurn(this.commands.turn(stop));
      if (this.room) Object.assign(this.room, { poll: null, featured: null, card: false, results: [] });
    }
    this.figureSync = this.syncFigure(known);
    this.draw();
    this.followFigure();
  }

  /** Return the description of the current slide for the room, to be sent to it. */
  currentStop() {
    return { ...this.stops[this.screens.at], ...screenCommand(this.screens) };
  }

  /** Synchronize the current slide's figure. @param {import("./figure_sync.js").RoomFigure | null} room as in `FigureSync` */
  syncFigure(room) {
    const { screens } = this;
    const { screen } = screens;
    const shownFigure = () => {
      const place = screen.querySelector(".ln-place");
      const figure = place ? figureIn(place) : undefined;
      return figure?.controller.currentState ? figure : null;
    };
    return new FigureSync(
      {
        read: () => {
          const figure = shownFigure();
          // While a question or a task hides the steps, the room keeps the one at which it began.
          const { poll = null, task = "", counted = [] } = this.room ?? {};
          return figure && { pose: allValues(figure.controller.state), step: poll || task ? counted.slice(2) : stepIn(screen) };
        },
        apply: async ({ pose, step }) => {
          await screens.figureStart; // which would be taken for a movement of the teacher's
          const figure = shownFigure();
          if (figure) await applyPose(figure, pose, step);
        },
        turnStep: (by) => {
          screens.overview.close();
          const figure = screen.querySelector(".ln");
          if (figure) turnStep(figure, by);
        },
        send: ({ pose, step }, isStepKnown, isCurrent) => {
          const { counted: [place, count], plan, slide, slides } = screenCommand(screens);
          return this.commands.enqueue("pose", { pose, counted: place && !isStepKnown ? [place, count, ...step] : [], plan, slide, slides }, (state) => isCurrent(state) && this.isHere(state));
        },
        onSent: () => this.catchUp(),
      },
      room,
    );
  }

  /** Watch the current slide's figure. */
  followFigure() {
    const { screens: { screen }, figureSync } = this;
    const place = screen.querySelector(".ln-place");
    if (!(place instanceof HTMLElement)) return;
    waitForState(place.dataset.anchor ?? `figure-${place.dataset.figure}`, () => {
      if (figureSync.isClosed) return true;
      // Settings are drawn on the figure's controls, which may only now be loaded.
      if (this.room?.poll?.kind === "setting" || this.room?.poll?.phase === "shown") this.draw();
      else this.drawHandedButton();
      figureSync.onSettled();
      if (this.isCaughtUp && this.room) this.sendPosition(this.room);
      return false;
    });
  }

  draw() {
    const { room, heads, screens } = this;
    const poll = room?.poll ?? null;
    this.timeLeft.show(poll);
    this.requests.show(room?.remotes ?? []);
    this.card.show(room?.card ?? false);
    const isFeatured = Boolean(room?.featured);
    this.featured.hidden = !isFeatured;
    setText(this.featuredText, room?.featured?.text ?? "");
    const isHere = poll && this.poll.at === screens.at;
    const invitation = [element("span", "", this.card.joinAddress()), " ", element("b", "", spacedCode(this.code))];
    this.joinButton.replaceChildren(...(room?.locked ? [PROJECTOR.locked] : invitation));
    this.countLine.textContent = room ? attendanceText(room, heads) : "";
    fitBar();
    const showsPoll = Boolean(isHere && poll.kind !== "setting");
    screens.screen.hidden = showsPoll || isFeatured;
    this.pollScreen.hidden = !showsPoll || isFeatured;
    const place = screens.screen.querySelector(".ln-place");
    const figure = place ? figureIn(place) : undefined;
    this.drawHandedButton();
    if (!room || !poll || !isHere) {
      this.clearQuestion();
      return;
    }
    this.showRound(poll);
    if (poll.kind === "setting") {
      screens.screen.prepend(this.roundLine);
      showSettings(screens.screen, room, figure);
      return;
    }
    const form = poll.text ? questionForm(poll) : screens.screen.querySelector("form.ln-ask");
    if (!form) return;
    if (poll.phase !== "shown") showQuestion(this.pollScreen, this.roundLine, form, poll.labels);
    else if (poll.kind === "choice") showChoice(this.pollScreen, room, form);
    else showNumbers(this.pollScreen, room, form);
    screens.refit(this.pollScreen);
  }

  /** Offer to put submitted settings away, above them, or to show them again, among the figure's controls. */
  drawHandedButton() {
    const { room, screens: { screen, at }, handedButton } = this;
    const poll = room?.poll;
    const isShown = poll?.kind === "setting" && poll.phase === "shown" && this.poll.at === at;
    const isAway = !poll && handedIn(room?.results ?? []) !== null;
    const parent = isShown ? screen : isAway ? screen.querySelector(".ln .controls") : null;
    setText(handedButton, isShown ? PROJECTOR.figure : HANDED_IN);
    if (!parent) handedButton.remove();
    else if (handedButton.parentElement !== parent) parent.append(handedButton);
  }

  /** Clear the question from the current slide, which shows its figure again at once. */
  clearQuestion() {
    const { screens } = this;
    this.roundLine.remove();
    if (clearSettings(screens.screen)) screens.refit(screens.screen);
  }

  /**
   * Return the words of the round of a poll about a setting. What students look for is said by the step at whose state the
   * figure was asked about, if it is a task; else by the teacher.
   * @param {import("./room_connection.js").Poll["phase"]} phase
   */
  settingWords(phase) {
    const { screens: { screen }, room } = this;
    const isSaid = Boolean(room?.task) || screen.matches(".goal");
    const place = screen.querySelector(".ln-place");
    const figure = place ? figureIn(place) : undefined;
    if (!isSaid && room?.poll && figure?.controller.currentState) {
      const states = Date.now() < this.poll.until ? [room.poll.pose, room.pose] : [room.poll.pose];
      this.poll.task ||= figure.layout.steps.taskAt(stepAsked(room.poll, room.counted), ...states); // which stays when the figure moves on
    }
    const { task } = this.poll;
    const rest = phase === "shown" ? PROJECTOR.found : phase !== "asking" ? "" : isSaid || task ? PROJECTOR.move : PROJECTOR.moveFreely;
    return [task, rest].filter(Boolean).join(" ");
  }

  /** Show round and phase of a poll. @param {import("./room_connection.js").Poll} poll */
  showRound(poll) {
    const { id, round, phase, kind } = poll;
    const setting = kind === "setting" ? this.settingWords(phase) : "";
    const isPaused = this.room?.mode === "paused";
    const [bold, words] = {
      asking: [hasRounds(poll) ? `Round ${round}` : "", isPaused ? PROJECTOR.paused : setting || (round > 1 ? PROJECTOR.again : PROJECTOR.asking)],
      closed: [PROJECTOR.closed(hasRounds(poll) ? round : 0), setting],
      talking: ["Talk", PROJECTOR.talk],
      shown: ["", setting],
    }[phase];
    const key = `${id} ${round} ${phase} ${bold} ${words}`;
    // Setting the same text would announce it again.
    if (this.roundLine.dataset.said === key) return;
    this.roundLine.dataset.said = key;
    this.roundLine.dataset.phase = phase;
    this.roundLine.replaceChildren(...(bold ? [element("b", "", bold.replace(/\.$/, ""))] : []), element("span", "", words ?? ""));
  }
}
