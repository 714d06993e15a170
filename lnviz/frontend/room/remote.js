// Entry script of the presenter remote: next step, live results, and room settings. Only the remote sees live counts.

import { setChildren, div, button, element, labeledField, setText } from "../engine/dom.js";
import { confirmed } from "./confirm.js";
import { Device } from "./device.js";
import { EndDialog, RoomDialog } from "./dialogs.js";
import { OwnQuestionDialog } from "./own_question_dialog.js";
import { askedScreen } from "./own_question.js";
import { QuestionList } from "./question_list.js";
import { askToLead } from "./remote_admission.js";
import { RemoteRequests } from "./remote_requests.js";
import { getLocal, getSession, setLocal, setSession } from "../engine/memory.js";
import { PRESS_GUARD_MS } from "./live_list.js";
import { CONFIRM_MS, LeaveConfirmation, leaveWarning } from "./confirm_leave.js";
import { Histogram } from "./histogram.js";
import { openConnection } from "./room_connection.js";
import { request, roomUrl } from "./requests.js";
import { parseHtml } from "./deck.js";
import { MIN_ANSWERS, coverCommand, differsOnlyInPose, hasArrived, hasTurned, hint, isBehind, nextActions, shownSteps, stepAt } from "./presenter_actions.js";
import { indexInStops, stopsFromQuery, stopsOfRoom } from "./slide_position.js";
import { REMOTE } from "./remote_strings.js";
import { withSimulated } from "./projector_strings.js";
import { spacedCode, writeSentence } from "./strings.js";

/** @typedef {import("./room_connection.js").Room} Room */
/** @typedef {import("./room_connection.js").Tally} Tally */
/** @typedef {import("./deck.js").Screen} Screen */
/** @typedef {import("./presenter_actions.js").Action} Action */
/** @typedef {import("./slide_position.js").Stop} Stop */

/** Milliseconds for which the reason of a failure is shown; longer while the server is not connected. */
const FAILURE_MS = 10_000;
/** Milliseconds after a press in which is said that it was undone elsewhere. */
const UNDONE_MS = 10_000;
/** Maximum number of actions beside the main button. */
const MAX_OTHERS = 3;
/** Name under which the browser keeps the time limit. */
const TIME_LIMIT = "time limit";
/** Maximum attempts of a command while the projector's figure moves. */
const MAX_POSE_RETRIES = 3;
const MODES = /** @type {const} */ (["led", "free", "paused"]);
/** Maximum length of the next slide's title. */
const MAX_TITLE = 48;
const [NO_KEY, FORBIDDEN, GONE] = [401, 403, 410];
/** Time limits of a round to choose from; 0 for none. */
const TIME_LIMITS_S = [0, 30, 60, 120, 300];
const KEYS = { PageDown: 1, PageUp: -1 };

