// A lesson one screen at a time. The address says which: `screen=shared`, by the name of a question or a figure, or
// `screen=3`, counted from 1; or the fragment of something that is on it.

import { findFigure } from "../engine/dom.js";
import { autoFit, fitScreen } from "./fitting.js";
import { focusKind, keyAction } from "./keys.js";
import { Overview } from "./overview.js";
import { includedScreens, indexOfScreen, writeSequence, turnedIndex } from "./sequence.js";
import { isNotes, attachNotes } from "./notes.js";
import { Overlay } from "./overlay.js";
import { attachTasks } from "./task.js";

const SCREEN = "screen";
/** What the address says of the whole sequence. */
const KEPT_PARAMETERS = ["theme", "hide", "with", "without", "room"];
/** How long one may take to type the digits of a number. */
const TYPING_MS = 3000;

/**
 * Shows the screens of the page.
 * @param {(place: HTMLElement) => void} mountFigure loads a figure into its place, unless it is there
 * @returns {Screens}
 */
export function present(mountFigure) {
  const screens = new Screens(isNotes() ? () => {} : mountFigure);
  screens.open();
  attachNotes(screens);
  if (!isNotes()) attachTasks(screens);
  return screens;
}

export class Screens {
  /** @param {(place: HTMLElement) => void} mountFigure */
  constructor(mountFigure) {
    this.mountFigure = mountFigure;
    /** @type {HTMLElement[]} */
    this.all = [...document.querySelectorAll(".screen")].filter((each) => each instanceof HTMLElement);
    this.entries = this.all.map(({ dataset: { name = "", part = "" } }) => ({ name, part }));
    /** Which of them are shown when one turns. */
    this.shown = includedScreens(this.entries, new URLSearchParams(location.search));
    /** What fits each screen into the window. */
    this.fitters = this.all.map((screen) => autoFit(screen));
    this.at = 0;
    /** What figures stood at on each screen that has its own, when it was left. @type {string[]} */
    this.states = this.all.map(({ dataset }) => dataset.state ?? "");
    this.status = requireElement(".told");
    this.count = requireElement(".count");
    this.back = requireElement("[data-go='-1']");
    this.next = requireElement("[data-go='1']");
    this.exitLink = requireElement(".overview a");
    this.lesson = this.exitLink.getAttribute("href") ?? "";
    this.overlay = new Overlay();
    this.overview = new Overview(this);
    this.typed = "";
    this.typingTimer = 0;
    /** Called with the screen that has come, and whether the hand has brought it. @type {((screen: HTMLElement, isLocal: boolean) => void)[]} */
    this.watchers = [];
    /** The task that is set on the present screen; "" for none. @type {() => string} */
    this.task = () => "";
    /** Shows what the room does on the present screen; "" for nothing. @type {(task: string) => void} */
    this.setRoomTask = () => {};
    /** Gives it to the phones of a room, where there can be one; what went wrong, or "". @type {(() => Promise<string>) | null} */
    this.shareTask = null;
    /** Whether one may turn now, by a key that may be held down. @type {(isRepeat: boolean) => boolean} */
    this.canTurn = () => true;
    /** What more keys do, by their words. @type {Record<string, () => void>} */
    this.actions = {
      blank: () => this.overlay.toggleBlank(),
      pointer: () => this.overlay.togglePointer(),
      overview: () => this.overview.toggle(),
      leave: () => this.overlay.clear(),
      full: () => toggleFullScreen(),
      print: () => this.print(),
      enter: () => this.jump(),
    };
    for (const type of ["pointerdown", "focus"]) this.exitLink.addEventListener(type, () => this.updateExitLink());
    this.back.addEventListener("click", () => this.turn(-1));
    this.next.addEventListener("click", () => this.turn(1));
    this.count.addEventListener("click", () => this.overview.toggle());
    requireElement("[data-print]").addEventListener("click", () => this.print());
    // Before any control hears of it: the page keys turn whatever has the focus.
    addEventListener("keydown", (event) => this.onKeydown(event), { capture: true });
    for (const type of ["pointerup", "click"]) addEventListener(type, (event) => releaseFocus(event));
    addEventListener("popstate", () => this.open());
    addEventListener("beforeprint", () => this.showAll());
    addEventListener("afterprint", () => this.show());
  }

  /** The screen that is shown. */
  get screen() {
    return this.all[this.at];
  }

