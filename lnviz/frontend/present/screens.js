// A lesson one screen at a time. The address says which: `screen=shared`, by the name of a question or a figure, or
// `screen=3`, counted from 1; or the fragment of something that is on it.

import { findFigure } from "../engine/dom.js";
import { fitting, settle } from "./fitting.js";
import { focusOn, meaning } from "./keys.js";
import { Overview } from "./overview.js";
import { included, named, say, turned } from "./sequence.js";
import { isNotes, noted } from "./notes.js";
import { Stage } from "./stage.js";
import { tasks } from "./task.js";

const NAME = "screen";
/** What the address says of the whole sequence. */
const KEPT = ["theme", "hide", "with", "without", "room"];
/** How long one may take to type the digits of a number. */
const TYPING_MS = 3000;

/**
 * Shows the screens of the page.
 * @param {(place: HTMLElement) => void} put loads a figure into its place, unless it is there
 * @returns {Screens}
 */
export function present(put) {
  const screens = new Screens(isNotes() ? () => {} : put);
  screens.open();
  noted(screens);
  if (!isNotes()) tasks(screens);
  return screens;
}

export class Screens {
  /** @param {(place: HTMLElement) => void} put */
  constructor(put) {
    this.put = put;
    /** @type {HTMLElement[]} */
    this.all = [...document.querySelectorAll(".screen")].filter((each) => each instanceof HTMLElement);
    this.entries = this.all.map(({ dataset: { name = "", part = "" } }) => ({ name, part }));
    /** Which of them are shown when one turns. */
    this.shown = included(this.entries, new URLSearchParams(location.search));
    /** What fits each screen into the window. */
    this.fits = this.all.map((screen) => fitting(screen));
    this.at = 0;
    /** What figures stood at on each screen that has its own, when it was left. @type {string[]} */
    this.states = this.all.map(({ dataset }) => dataset.state ?? "");
    this.told = part(".told");
    this.count = part(".count");
    this.back = part("[data-go='-1']");
    this.next = part("[data-go='1']");
    this.out = part(".overview a");
    this.lesson = this.out.getAttribute("href") ?? "";
    this.stage = new Stage();
    this.overview = new Overview(this);
    this.typed = "";
    this.typing = 0;
    /** Called with the screen that has come, and whether the hand has brought it. @type {((screen: HTMLElement, byHand: boolean) => void)[]} */
    this.watchers = [];
    /** The task that is set on the present screen; "" for none. @type {() => string} */
    this.task = () => "";
    /** Shows what the room does on the present screen; "" for nothing. @type {(task: string) => void} */
    this.tell = () => {};
    /** Gives it to the phones of a room, where there can be one; what went wrong, or "". @type {(() => Promise<string>) | null} */
    this.give = null;
    /** Whether one may turn now, by a key that may be held down. @type {(isRepeat: boolean) => boolean} */
    this.mayTurn = () => true;
    /** What more keys do, by their words. @type {Record<string, () => void>} */
    this.does = {
      blank: () => this.stage.blank(),
      pointer: () => this.stage.point(),
      overview: () => this.overview.toggle(),
      leave: () => this.stage.clear(),
      full: () => full(),
      print: () => this.print(),
      enter: () => this.jump(),
    };
    for (const type of ["pointerdown", "focus"]) this.out.addEventListener(type, () => this.lead());
    this.back.addEventListener("click", () => this.turn(-1));
    this.next.addEventListener("click", () => this.turn(1));
    this.count.addEventListener("click", () => this.overview.toggle());
    part("[data-print]").addEventListener("click", () => this.print());
    // Before any control hears of it: the page keys turn whatever has the focus.
    addEventListener("keydown", (event) => this.press(event), { capture: true });
    for (const type of ["pointerup", "click"]) addEventListener(type, (event) => letGo(event));
    addEventListener("popstate", () => this.open());
    addEventListener("beforeprint", () => this.spread());
    addEventListener("afterprint", () => this.show());
  }

  /** The screen that is shown. */
  get screen() {
    return this.all[this.at];
  }

  /** Shows the screen that the address names, or the nearest there is. */
  open() {
    const search = new URLSearchParams(location.search);
    const holding = this.holding(findFigure(location.hash));
    this.at = holding >= 0 ? holding : named(search.get(NAME), this.entries);
    this.shown = included(this.entries, search);
    this.shown[this.at] = true;
    if (this.isApart() && !this.state()) history.replaceState(history.state, "", this.address(this.search()));
    else if (search.has(NAME) || holding >= 0) history.replaceState(history.state, "", this.address(search));
    this.show();
  }

  /** The number of the screen that has a part; -1 for none. @param {Element | null} part */
  holding(part) {
    return this.all.findIndex((screen) => part && screen.contains(part));
  }

  /** What the address is at this screen; what it says of figures stays. @param {URLSearchParams} search */
  address(search) {
    search.set(NAME, this.entries[this.at].name);
    return `${location.pathname}?${search}`;
  }

  /** Lets the way out lead to what is shown, as it stands. */
  lead() {
    const search = new URLSearchParams(location.search);
    for (const name of [NAME, "with", "without", "room", "task"]) search.delete(name);
    const place = this.screen.querySelector(".ln-place");
    const figure = place instanceof HTMLElement ? `#figure-${place.dataset.figure}` : "";
    this.out.setAttribute("href", this.lesson + (search.size ? `?${search}` : "") + figure);
  }