/** The presenter remote. */
class Remote extends Device {
  /** @param {HTMLElement} body the server's data */
  constructor(body) {
    super(body, `${REMOTE.remote} @`);
    const { code, base } = this;
    /** @type {Tally | null} */
    this.tally = null;
    /** The current slide, as far as loaded. @type {Screen | null} */
    this.screen = null;
    /** The slides of a plan, or the included ones; empty for all of a lesson. @type {Stop[]} */
    this.plan = [];
    /** All slides of the plan; empty without one. @type {Stop[]} */
    this.wholePlan = [];
    /** The slides that the URL selects. @type {Stop[]} */
    this.chosenStops = [];
    /** Index in the plan; -1 for a slide outside it. Stored across reloads, since a slide may occur twice. */
    this.planIndex = Number(getSession(`plan ${code}`));
    /** By which the room knows this remote; 0 in the browser that opened the room. */
    this.number = 0;
    /** Whether a command is being sent. */
    this.isBusy = false;
    /** When a slide or step was turned to here last. */
    this.turnedAt = 0;
    /** Timers of the buttons that have changed. @type {Map<HTMLButtonElement, ReturnType<typeof setTimeout>>} */
    this.guardTimers = new Map();
    this.isCovered = false;
    this.isConnected = false;
    this.leaveConfirmation = new LeaveConfirmation();
    /** Whether the error is that the server did not get a command. */
    this.hasFailed = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.errorTimer = undefined;

    this.countTiles = [REMOTE.here, REMOTE.answered, REMOTE.away, REMOTE.lost].map((words) => ({ words: element("dt", "", words), number: element("dd") }));
    this.tiles = element("dl", "tiles");
    for (const { words, number } of this.countTiles) this.tiles.append(div("tile", [words, number]));

    this.back = button(REMOTE.back, () => this.turn(-1));
    this.next = button(REMOTE.next, () => this.turn(1));
    this.positionText = element("b");
    this.nextText = element("span", "soft");
    const here = element("p");
    here.append(this.positionText, element("br"), this.nextText);
    const turner = div("turner", [this.back, here, this.next]);

    this.modes = MODES.map((mode) => button(REMOTE.mode[mode], () => this.command("mode", { mode })));
    MODES.forEach((mode, i) => {
      // Named by the mode alone, and described by what it does.
      this.modes[i].ariaLabel = REMOTE.mode[mode];
      this.modes[i].ariaDescription = REMOTE.modeSays[mode];
      this.modes[i].append(element("small", "", REMOTE.modeSays[mode]));
    });
    const segments = div("segments", this.modes);
    segments.setAttribute("role", "group");
    segments.ariaLabel = REMOTE.modes;

    this.path = element("ol", "path");
    /** Title of the question: announced, unless it contains counts. */
    this.title = element("span");
    this.title.setAttribute("role", "status");
    const heading = element("h2");
    heading.append(this.title);
    this.questionText = element("div", "question-text");
    this.coverButton = button(REMOTE.cover, () => this.toggleCover(), "cover");
    this.histogram = new Histogram((value, words) => this.discard(value, words));
    this.covered = element("p", "soft covered", REMOTE.covered);
    this.addressBox = element("div", "reach");
    this.live = div("live", [div("top", [div("", [heading, this.questionText]), this.coverButton]), this.covered, this.histogram.element, this.histogram.more, this.addressBox]);
    this.hint = element("p", "hint");
    this.errorLine = element("p", "trouble");
    this.errorLine.setAttribute("role", "status");
    this.projectorLine = element("p", "trouble");
    this.projectorLine.setAttribute("role", "status");
    this.requests = new RemoteRequests((verb, number) => this.command(verb, { number }));
    this.limit = element("select");
    for (const seconds of TIME_LIMITS_S) this.limit.append(new Option(seconds ? REMOTE.limits(seconds) : REMOTE.noLimit, String(seconds)));
    this.limit.value = getLocal(TIME_LIMIT);
    if (this.limit.selectedIndex < 0) this.limit.value = "0";
    this.limit.addEventListener("change", () => {
      setLocal(TIME_LIMIT, this.limit.value);
      this.draw();
    });
    const limitField = labeledField(REMOTE.timeLimit, this.limit);
    this.questions = new QuestionList(this.address, (verb, more) => this.command(verb, more));
    this.main = element("main");
    /** Results of the teacher's own questions on this slide. */
    this.ownResults = element("section", "own-results");
    this.main.append(this.requests.element, this.tiles, turner, segments, this.path, this.live, this.hint, this.ownResults);

    /** The present action of each button. @type {Map<HTMLButtonElement, Action | null>} */
    this.actions = new Map();
    this.mainButton = button("", () => this.press(this.mainButton), "main");
    this.otherButtons = Array.from({ length: MAX_OTHERS }, () => {
      const other = button("", () => this.press(other));
      return other;
    });
    this.lockButton = button(REMOTE.lock, () => this.command("lock", { locked: !this.room?.locked }));
    this.endDialog = new EndDialog(code, this.address, () => this.endRoom());
    this.ownDialog = new OwnQuestionDialog((own) => this.command("ask", { own, ...this.timeLimit() }));
    this.roomDialog = new RoomDialog(this.address, spacedCode(code), {
      decide: (verb, number) => this.command(verb, { number }),
      askOwn: () => this.ownDialog.open(this.seconds),
      toggleCard: () => this.command("card", { open: !this.room?.card }),
      post: (path, more) => this.post(path, more),
    });
    this.roomDialog.addParts(limitField, this.questions.element);
    this.roomButton = button(REMOTE.setUp, () => {
      this.roomDialog.open();
      this.questions.live.refresh();
    });
    this.footer = element("footer");
    const doors = [this.lockButton, this.roomButton, button(REMOTE.end, () => this.endDialog.open())];
    // Where it is seen: the rest scrolls.
    this.footer.append(this.projectorLine, this.errorLine, this.mainButton, div("others", this.otherButtons), div("three", doors));
    body.prepend(div("phone remote", [this.header, this.main, this.footer]));
    body.append(this.endDialog.element, this.roomDialog.element, this.ownDialog.element);
    addEventListener("keydown", (event) => this.onKey(event));

    this.showConnection("");
    this.connection = openConnection({
      code,
      as: "remote",
      base,
      onState: (room) => this.applyState(room),
      onYou: ({ number }) => {
        this.number = number;
        this.draw();
      },
      onTally: (tally) => {
        this.tally = tally;
        this.draw();
      },
      onConnection: (connection) => {
        this.showConnection(connection);
        this.isConnected = connection === "connected";
        this.draw();
        if (this.isConnected && this.hasFailed) this.showFailure();
      },
      onGone: ({ status }) => this.showEnd(status === NO_KEY || status === FORBIDDEN ? REMOTE.noKey : status === GONE ? REMOTE.isOver : REMOTE.ended),
    });
    this.loadPlan();
  }