  /** Shows the screen that the address names, or the nearest there is. */
  open() {
    const search = new URLSearchParams(location.search);
    const holding = this.indexContaining(findFigure(location.hash));
    this.at = holding >= 0 ? holding : indexOfScreen(search.get(SCREEN), this.entries);
    this.shown = includedScreens(this.entries, search);
    this.shown[this.at] = true;
    if (this.hasOwnStates() && !this.state()) history.replaceState(history.state, "", this.address(this.search()));
    else if (search.has(SCREEN) || holding >= 0) history.replaceState(history.state, "", this.address(search));
    this.show();
  }

  /** The number of the screen that has a part; -1 for none. @param {Element | null} part */
  indexContaining(part) {
    return this.all.findIndex((screen) => part && screen.contains(part));
  }

  /** What the address is at this screen; what it says of figures stays. @param {URLSearchParams} search */
  address(search) {
    search.set(SCREEN, this.entries[this.at].name);
    return `${location.pathname}?${search}`;
  }

  /** Lets the way out lead to what is shown, as it stands. */
  updateExitLink() {
    const search = new URLSearchParams(location.search);
    for (const name of [SCREEN, "with", "without", "room", "task"]) search.delete(name);
    const place = this.screen.querySelector(".ln-place");
    const figure = place instanceof HTMLElement ? `#figure-${place.dataset.figure}` : "";
    this.exitLink.setAttribute("href", this.lesson + (search.size ? `?${search}` : "") + figure);
  }

  /**
   * @param {number} by how many screens on, or back
   * @param {boolean} [isRepeat] whether a key is only held down
   */
  turn(by, isRepeat = false) {
    if (this.canTurn(isRepeat)) this.go(turnedIndex(this.at, by, this.shown));
  }

  /** Goes to the screen whose number has been typed, as the bar counts. */
  jump() {
    const places = this.shown.flatMap((is, i) => (is ? [i] : []));
    const wanted = Math.max(1, Math.min(places.length, Number(this.typed)));
    this.typed = "";
    this.go(places[wanted - 1]);
  }

  /**
   * @param {number} there
   * @param {boolean} [isLocal] whether somebody here has asked for it
   */
  go(there, isLocal = true) {
    this.overlay.clear();
    if (there === this.at || !this.all[there]) return;
    this.states[this.at] = this.state();
    this.at = there;
    this.shown[there] = true;
    history.pushState(null, "", this.address(this.search()));
    this.show(isLocal);
    // The focus goes along, unless it is on what leads on.
    if (isLocal && !document.activeElement?.closest(".bar, dialog")) this.screen.focus({ preventScroll: true });
  }

  /** What the page's address asks for besides the state of a figure that stands for itself. */
  search() {
    const before = new URLSearchParams(location.search);
    if (!this.hasOwnStates()) return before;
    const search = new URLSearchParams(this.states[this.at]);
    for (const name of KEPT_PARAMETERS) {
      const value = before.get(name);
      if (value !== null && !search.has(name)) search.set(name, value);
    }
    return search;
  }

  /** The state of the figure that is shown, as the address has it. */
  state() {
    const search = new URLSearchParams(location.search);
    for (const name of [SCREEN, "task", ...KEPT_PARAMETERS]) search.delete(name);
    return search.toString();
  }

  /** Whether each screen has a state of its own: in a plan. */
  hasOwnStates() {
    return document.body.hasAttribute("data-plan");
  }

  /** @param {boolean} [isLocal] */
  show(isLocal = false) {
    this.all.forEach((screen, i) => (screen.hidden = i !== this.at));
    const { screen } = this;
    moveFigureTo(screen);
    this.fitters[this.at]();
    this.updateBar();
    this.mountFigures(screen);
    for (const watch of this.watchers) watch(screen, isLocal);
  }

  /** Which of how many screens is shown, of those that one turns to. @returns {[number, number]} */
  position() {
    const places = this.shown.flatMap((is, i) => (is ? [i] : []));
    return [places.indexOf(this.at) + 1, places.length];
  }

  /** Says where one is. */
  updateBar() {
    const { dataset } = this.screen;
    const place = this.position().join(" of ");
    requireElement(".bar h1").textContent = dataset.title ?? "";
    this.count.textContent = place;
    this.status.textContent = `${place}: ${dataset.called}`;
    // A button that has the focus must not lose it.
    this.back.setAttribute("aria-disabled", String(turnedIndex(this.at, -1, this.shown) === this.at));
    this.next.setAttribute("aria-disabled", String(turnedIndex(this.at, 1, this.shown) === this.at));
  }

