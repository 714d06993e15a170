// A student's phone in a room: it shows what the wall shows, takes answers, and says what has become of them.

import { setChildren, div, element } from "../engine/dom.js";
import { NumberField } from "./asked.js";
import { Device } from "./device.js";
import { horizon, standing } from "./question_view.js";
import { Frame } from "./phone_chrome.js";
import { joining } from "./joining.js";
import { Kept } from "./answer_outbox.js";
import { open, scattered } from "./room_connection.js";
import { Look } from "./browse.js";
import { asking, looking, tell } from "./panels.js";
import { ask, put } from "./requests.js";
import { PHONE, spaced, write } from "./words.js";

/** @typedef {import("./room_connection.js").Room} Room */
/** @typedef {import("./room_connection.js").Value} Value */
/** @typedef {import("./room_connection.js").You} You */
/** @typedef {import("./room_connection.js").Connection} Connection */
/** @typedef {import("./deck.js").Screen} Screen */
/** @typedef {import("./panels.js").Panel} Panel */

/** Milliseconds after which nobody is lost any more. */
const LOST = 5 * 60_000;
/** Milliseconds between two knocks at a door that is locked. */
const DOOR = 10_000;
/** Answers of the server to whoever wants a seat. */
const [WRONG, ENDED, LOCKED, OFTEN] = [404, 410, 423, 429];
const [NO_SEAT, NO_COOKIE] = [401, 403];
/** Of a page that has been loaded for a name. */
const AGAIN = "#again";

class Phone extends Device {
  /** @param {HTMLElement} body what the server has written there */
  constructor(body) {
    super(body, body.dataset.code ? `${PHONE.room} @` : PHONE.app);
    /** The teacher's screen, as far as it has come. @type {Screen | null} */
    this.teachers = null;
    /** The screen that is asked for again a moment later. @type {ReturnType<typeof setTimeout> | undefined} */
    this.retry = undefined;
    /** Whether a question whose words do not come is shown by its letters: the wall has the words. */
    this.isLetters = false;
    /** The place where a student looks around; 0 while following. */
    this.look = 0;
    this.isLost = false;
    /** @type {Connection | ""} */
    this.connection = "";
    /** When the server is asked again. */
    this.again = 0;
    /** An answer that came too late. @type {{poll: number, round: number, value: Value} | null} */
    this.late = null;
    /** Whether the server has been told whether one is lost, and follows. */
    this.isTold = true;
    /** @type {import("./room_connection.js").Link | null} */
    this.link = null;
    /** @type {Kept | null} */
    this.kept = null;
    /** What stands in the middle, and what it was made for. @type {Panel | null} */
    this.panel = null;
    this.made = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.fading = undefined;

    this.frame = new Frame({
      go: (by) => this.go(by),
      follow: () => this.follow(),
      look: () => this.lookAround(),
      lose: () => this.lose(!this.isLost),
    });
    this.main = element("main");
    this.page = div("phone", [this.header, this.frame.turned, this.main, this.frame.footer]);
    body.prepend(this.page);
  }