  /** Load the plan that the URL names. */
  async loadPlan() {
    const search = new URLSearchParams(location.search);
    const name = search.get("plan");
    this.wholePlan = name ? await this.deck.getPlan(name) : [];
    this.chosenStops = stopsFromQuery(search, this.wholePlan);
    this.locateInPlan();
    this.draw();
  }

  /** Apply a new state of the room. @param {Room} room */
  async applyState(room) {
    const { room: before } = this;
    this.room = room;
    if (room.mode === "ended") {
      this.showEnd(REMOTE.ended);
      return;
    }
    if (before && (hasTurned(before, room) || !differsOnlyInPose(before, room) || (this.hasFailed && hasArrived(before, room)))) this.showError("");
    // A projector whose network was away sends what was pressed there meanwhile.
    if (before && !this.isBusy && Date.now() < this.turnedAt + UNDONE_MS && isBehind(before, room)) this.showError(REMOTE.undone, FAILURE_MS);
    this.draw();
    const { lesson, screen, plan } = room;
    const [loaded] = await Promise.all([this.deck.get(lesson, screen), plan && this.deck.getPlan(plan)]);
    if (this.room !== room || !loaded) return;
    this.screen = loaded;
    this.locateInPlan();
    this.draw();
    const next = this.stopAt(1);
    if (next && !next.title && (await this.deck.get(next.lesson, next.screen))) this.draw();
  }

  /** Locate the current slide in the plan. */
  locateInPlan() {
    const { room, screen } = this;
    // The projector may show another plan than the URL names.
    const wholePlan = room?.plan ? this.deck.cachedPlan(room.plan) : this.wholePlan;
    this.plan = room ? stopsOfRoom(room, wholePlan, this.chosenStops) : this.chosenStops;
    if (!room || !screen || screen !== this.deck.cached(room.lesson, room.screen)) return;
    const screens = [screen.name, String(screen.place)];
    this.setPlanIndex(indexInStops(this.plan, Math.max(0, this.planIndex), { lesson: room.lesson, screens, pose: room.pose, slide: room.slide }));
  }

  /** @param {number} index */
  setPlanIndex(index) {
    this.planIndex = index;
    if (index >= 0) setSession(`plan ${this.code}`, String(index));
  }