  /**
   * Shows a screen when one turns, or leaves it out.
   * @param {number} at
   * @param {boolean} is
   */
  include(at, is) {
    this.shown[at] = is;
    const search = new URLSearchParams(location.search);
    writeSequence(this.entries, this.shown, search);
    const text = search.toString();
    history.replaceState(history.state, "", location.pathname + (text ? `?${text}` : ""));
    this.updateBar();
  }

  /** Figures are drawn where they have a size: on a screen that is shown. @param {Element} screen */
  mountFigures(screen) {
    for (const place of screen.querySelectorAll(".ln-place")) if (place instanceof HTMLElement) this.mountFigure(place);
  }

  /** @param {KeyboardEvent} event */
  onKeydown(event) {
    if (event.isComposing || this.overview.handlesKey(event)) return;
    const on = event.target instanceof Element ? event.target : document.body;
    const action = keyAction(event, focusKind(on), this.typed !== "");
    if (!action) return;
    if ("turn" in action) {
      this.overview.close();
      this.turn(action.turn, event.repeat);
    } else if ("digit" in action) this.typeDigit(action.digit);
    else if (action.action === "leave" && !this.overlay.isActive && !this.typed) return;
    else if (action.action in this.actions) this.actions[action.action]();
    else return;
    if (!("digit" in action)) this.typeDigit("");
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** Keeps the digits of a number for a while. @param {string} digit "" forgets them */
  typeDigit(digit) {
    clearTimeout(this.typingTimer);
    this.typed = digit ? this.typed + digit : "";
    this.overlay.showNumber(this.typed);
    if (digit) this.typingTimer = setTimeout(() => this.typeDigit(""), TYPING_MS);
  }

  /** Fits what has taken the screen's place into the window. @param {HTMLElement} screen */
  refit(screen) {
    if (!screen.hidden) fitScreen(screen);
  }

  /** All screens below each other, as on paper: those that are shown. */
  showAll() {
    this.all.forEach((screen, i) => {
      screen.hidden = !this.shown[i];
      if (!screen.hidden) this.mountFigures(screen);
    });
  }

  /** Prints the whole lesson, once all of its figures are drawn. */
  print() {
    this.overview.close();
    this.showAll();
    this.status.textContent = "The whole lesson is being made ready for paper.";
    const watching = new MutationObserver(() => {
      if (!areFiguresReady()) return;
      watching.disconnect();
      print();
    });
    watching.observe(document.body, { subtree: true, childList: true, attributes: true });
    document.body.toggleAttribute("data-asked"); // looks for the first time, too
  }
}

/** Brings a figure to a screen from the one that has its place. @param {Element} screen */
function moveFigureTo(screen) {
  const lent = screen.querySelector(".lent");
  if (!(lent instanceof HTMLElement)) return;
  const place = document.querySelector(`.ln-place[data-figure="${CSS.escape(lent.dataset.of ?? "")}"]`);
  const home = place?.parentElement;
  if (!place || !home || home === screen) return;
  // They change places, so that the way back brings it home.
  home.insertBefore(lent.cloneNode(), place);
  lent.replaceWith(place);
}

/**
 * After a drag or a press the keys are the page's again; a field that takes text keeps the focus, and so does what
 * was pressed by a key.
 * @param {Event} event
 */
function releaseFocus(event) {
  if (!(event instanceof MouseEvent) || (event.type === "click" && event.detail === 0)) return;
  setTimeout(() => {
    const on = document.activeElement;
    if (on instanceof HTMLElement && on.closest(".ln, .bar") && focusKind(on) !== "field") on.blur();
  });
}

async function toggleFullScreen() {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await document.documentElement.requestFullscreen?.();
}

/** Whether every figure is there, or has said why it is not. */
function areFiguresReady() {
  const figures = [...document.querySelectorAll(".ln")];
  const plots = [...document.querySelectorAll(".chart:not([hidden]) .plot")];
  return figures.every((figure) => !figure.hasAttribute("aria-busy")) && plots.every((plot) => plot.childElementCount > 0);
}

/** @param {string} selector */
function requireElement(selector) {
  const found = document.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`the page lacks ${selector}`);
  return found;
}
