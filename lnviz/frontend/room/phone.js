// Entry script of a participant's phone: follows the projector, sends answers, and shows what became of them.

import { setChildren, div, element } from "../engine/dom.js";
import { NumberPanel } from "./question_panels.js";
import { Device } from "./device.js";
import { canLookAhead, connectionState, needsAttention } from "./question_view.js";
import { PhoneChrome } from "./phone_chrome.js";
import { joinForm } from "./join_form.js";
import { AnswerOutbox } from "./answer_outbox.js";
import { announceServer, Retry } from "../engine/retry.js";
import { openConnection, backoff } from "./room_connection.js";
import { BrowsePanel } from "./browse.js";
import { PhoneQuestions } from "./phone_questions.js";
import { questionPanel, browsePanel, updateBrowsePanel } from "./panels.js";
import { request, putAnswer } from "./requests.js";
import { nextToBrowse, slidesToBrowse } from "./slide_position.js";
import { PHONE, spacedCode, writeSentence } from "./strings.js";

/** @typedef {import("./room_connection.js").Room} Room */
/** @typedef {import("./room_connection.js").Value} Value */
/** @typedef {import("./room_connection.js").Participant} Participant */
/** @typedef {import("./room_connection.js").Connection} Connection */
/** @typedef {import("./deck.js").Screen} Screen */
/** @typedef {import("./panels.js").Panel} Panel */

/** Milliseconds after which "I am lost" expires. */
const LOST_MS = 5 * 60_000;
/** Milliseconds between attempts to join a locked room. */
const LOCKED_RETRY_MS = 10_000;
/** Status codes of a join request. */
const [NOT_FOUND, GONE, LOCKED] = [404, 410, 423];
const [NO_SEAT, NO_COOKIE] = [401, 403];
/** Fragment of a page reloaded to get a cookie. */
const RELOADED = "#again";

/** A participant's phone. */
class Phone extends Device {
  /** @param {HTMLElement} body the server's data */
  constructor(body) {
    super(body, body.dataset.code ? `${PHONE.room} @` : PHONE.app);
    /** The projector's slide, as far as loaded. @type {Screen | null} */
    this.teacherScreen = null;
    /** Timer of the next attempt to load the slide. @type {ReturnType<typeof setTimeout> | undefined} */
    this.retry = undefined;
    /** Whether to show a question by its letters only, since its text cannot be loaded: the projector has the text. */
    this.isLettersOnly = false;
    /** Number of the slide being browsed; 0 while following. */
    this.browsedPlace = 0;
    this.isLost = false;
    /** @type {Connection | ""} */
    this.connection = "";
    /** Time of the next connection attempt. */
    this.retryAt = 0;
    /** An answer that arrived after the round was closed. @type {{poll: number, round: number, value: Value} | null} */
    this.lateAnswer = null;
    /** Attempts to tell the server the "lost" and "following" flags. */
    this.signalRetry = new Retry(() => this.signal());
    /** Attempts to load the slide being browsed. */
    this.browseRetry = new Retry(() => void (this.browsedPlace && this.go(0)));
    /** @type {import("./room_connection.js").RoomConnection | null} */
    this.roomConnection = null;
    /** @type {AnswerOutbox | null} */
    this.outbox = null;
    /** The current panel, and the key that it was made for. @type {Panel | null} */
    this.panel = null;
    this.panelKey = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.lostTimer = undefined;
    /** Whether this phone had a seat, lost it and has no other one yet. */
    this.isOut = false;
    /**
     * Says that the teacher has removed this phone's answer, or all of them with its seat: no other seat with answers is
     * ever removed. It is on the page before it has a text: screen readers announce only what changes there.
     */
    this.removal = element("p", "removal");
    this.removal.setAttribute("role", "status");
    /** A student's question that the projector shows. */
    this.featured = element("p", "featured");
    this.featured.setAttribute("role", "status");
    /** The room's lesson, of which the phone still knows after the end. */
    this.lesson = "";

    this.questions = new PhoneQuestions(this.address);
    body.append(this.questions.element);
    this.chrome = new PhoneChrome({
      questionsButton: this.questions.button,
      go: (by) => this.go(by),
      follow: () => this.follow(),
      browse: () => this.lookAround(),
      lose: () => this.setLost(!this.isLost),
    });
    this.main = element("main");
    this.page = div("phone", [this.header, this.chrome.announcement, this.main, this.chrome.footer]);
    body.prepend(this.page);
  }