  /**
   * Return the slide at an offset from the current one.
   * @param {number} by
   * @returns {Stop | null}
   */
  stopAt(by) {
    const { screen } = this;
    if (!screen) return null;
    if (this.plan.length && this.planIndex >= 0) return this.plan[this.planIndex + by] ?? null;
    const place = screen.place + by;
    return place < 1 || place > screen.count ? null : { lesson: screen.lesson, screen: place };
  }

  /** Return whether there is a step of the figure, or else a slide, at an offset from the current one. @param {number} by */
  canTurn(by) {
    return Boolean(this.room && stepAt(this.room, by)) || this.stopAt(by) !== null;
  }

  /**
   * Show an error, or a warning; "" for none.
   * @param {string} words
   * @param {number} [milliseconds] after which it disappears; 0 for never
   */
  showError(words, milliseconds = 0) {
    this.hasFailed = false;
    clearTimeout(this.errorTimer);
    if (milliseconds) this.errorTimer = setTimeout(() => this.showError(""), milliseconds);
    this.errorLine.textContent = words;
  }

  /**
   * Show why a request failed, or nothing if it succeeded.
   * @param {number} status 0 if there was no response
   * @param {{detail?: string} | null} body
   * @returns {boolean} whether it succeeded
   */
  showResult(status, body) {
    const isDone = status >= 200 && status < 300;
    if (status === 0) this.showFailure();
    else if (isDone) this.showError("");
    else this.showError(body?.detail || REMOTE.failed, FAILURE_MS);
    return isDone;
  }

  /** Say that the server did not get a command, until the connection has been back for a while, or a change in the room may be this command. */
  showFailure() {
    this.showError(REMOTE.failed);
    this.hasFailed = true;
    this.errorTimer = setTimeout(() => this.isConnected && this.showError(""), FAILURE_MS);
  }

  /**
   * Return whether the slide may be left: an open question only with a second press in the same direction.
   * @param {boolean} isRepeat
   * @param {number} by 1 or -1
   */
  mayLeave(isRepeat, by) {
    const poll = this.room?.poll;
    const isOpen = Boolean(poll && poll.phase !== "shown");
    const decision = this.leaveConfirmation.check(isOpen, isRepeat, Date.now(), by);
    if (poll && decision === "warned") this.showError(leaveWarning(poll), CONFIRM_MS);
    if (decision === "taken back") this.showError("");
    return decision === "allowed";
  }

  /**
   * Turn to the next step of the figure, and after its last one to the next slide.
   * @param {number} by 1 or -1
   * @param {boolean} [isRepeat] whether the key is repeating
   */
  async turn(by, isRepeat = false) {
    const cover = this.room && coverCommand(this.room);
    if (cover) {
      const { verb, ...more } = cover;
      await this.command(verb, more);
      return;
    }
    const step = this.room ? stepAt(this.room, by) : 0;
    if (step) {
      await this.command("step", { step });
      return;
    }
    const stop = this.stopAt(by);
    if (!stop || !this.mayLeave(isRepeat, by)) return;
    // A name survives changes of the lesson, a number does not.
    const screen = (await this.deck.get(stop.lesson, stop.screen))?.name ?? stop.screen;
    const index = this.plan.indexOf(stop);
    const counted = index >= 0 ? [index + 1, this.plan.length] : [];
    await this.command("go", { lesson: stop.lesson, screen, pose: stop.pose ?? {}, ...(stop.task && { task: stop.task }), slide: stop.name ?? "", counted });
  }

  /**
   * Send a command to the room. While one is being sent, others are refused.
   * @param {string} verb
   * @param {Record<string, unknown>} [more]
   * @returns {Promise<boolean>} whether it succeeded
   */
  async command(verb, more = {}) {
    const { room } = this;
    if (!room) return false;
    if (this.isBusy) {
      this.showError(REMOTE.busy);
      return false;
    }
    this.isBusy = true;
    // As the server sent it: without this device's clock, and not closed by it.
    const before = this.connection.state ?? room;
    const post = (/** @type {number} */ rev) => request(`${this.address}/do`, "POST", { verb, rev, ...more });
    let { status, body } = await post(room.rev);
    // The projector's figure has moved meanwhile: the command is still meant.
    for (let left = MAX_POSE_RETRIES; left > 0 && status === 409 && body?.state && differsOnlyInPose(before, body.state); left -= 1) {
      ({ status, body } = await post(body.state.rev));
    }
    if (status === 0) this.connection.wake();
    if (body?.state) this.connection.applyState(body.state);
    this.isBusy = false;
    const isDone = this.showResult(status, body);
    if (isDone && (verb === "go" || verb === "step")) this.turnedAt = Date.now();
    this.draw();
    return isDone;
  }