  /** Takes a seat, once the server gives one. */
  async join() {
    for (let failures = 0; ; ) {
      this.tellStanding();
      const { status, body, later } = await ask(`${this.address}/seat`, "POST", {});
      if (status === 200) {
        if (location.hash === AGAIN) history.replaceState(null, "", location.pathname);
        return this.begin(body);
      }
      if (status === WRONG) return this.enter(PHONE.wrong, spaced(this.code));
      if (status === NO_SEAT) return this.rename(body?.detail ?? "");
      if (status === ENDED) return this.end(PHONE.ended);
      failures += 1;
      let wait = later ? later * 1000 * (1 + Math.random() / 2) : scattered(failures);
      if (status === LOCKED) {
        this.end(PHONE.door);
        wait = atTheDoor();
      } else if (status === OFTEN) this.enter(body?.detail ?? "");
      else this.connected(navigator.onLine ? "away" : "offline", Math.ceil(wait / 1000));
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  /**
   * Loads the page anew, which gives this browser a name; one that keeps none is told so.
   * @param {string} detail
   */
  rename(detail) {
    if (location.hash === AGAIN) {
      this.end(detail);
      setTimeout(() => location.reload(), atTheDoor());
      return;
    }
    location.hash = AGAIN;
    location.reload();
  }

  /**
   * Asks for a code.
   * @param {string} [why] it is asked for again
   * @param {string} [named]
   */
  enter(why = "", named = "") {
    const said = this.main.querySelector(".why");
    if (this.made === "joining" && said) return write(said, why, named); // what is half typed stays
    const line = element("p", "why");
    line.setAttribute("role", "status");
    this.made = "joining";
    this.panel = { element: joining((code) => location.assign(`${this.base}/${code}`), this.code, line) };
    this.connection = "";
    this.tellStanding();
    setChildren(this.main, [this.panel.element]);
    write(line, why, named);
  }

  /** @param {{state: Room, you: You}} seat */
  begin({ state, you }) {
    this.kept ??= new Kept({
      code: this.code,
      put: (given, withdrawn) => put(this.address, given, withdrawn),
      changed: () => this.draw(),
      refused: ({ poll, round, value }, { body }) => {
        if (body?.state) this.late = { poll, round, value };
        if (body?.you) this.kept?.hear(body.you);
        if (body?.state) this.link?.take(body.state);
      },
      unheard: () => this.link?.wake(),
    });
    this.isLost = you.lost;
    this.link = open({
      code: this.code,
      as: "seat",
      base: this.base,
      onState: (room) => this.take(room),
      onYou: (now) => this.kept?.hear(now),
      onConnection: (connection, seconds) => this.connected(connection, seconds),
      onGone: ({ status }) => this.gone(status),
    });
    this.connection = "connected";
    this.kept.hear(you);
    this.link.take(state);
    if (!you.following) this.signal(); // a page that was loaded anew follows
    if (you.lost) this.fade();
    this.draw();
  }

  /** @param {Room} room */
  take(room) {
    const { room: before } = this;
    this.room = room;
    if (room.mode === "ended") return this.gone(ENDED);
    const isTurned = room.lesson !== before?.lesson || room.screen !== before?.screen;
    if (isTurned) this.isLetters = false;
    const isAsked = room.poll && room.poll.id !== before?.poll?.id;
    if (before && room.lesson !== before.lesson) this.look = 0;
    // What was ahead is shut while a question is open, and a teacher who begins to lead leads all.
    if (room.mode === "led" && before && before.mode !== "led") this.look = 0;
    if (isAsked && this.teachers && this.look > this.teachers.place) this.look = 0;
    // One that is asked for again by itself is not asked for by each state, too.
    if (isTurned || !this.retry) this.fetch();
    this.draw();
  }

  /** Gets the teacher's screen. */
  async fetch() {
    const { room } = this;
    if (!room) return;
    const { lesson, screen } = room;
    clearTimeout(this.retry);
    this.retry = undefined;
    const there = this.deck.at(lesson, screen);
    if (there) this.teachers = there;
    else if (await this.deck.get(lesson, screen)) {
      if (this.room?.lesson !== lesson || this.room.screen !== screen) return;
      this.teachers = this.deck.at(lesson, screen);
      this.draw();
    } else if (this.room?.lesson === lesson && this.room.screen === screen) {
      this.isLetters = true;
      this.draw();
      clearTimeout(this.retry);
      this.retry = setTimeout(() => this.fetch(), scattered(3));
    }
  }

  /**
   * @param {Connection} connection
   * @param {number} seconds until the server is asked again
   */
  connected(connection, seconds) {
    const isBack = connection === "connected" && this.connection !== "connected";
    this.connection = connection;
    this.again = Date.now() + 1000 * seconds;
    this.tellStanding();
    if (isBack) {
      this.kept?.again();
      if (!this.isTold) this.signal();
      this.fetch();
      if (this.look) this.go(0);
    }
    this.draw();
    if (connection === "away") this.count();
  }

  /** Counts the seconds until the server is asked again. */
  count() {
    if (this.connection !== "away" || Date.now() >= this.again) return;
    setTimeout(() => {
      this.draw();
      this.count();
    }, 1000);
  }

  /** @param {number} status */
  gone(status) {
    this.link?.close();
    this.link = null;
    // A browser that has lost its cookie sits down again; the room may take nobody new.
    if (status === NO_SEAT || status === NO_COOKIE) {
      this.room = null;
      this.join();
      return;
    }
    this.kept?.forget();
    this.end(PHONE.ended);
  }

  /** Says the last there is to say. @param {string} sentence */
  end(sentence) {
    if (this.made === "end" && this.main.querySelector(".end")?.textContent === sentence) return;
    this.room = null;
    this.connection = "";
    this.made = "end";
    this.tellStanding();
    this.frame.footer.hidden = true;
    this.panel?.remove?.();
    const line = element("p", "end");
    line.setAttribute("role", "status");
    const leave = element("a", "", PHONE.another);
    leave.href = `${this.base}/join`;
    this.panel = { element: div("asked", [line, leave]) };
    setChildren(this.main, [this.panel.element]);
    line.textContent = sentence;
  }

  /** Where the student is, if it is not where the teacher is. */
  get place() {
    return this.look && this.look !== this.teachers?.place ? this.look : 0;
  }

  follow() {
    this.look = 0;
    this.signal();
    this.draw();
  }

  lookAround() {
    this.look ||= this.teachers?.place ?? 1;
    this.signal();
    this.draw();
  }

  /** @param {number} by */
  async go(by) {
    const { room, teachers } = this;
    if (!room || !teachers) return;
    const most = horizon(room, teachers.place, teachers.count);
    this.look = Math.max(1, Math.min(most, this.look + by));
    this.draw();
    await this.deck.get(teachers.lesson, this.look);
    this.draw();
  }

  /** @param {boolean} isLost */
  lose(isLost) {
    this.isLost = isLost;
    clearTimeout(this.fading);
    if (isLost) this.fade();
    this.signal();
    this.draw();
  }

  fade() {
    this.fading = setTimeout(() => this.lose(false), LOST);
  }

  /** Tells the server whether one is lost, and follows. */
  async signal() {
    this.isTold = false;
    const [lost, following] = [this.isLost, !this.look];
    const { status } = await ask(`${this.address}/signal`, "POST", { lost, following });
    if (status) this.isTold = lost === this.isLost && following === !this.look;
  }

  /** Says how the connection is, and whether something is on its way. */
  tellStanding() {
    const isSending = this.room?.poll ? this.given(this.room.poll.round)?.kept === false : false;
    const isComing = this.code !== "" && this.made !== "joining" && this.made !== "end";
    this.stand(standing(this.connection, isSending), isComing ? PHONE.connecting : "");
  }

  /** @param {number} round */
  given(round) {
    const { poll } = this.room ?? {};
    return poll && round > 0 ? (this.kept?.of(poll.id, round) ?? null) : null;
  }

  /** @returns {import("./question_view.js").Facts} */
  facts(/** @type {Room} */ room) {
    const { poll } = room;
    const isLate = poll && this.late?.poll === poll.id && this.late.round === poll.round;
    return {
      room,
      given: this.given(poll?.round ?? 0),
      first: this.given((poll?.round ?? 0) - 1),
      late: isLate ? (this.late?.value ?? null) : null,
      connection: this.connection,
      seconds: Math.max(1, Math.ceil((this.again - Date.now()) / 1000)),
    };
  }

  draw() {
    const { room } = this;
    if (!room) return;
    this.tellStanding();
    const panel = this.shown(room);
    panel.show?.(this.facts(room));
    const { frame, teachers, look, place, isLost } = this;
    const isCurrent = teachers !== null && teachers === this.deck.at(room.lesson, room.screen);
    frame.show({ room, teachers, isCurrent, look, place, isLost }, panel.bar ? [panel.bar] : []);
    this.page.dataset.mode = room.mode;
    setChildren(this.main, [frame.where, ...(look ? [frame.turner] : []), panel.element]);
  }

  /** @param {number} poll what it answers, if that is asked still @param {Value} value */
  give(poll, value) {
    this.late = null;
    const asked = this.room?.poll;
    if (asked?.id === poll) this.kept?.give(poll, asked.round, value);
  }

  /**
   * What is shown now. What is there and still serves is not made anew.
   * @param {Room} room
   * @returns {Panel}
   */
  shown(room) {
    const { poll } = room;
    const current = this.deck.at(room.lesson, room.screen);
    const screen = this.place ? this.deck.at(room.lesson, this.place) : current;
    const isAsked = poll !== null && !this.place && (screen !== null || this.isLetters);
    const made = [room.lesson, this.place || room.screen, isAsked ? poll.id : "", this.place ? "" : room.task, screen ? "" : "coming"].join(" ");
    if (made !== this.made || !this.panel) {
      // What is half typed stays when the words of the question come.
      const typed = this.panel instanceof NumberField && isAsked && this.panel.poll === poll.id ? this.panel.input.value : "";
      this.panel?.remove?.();
      this.panel = isAsked ? asking(room, poll, screen, (value) => this.give(poll.id, value)) : looking(room, screen, this.place > 0);
      if (typed && this.panel instanceof NumberField) this.panel.input.value = typed;
      this.made = made;
    }
    if (this.panel instanceof Look) tell(this.panel, room, this.place > 0);
    return this.panel;
  }
}

/** Milliseconds until somebody whom the room does not take now asks again; a class does not ask at once. */
function atTheDoor() {
  return DOOR * (0.75 + Math.random() / 2);
}

const phone = new Phone(document.body);
if (phone.code) phone.join();
else phone.enter();