  /** Join the room, retrying until it succeeds. */
  async join() {
    for (let failures = 0; ; ) {
      this.showStatus();
      const { status, body, retryAfter } = await request(`${this.address}/seat`, "POST", {});
      if (status === 200) {
        if (location.hash === RELOADED) history.replaceState(null, "", location.pathname);
        return this.start(body);
      }
      if (status === NOT_FOUND) return this.askForCode(PHONE.wrong, spacedCode(this.code));
      if (status === NO_SEAT) return this.reloadForCookie(body?.detail ?? "");
      if (status === GONE) return this.showEnd(PHONE.ended);
      failures += 1;
      let wait = retryAfter ? retryAfter * 1000 * (1 + Math.random() / 2) : backoff(failures);
      if (status === LOCKED) {
        this.showEnd([...(this.isOut ? [PHONE.out] : []), body?.detail ?? "", PHONE.knocking].join(" "));
        wait = lockedRetryDelay();
      } else if (body?.detail) this.askForCode(body.detail);
      else this.onConnection(navigator.onLine ? "away" : "offline", Math.ceil(wait / 1000));
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  /**
   * Reload the page to get an identity cookie; explain if the browser refuses cookies.
   * @param {string} detail
   */
  reloadForCookie(detail) {
    if (location.hash === RELOADED) {
      this.showEnd(detail);
      setTimeout(() => location.reload(), lockedRetryDelay());
      return;
    }
    location.hash = RELOADED;
    location.reload();
  }

  /**
   * Show the form for the room code.
   * @param {string} [why] it is asked again
   * @param {string} [named]
   */
  askForCode(why = "", named = "") {
    const existing = this.main.querySelector(".why");
    if (this.panelKey === "joining" && existing) return writeSentence(existing, why, named); // keep what is being typed
    const line = element("p", "why");
    line.setAttribute("role", "status");
    this.panelKey = "joining";
    this.panel = { element: joinForm((code) => location.assign(`${this.base}/${code}`), this.code, line) };
    this.connection = "";
    this.showStatus();
    setChildren(this.main, [this.panel.element]);
    writeSentence(line, why, named);
  }

  /** Start after joining. @param {{state: Room, you: Participant}} seat */
  start({ state, you }) {
    this.outbox ??= new AnswerOutbox({
      code: this.code,
      put: (answer, signal) => putAnswer(this.address, answer, signal),
      onChange: () => this.draw(),
      onRejected: ({ poll, round, value }, { body }) => {
        if (body?.state) this.lateAnswer = { poll, round, value };
        if (body?.you) this.outbox?.merge(body.you);
        if (body?.state) this.roomConnection?.applyState(body.state);
      },
      onRemoved: ({ poll, round }) => {
        if (poll === this.room?.poll?.id && round === this.room.poll.round) this.removal.textContent = PHONE.removedAnswer;
        this.draw();
      },
      onDoubt: () => this.roomConnection?.wake(),
    });
    this.isLost = you.lost;
    this.isOut = false;
    this.roomConnection = openConnection({
      code: this.code,
      as: "seat",
      base: this.base,
      onState: (room) => this.applyState(room),
      onYou: (now) => this.outbox?.merge(now),
      onConnection: (connection, seconds) => this.onConnection(connection, seconds),
      onGone: ({ status }) => this.onGone(status),
    });
    this.connection = "connected";
    this.roomConnection.applyState(state);
    this.outbox.merge(you);
    if (!you.following) this.signal(); // after a reload the phone follows
    if (you.lost) this.scheduleFade();
    this.draw();
  }

  /** Apply a new state of the room. @param {Room} room */
  applyState(room) {
    const { room: before } = this;
    this.room = room;
    if (room.mode === "ended") return this.onGone(GONE);
    this.lesson = room.lesson;
    const isTurned = room.lesson !== before?.lesson || room.screen !== before?.screen;
    if (isTurned) this.isLettersOnly = false;
    const isOther = isTurned || room.poll?.id !== before?.poll?.id || room.poll?.round !== before?.poll?.round;
    if (isOther && before) this.removal.textContent = "";
    const wasBrowsing = this.browsedPlace > 0;
    if (before && routeOf(room) !== routeOf(before)) this.browsedPlace = 0;
    // Leading and pausing apply to everyone.
    if (room.mode === "led" && before && before.mode !== "led") this.browsedPlace = 0;
    if (room.mode === "paused") this.browsedPlace = 0;
    if (wasBrowsing && !this.browsedPlace) this.signal();
    // The dialog keeps what is written in it.
    if (before && needsAttention(before, room)) this.questions.element.close();
    // Not while a retry is scheduled.
    if (isTurned || !this.retry) this.fetch();
    this.draw();
  }

  /** Load the projector's slide, and its plan. */
  async fetch() {
    const { room } = this;
    if (!room) return;
    const { lesson, screen, plan } = room;
    clearTimeout(this.retry);
    this.retry = undefined;
    const isPlanMissing = () => plan !== "" && !this.deck.plans.has(plan);
    const known = this.deck.cached(lesson, screen);
    if (known) this.teacherScreen = known;
    if (known && !isPlanMissing()) return;
    const [loaded] = await Promise.all([this.deck.get(lesson, screen), plan && this.deck.getPlan(plan)]);
    if (this.room?.lesson !== lesson || this.room.screen !== screen) return;
    if (loaded) this.teacherScreen = loaded;
    else this.isLettersOnly = true;
    this.draw();
    clearTimeout(this.retry);
    if (!loaded || isPlanMissing()) this.retry = setTimeout(() => this.fetch(), backoff(3));
  }

  /**
   * @param {Connection} connection
   * @param {number} seconds until the next attempt
   */
  onConnection(connection, seconds) {
    const isBack = connection === "connected" && this.connection !== "connected";
    this.connection = connection;
    this.retryAt = Date.now() + 1000 * seconds;
    this.showStatus();
    if (isBack) {
      announceServer();
      this.outbox?.resend();
      this.fetch();
    }
    this.draw();
    if (connection === "away") this.countDown();
  }

  /** Count down to the next connection attempt. */
  countDown() {
    if (this.connection !== "away" || Date.now() >= this.retryAt) return;
    setTimeout(() => {
      this.draw();
      this.countDown();
    }, 1000);
  }

  /** @param {number} status */
  onGone(status) {
    this.roomConnection?.close();
    this.roomConnection = null;
    // Without its cookie the browser joins again; a locked room refuses that.
    if (status === NO_SEAT || status === NO_COOKIE) {
      this.room = null;
      this.isOut = true;
      if (this.outbox?.hasKept) this.removal.textContent = PHONE.removed;
      this.join();
      return;
    }
    this.outbox?.clear();
    this.showEnd(PHONE.ended);
  }

  /** Show a final message. @param {string} sentence */
  showEnd(sentence) {
    if (this.panelKey === "end" && this.main.querySelector(".ending")?.textContent === sentence) return;
    this.room = null;
    this.connection = "";
    this.panelKey = "end";
    this.timeLeft.show(null);
    this.showStatus();
    this.chrome.footer.hidden = true;
    this.panel?.remove?.();
    const line = element("p", "ending");
    line.setAttribute("role", "status");
    const links = [["join", PHONE.another]];
    if (sentence === PHONE.ended && this.lesson) links.unshift([this.lesson, PHONE.lesson]);
    const nodes = links.map(([address, words]) => {
      const link = element("a", "button", words);
      link.href = `${this.base}/${address}`;
      return link;
    });
    this.panel = { element: div("asked", [line, div("leaving", nodes)]) };
    setChildren(this.main, [this.panel.element]);
    line.textContent = sentence;
  }

  /**
   * The slides to browse, and whether later ones than the projector's are shut; none before its slide is loaded.
   * @returns {import("./slide_position.js").Around & {isShut: boolean}}
   */
  get around() {
    const { room, teacherScreen } = this;
    if (!room || !teacherScreen) return { stops: [], place: 0, most: 0, isShut: false };
    const { stops, place } = slidesToBrowse(room, teacherScreen, this.deck.cachedPlan(room.plan));
    const isShut = !canLookAhead(room, this.deck.cached(room.lesson, room.screen)?.asked ?? null);
    return { stops, place, most: isShut ? Math.min(place, stops.length) : stops.length, isShut };
  }

  /** Number of the slide being browsed, if it is not the projector's; 0 otherwise. */
  get ownPlace() {
    const { place } = this.around;
    return place && this.browsedPlace !== place ? this.browsedPlace : 0;
  }

  follow() {
    this.browsedPlace = 0;
    this.signal();
    this.draw();
  }

  lookAround() {
    const { place } = this.around;
    if (this.room?.mode === "paused" || !place) return;
    this.browsedPlace ||= place;
    this.signal();
    this.draw();
  }

  /** @param {number} by */
  async go(by) {
    const { around } = this;
    const place = (this.browsedPlace = nextToBrowse(around, this.browsedPlace, by));
    this.browseRetry.cancel();
    this.draw();
    const stop = around.stops[place - 1];
    const screen = stop && (await this.deck.get(stop.lesson, stop.screen));
    if (stop && !screen && this.browsedPlace === place) this.browseRetry.schedule();
    this.draw();
  }

  /** @param {boolean} isLost */
  setLost(isLost) {
    this.isLost = isLost;
    clearTimeout(this.lostTimer);
    if (isLost) this.scheduleFade();
    this.signal();
    this.draw();
  }

  scheduleFade() {
    this.lostTimer = setTimeout(() => this.setLost(false), LOST_MS);
  }

  /** Send the "lost" and "following" flags. */
  async signal() {
    const [lost, following] = [this.isLost, !this.browsedPlace];
    const { status } = await request(`${this.address}/signal`, "POST", { lost, following });
    if (lost !== this.isLost || following !== !this.browsedPlace) return; // a later signal tells the server
    if (status === 200 || status === 204 || !this.roomConnection) this.signalRetry.cancel();
    else this.signalRetry.schedule();
  }

  /** Show the connection state, and whether an answer is being sent. */
  showStatus() {
    const isSending = this.room?.poll ? this.answerIn(this.room.poll.round)?.kept === false : false;
    const isComing = this.code !== "" && this.panelKey !== "joining" && this.panelKey !== "end";
    this.showConnection(connectionState(this.connection, isSending), isComing ? PHONE.connecting : "");
  }

  /** Return the participant's answer in a round of the current poll. @param {number} round */
  answerIn(round) {
    const { poll } = this.room ?? {};
    return poll && round > 0 ? (this.outbox?.answerTo(poll.id, round) ?? null) : null;
  }

  /** @returns {import("./question_view.js").Facts} */
  facts(/** @type {Room} */ room) {
    const { poll } = room;
    const isLate = poll && this.lateAnswer?.poll === poll.id && this.lateAnswer.round === poll.round;
    return {
      room,
      answer: this.answerIn(poll?.round ?? 0),
      previous: this.answerIn((poll?.round ?? 0) - 1),
      late: isLate ? (this.lateAnswer?.value ?? null) : null,
      connection: this.connection,
      seconds: Math.max(1, Math.ceil((this.retryAt - Date.now()) / 1000)),
    };
  }

  draw() {
    const { room } = this;
    if (!room) return;
    this.showStatus();
    this.timeLeft.show(room.poll);
    this.questions.show(room.questions);
    const { around } = this;
    const { stops: { length: count }, place } = around;
    if (place && this.browsedPlace > around.most) {
      this.browsedPlace = 0;
      this.signal();
    }
    const panel = this.currentPanel(room);
    panel.show?.(this.facts(room));
    const { chrome, teacherScreen, browsedPlace, ownPlace, isLost } = this;
    const [isFirst, isLast] = [-1, 1].map((by) => nextToBrowse(around, browsedPlace, by) === browsedPlace);
    const isCurrent = teacherScreen !== null && teacherScreen === this.deck.cached(room.lesson, room.screen);
    const called = room.task || (this.planned.title ?? teacherScreen?.called ?? "");
    const title = (this.planned.name && this.deck.plans.get(room.plan)?.title) || (teacherScreen?.title ?? "");
    chrome.show({ room, teacherScreen, isCurrent, title, called, browsedPlace, ownPlace, place, count, isFirst, isLast, isLost }, panel.bar ? [panel.bar] : []);
    this.page.dataset.mode = room.mode;
    const asked = room.featured?.text ?? "";
    if (this.featured.dataset.text !== asked) writeSentence(this.featured, asked && "@ @", PHONE.classQuestion, asked);
    this.featured.dataset.text = asked;
    setChildren(this.main, [chrome.where, this.removal, this.featured, ...(browsedPlace ? [chrome.turner] : []), panel.element]);
  }

  /** @param {number} poll id of the poll; answers to a previous one are dropped @param {Value} value */
  submit(poll, value) {
    this.lateAnswer = null;
    this.removal.textContent = "";
    const current = this.room?.poll;
    if (current?.id === poll) this.outbox?.submit(poll, current.round, value);
  }

  /** The projector's slide in its plan; empty without a plan, and before it is loaded. @returns {Partial<import("./slide_position.js").Stop>} */
  get planned() {
    const { plan = "", slide = "" } = this.room ?? {};
    return this.deck.cachedPlan(plan).find(({ name }) => name === slide) ?? {};
  }

  /**
   * Return the panel to show; the current one is kept if it still fits.
   * @param {Room} room
   * @returns {Panel}
   */
  currentPanel(room) {
    const { poll } = room;
    const { ownPlace, around, planned } = this;
    const own = ownPlace ? around.stops[ownPlace - 1] : null;
    const { lesson, screen: screenName } = own ?? room;
    const screen = this.deck.cached(lesson, screenName);
    const isAsked = poll !== null && !ownPlace && (screen !== null || this.isLettersOnly);
    const followed = [isAsked ? poll.id : "", room.task, planned.title];
    const panelKey = [lesson, screenName, ownPlace, ...(own ? [] : followed), screen ? "" : "coming"].join(" ");
    if (panelKey !== this.panelKey || !this.panel) {
      // Keep what is being typed when the question's text arrives.
      const typed = this.panel instanceof NumberPanel && isAsked && this.panel.poll === poll.id ? this.panel.input.value : "";
      this.panel?.remove?.();
      this.panel = isAsked ? questionPanel(room, poll, screen, (value) => this.submit(poll.id, value), planned) : browsePanel(room, screen, own !== null, own ?? planned);
      if (typed && this.panel instanceof NumberPanel) this.panel.input.value = typed;
      this.panelKey = panelKey;
    }
    if (this.panel instanceof BrowsePanel) updateBrowsePanel(this.panel, room, ownPlace > 0, this.browsedPlace > 0 && around.isShut);
    return this.panel;
  }
}

/** Return a key of the slides that the projector goes through. @param {Room} room */
function routeOf({ slides = [], lesson }) {
  return String(slides) || lesson;
}

/** Return the milliseconds until the next attempt to join a locked room, spread over the class. */
function lockedRetryDelay() {
  return LOCKED_RETRY_MS * (0.75 + Math.random() / 2);
}

const phone = new Phone(document.body);
if (phone.code) phone.join();
else phone.askForCode();