  /** Run the action of a button. @param {HTMLButtonElement} pressed */
  async press(pressed) {
    const action = this.actions.get(pressed);
    if (!action || "new" in pressed.dataset) return;
    if (action.command === "next") return void this.turn(1);
    if (action.discards && !(await this.mayDiscard())) return;
    const { verb, ...more } = action.command;
    this.command(verb, ["ask", "again", "over"].includes(verb) ? { ...more, ...this.timeLimit() } : more);
  }

  /** Return whether the answers so far may be discarded: there are none, or the teacher says so. */
  async mayDiscard() {
    const poll = this.room?.poll?.id;
    const answered = this.tally?.poll === poll ? (this.tally?.answered ?? 0) : 0;
    return !answered || ((await confirmed(REMOTE.overAsk, REMOTE.overSays(answered), REMOTE.withLimit(REMOTE.overIt, this.seconds))) && this.room?.poll?.id === poll);
  }

  /**
   * Remove an answer of any number of students, if the teacher says so.
   * @param {import("./room_connection.js").Value} value
   * @param {string} words the same in words
   */
  async discard(value, words) {
    const { id, round } = this.room?.poll ?? {};
    const isIt = (/** @type {unknown} */ other) => JSON.stringify(other) === JSON.stringify(value);
    const [, count = 0] = this.tally?.values.find(([each]) => isIt(each)) ?? [];
    const isMeant = await confirmed(REMOTE.discardAsk(count, words), REMOTE.discardSays, REMOTE.discardIt);
    // Another round or question may have begun meanwhile.
    if (isMeant && this.room?.poll?.id === id && this.room?.poll?.round === round) await this.post("/clear", { value });
  }

  /** Time limit in seconds that is chosen for the next round; 0 for none. */
  get seconds() {
    return Number(this.limit.value);
  }

  /** Return the time limit as an argument of a command. */
  timeLimit() {
    return this.seconds ? { seconds: this.seconds } : {};
  }

  /**
   * Send a request that is no command of the room's state.
   * @param {string} path below the room's URL
   * @param {Record<string, unknown>} more
   * @returns {Promise<boolean>} whether it succeeded
   */
  async post(path, more) {
    const { status, body } = await request(`${this.address}${path}`, "POST", more);
    return this.showResult(status, body);
  }

  /** Disable a button that has changed for a moment. @param {HTMLButtonElement} changed */
  guard(changed) {
    changed.dataset.new = "";
    clearTimeout(this.guardTimers.get(changed));
    this.guardTimers.set(changed, setTimeout(() => delete changed.dataset.new, PRESS_GUARD_MS));
  }

  /** End the room, whose answers are deleted for everybody at once. */
  async endRoom() {
    const { status } = await request(this.address, "DELETE");
    if (status === 200 || status === 204) this.showEnd(REMOTE.ended);
    else this.showFailure();
  }