  /**
   * @param {number} by how many screens on, or back
   * @param {boolean} [isRepeat] whether a key is only held down
   */
  turn(by, isRepeat = false) {
    if (this.mayTurn(isRepeat)) this.go(turned(this.at, by, this.shown));
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
   * @param {boolean} [byHand] whether somebody here has asked for it
   */
  go(there, byHand = true) {
    this.stage.clear();
    if (there === this.at || !this.all[there]) return;
    this.states[this.at] = this.state();
    this.at = there;
    this.shown[there] = true;
    history.pushState(null, "", this.address(this.search()));
    this.show(byHand);
    // The focus goes along, unless it is on what leads on.
    if (byHand && !document.activeElement?.closest(".bar, dialog")) this.screen.focus({ preventScroll: true });
  }

  /** What the page's address asks for besides the state of a figure that stands for itself. */
  search() {
    const before = new URLSearchParams(location.search);
    if (!this.isApart()) return before;
    const search = new URLSearchParams(this.states[this.at]);
    for (const name of KEPT) {
      const said = before.get(name);
      if (said !== null && !search.has(name)) search.set(name, said);
    }
    return search;
  }

  /** The state of the figure that is shown, as the address has it. */
  state() {
    const search = new URLSearchParams(location.search);
    for (const name of [NAME, "task", ...KEPT]) search.delete(name);
    return search.toString();
  }

  /** Whether each screen has a state of its own: in a plan. */
  isApart() {
    return document.body.hasAttribute("data-plan");
  }

  /** @param {boolean} [byHand] */
  show(byHand = false) {
    this.all.forEach((screen, i) => (screen.hidden = i !== this.at));
    const { screen } = this;
    borrow(screen);
    this.fits[this.at]();
    this.say();
    this.fill(screen);
    for (const watch of this.watchers) watch(screen, byHand);
  }

  /** Which of how many screens is shown, of those that one turns to. @returns {[number, number]} */
  counted() {
    const places = this.shown.flatMap((is, i) => (is ? [i] : []));
    return [places.indexOf(this.at) + 1, places.length];
  }

  /** Says where one is. */
  say() {
    const { dataset } = this.screen;
    const place = this.counted().join(" of ");
    part(".bar h1").textContent = dataset.title ?? "";
    this.count.textContent = place;
    this.told.textContent = `${place}: ${dataset.called}`;
    // A button that has the focus must not lose it.
    this.back.setAttribute("aria-disabled", String(turned(this.at, -1, this.shown) === this.at));
    this.next.setAttribute("aria-disabled", String(turned(this.at, 1, this.shown) === this.at));
  }

  /**
   * Shows a screen when one turns, or leaves it out.
   * @param {number} at
   * @param {boolean} is
   */
  include(at, is) {
    this.shown[at] = is;
    const search = new URLSearchParams(location.search);
    say(this.entries, this.shown, search);
    const text = search.toString();
    history.replaceState(history.state, "", location.pathname + (text ? `?${text}` : ""));
    this.say();
  }

  /** Figures are drawn where they have a size: on a screen that is shown. @param {Element} screen */
  fill(screen) {
    for (const place of screen.querySelectorAll(".ln-place")) if (place instanceof HTMLElement) this.put(place);
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.isComposing || this.overview.takes(event)) return;
    const on = event.target instanceof Element ? event.target : document.body;
    const meant = meaning(event, focusOn(on), this.typed !== "");
    if (!meant) return;
    if ("turn" in meant) {
      this.overview.close();
      this.turn(meant.turn, event.repeat);
    } else if ("digit" in meant) this.type(meant.digit);
    else if (meant.does === "leave" && !this.stage.isUp && !this.typed) return;
    else if (meant.does in this.does) this.does[meant.does]();
    else return;
    if (!("digit" in meant)) this.type("");
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** Keeps the digits of a number for a while. @param {string} digit "" forgets them */
  type(digit) {
    clearTimeout(this.typing);
    this.typed = digit ? this.typed + digit : "";
    this.stage.count(this.typed);
    if (digit) this.typing = setTimeout(() => this.type(""), TYPING_MS);
  }

  /** Fits what has taken the screen's place into the window. @param {HTMLElement} screen */
  fitted(screen) {
    if (!screen.hidden) settle(screen);
  }

  /** All screens below each other, as on paper: those that are shown. */
  spread() {
    this.all.forEach((screen, i) => {
      screen.hidden = !this.shown[i];
      if (!screen.hidden) this.fill(screen);
    });
  }

  /** Prints the whole lesson, once all of its figures are drawn. */
  print() {
    this.overview.close();
    this.spread();
    this.told.textContent = "The whole lesson is being made ready for paper.";
    const watching = new MutationObserver(() => {
      if (!isDrawn()) return;
      watching.disconnect();
      print();
    });
    watching.observe(document.body, { subtree: true, childList: true, attributes: true });
    document.body.toggleAttribute("data-asked"); // looks for the first time, too
  }
}

/** Brings a figure to a screen from the one that has its place. @param {Element} screen */
function borrow(screen) {
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
function letGo(event) {
  if (!(event instanceof MouseEvent) || (event.type === "click" && event.detail === 0)) return;
  setTimeout(() => {
    const on = document.activeElement;
    if (on instanceof HTMLElement && on.closest(".ln, .bar") && focusOn(on) !== "field") on.blur();
  });
}

async function full() {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await document.documentElement.requestFullscreen?.();
}

/** Whether every figure is there, or has said why it is not. */
function isDrawn() {
  const figures = [...document.querySelectorAll(".ln")];
  const plots = [...document.querySelectorAll(".chart:not([hidden]) .plot")];
  return figures.every((figure) => !figure.hasAttribute("aria-busy")) && plots.every((plot) => plot.childElementCount > 0);
}

/** @param {string} selector */
function part(selector) {
  const found = document.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`the page lacks ${selector}`);
  return found;
}