  toggleCover() {
    this.isCovered = !this.isCovered;
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const by = KEYS[/** @type {keyof typeof KEYS} */ (event.key)];
    if (!by || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    this.turn(by, event.repeat);
  }

  /** Show a final message. @param {string} sentence */
  showEnd(sentence) {
    this.connection.close();
    this.room = null;
    this.timeLeft.show(null);
    for (const { element: dialog } of [this.endDialog, this.roomDialog, this.ownDialog]) dialog.close();
    const line = element("p", "end", sentence);
    line.setAttribute("role", "status");
    this.statusLine.hidden = true;
    this.footer.remove();
    this.main.replaceChildren(line);
    if (sentence !== REMOTE.isOver) return;
    this.main.append(this.endDialog.downloadLink());
  }

  draw() {
    const { room, tally, screen } = this;
    if (!room) return;
    const { poll, remotes = [] } = room;
    // While a slide is loading, do not show the previous one's question.
    const slide = screen && screen === this.deck.cached(room.lesson, room.screen) ? screen : null;
    const current = askedScreen(poll, slide, room.right);
    this.timeLeft.show(poll);
    this.requests.show(remotes);
    this.roomDialog.showRemotes(remotes, this.number);
    this.questions.show(room, tally);
    setText(this.projectorLine, this.isConnected && tally?.projected === false ? REMOTE.noProjector : "");
    setText(this.roomButton, tally?.questions ? REMOTE.withQuestions(tally.questions) : REMOTE.setUp);
    this.drawCounts(room, tally);
    this.drawPosition(room, slide);
    MODES.forEach((mode, i) => this.modes[i].setAttribute("aria-pressed", String(room.mode === mode)));
    // The tally may belong to the previous poll or round.
    const ownTally = poll && tally?.poll === poll.id && tally.round === poll.round ? tally : null;
    const { title, steps, step, main, others } = nextActions(room, current, ownTally);
    this.title.setAttribute("role", poll && poll.kind !== "choice" ? "none" : "status");
    setText(this.title, current || poll ? title : REMOTE.coming);
    this.drawQuestion(poll?.text ? "" : room.task, current);
    this.drawSteps(steps, step);
    this.setButton(this.mainButton, main);
    this.otherButtons.forEach((other, i) => this.setButton(other, others[i] ?? null));
    this.roomDialog.showVote(poll?.phase === "asking");
    this.roomDialog.showCard(room.card);
    this.drawOwnResults(room);
    this.lockButton.setAttribute("aria-pressed", String(room.locked));
    setText(this.lockButton, room.locked ? REMOTE.isLocked : REMOTE.lock);
    this.results(room, current, ownTally);
  }

  /** Draw the results of the teacher's own questions on this slide. @param {Room} room */
  drawOwnResults({ poll, results = [] }) {
    const own = poll?.phase === "asking" ? [] : results.filter(({ text }) => text);
    const key = JSON.stringify(own);
    this.ownResults.hidden = !own.length;
    if (this.ownResults.dataset.of === key) return;
    this.ownResults.dataset.of = key;
    const buttons = own.map(({ id, text }) => button(REMOTE.recall(shortened(text)), () => this.command("recall", { poll: id })));
    this.ownResults.replaceChildren(element("h3", "", REMOTE.ownResults), ...buttons);
  }

  /** Draw the question's text, which stands on the projector, too. @param {string} task @param {Screen | null} screen */
  drawQuestion(task, screen) {
    const html = task ? "" : (screen?.asked?.text ?? "");
    const key = `${task} ${html}`;
    if (this.questionText.dataset.of === key) return;
    this.questionText.dataset.of = key;
    this.questionText.replaceChildren(...(task ? [task] : parseHtml(html)));
  }

  /**
   * Draw the results and a recommendation.
   * @param {Room} room
   * @param {Screen | null} screen
   * @param {Tally | null} tally of the present round
   */
  results(room, screen, tally) {
    const { poll } = room;
    if (poll && tally) this.histogram.show(poll, tally, screen);
    const isShown = poll !== null && tally !== null;
    this.coverButton.hidden = !isShown;
    setText(this.coverButton, this.isCovered ? REMOTE.uncover : REMOTE.cover);
    this.live.classList.toggle("is-covered", isShown && this.isCovered);
    this.covered.hidden = !isShown || !this.isCovered;
    this.histogram.element.hidden = !isShown;
    this.histogram.more.hidden = !isShown || !this.histogram.more.textContent;
    const [bold, rest] = tally ? hint(room, screen, tally) : ["", ""];
    this.hint.hidden = !(bold || rest);
    this.hint.classList.toggle("is-covered", this.isCovered);
    if (this.hint.textContent !== `${bold} ${rest}`) writeSentence(this.hint, bold ? `@ ${rest}` : ` ${rest}`, bold);
    const isEmpty = !poll && (this.tally?.here ?? 0) === 0;
    this.addressBox.hidden = !isEmpty;
    if (isEmpty && !this.addressBox.firstChild) this.roomDialog.showAddresses(this.addressBox);
  }

  /** @param {Room} room @param {Tally | null} tally */
  drawCounts({ poll }, tally) {
    const { here = 0, answered = 0, away = 0, lost = 0 } = tally ?? {};
    const isFew = here < MIN_ANSWERS;
    const numbers = [here, answered, isFew ? "–" : away, isFew ? "–" : lost];
    this.countTiles.forEach(({ number }, i) => setText(number, String(numbers[i])));
    setText(this.countTiles[0].words, withSimulated(REMOTE.here, tally?.simulated));
    setText(this.countTiles[1].words, poll?.kind === "setting" ? REMOTE.handed : REMOTE.answered);
    for (const { number } of this.countTiles.slice(2)) number.title = isFew ? REMOTE.few : "";
    this.roomDialog.show(tally);
  }

  /** @param {Room} room @param {Screen | null} screen */
  drawPosition(room, screen) {
    if (!screen) return;
    const { counted } = room;
    const [step = 0, steps = 0] = shownSteps(room);
    const next = this.stopAt(1);
    const planned = this.planIndex >= 0 ? this.plan[this.planIndex] : null;
    const ownCount = this.planIndex >= 0 && this.plan.length ? [this.planIndex + 1, this.plan.length] : [screen.place, screen.count];
    // Prefer the projector's own count.
    const [place, count] = counted.length ? counted : ownCount;
    // A question is shown in full below.
    const called = screen.asked || room.task ? "" : shortened(planned?.title ?? screen.called);
    setText(this.positionText, REMOTE.at(called, place, count, steps ? REMOTE.step(step, steps) : ""));
    const nextStep = stepAt(room, 1);
    const title = nextStep ? REMOTE.step(nextStep, steps) : next && (next.title ?? shortTitle(this.deck.cached(next.lesson, next.screen)));
    setText(this.nextText, title ? REMOTE.then.replace("@", () => title) : next ? "" : REMOTE.last);
    this.back.setAttribute("aria-disabled", String(!this.canTurn(-1)));
    this.next.setAttribute("aria-disabled", String(!this.canTurn(1)));
  }

  /** @param {string[]} steps @param {number} step */
  drawSteps(steps, step) {
    const items = steps.map((words, i) => {
      const item = element("li", "", `${i + 1} ${words}`);
      if (i === step) item.ariaCurrent = "step";
      return item;
    });
    setChildren(this.path, items);
  }

  /**
   * @param {HTMLButtonElement} node
   * @param {Action | null} action null hides it
   */
  setButton(node, action) {
    const before = this.actions.get(node);
    this.actions.set(node, action);
    node.hidden = !action;
    const isTimed = action && action.command !== "next" && ["ask", "again"].includes(action.command.verb);
    const words = isTimed ? REMOTE.withLimit(action.words, this.seconds) : (action?.words ?? "");
    if (node.textContent !== words) {
      node.textContent = words;
      // Who goes on may do so, whether it is to a step or to a slide.
      if (before?.command !== "next" || action?.command !== "next") this.guard(node);
    }
    const isShut = !action || (action.command === "next" && !this.canTurn(1));
    node.setAttribute("aria-disabled", String(isShut));
  }
}

/** Return a slide's title, truncated. @param {Screen | null} screen */
function shortTitle(screen) {
  if (!screen) return "";
  return shortened(screen.called);
}

/** Return a text, truncated at a word. @param {string} words */
function shortened(words) {
  return words.length > MAX_TITLE ? `${words.slice(0, MAX_TITLE).replace(/\s+\S*$/, "")} …` : words;
}

const { code = "", base = "" } = document.body.dataset;
const token = new URLSearchParams(location.search).get("once");
if (token) askToLead(roomUrl(base, code), token);
else new Remote(document.body);
