// A lesson as slides ("screens"). The URL says which: `screen=shared`, the name of a question or figure; `screen=3`,
// counted from 1; or the fragment of an element on it.

import { findFigure } from "../engine/dom.js";
import { figureIn } from "../engine/mount.js";
import { stepIn, turnStep } from "../engine/steps.js";
import { waitForState } from "../engine/visible_state.js";
import { autoFit, fitScreen } from "./fitting.js";
import { showPose } from "../room/figure_pose.js";
import { showGoalStart } from "../room/goal_start.js";
import { cellIndex, focusKind, keyAction } from "./keys.js";
import { Overview } from "./overview.js";
import { includedScreens, indexOfScreen, writeSequence, turnedIndex } from "./sequence.js";
import { isNotes, attachNotes } from "./notes.js";
import { Overlay } from "./overlay.js";
import { attachTasks } from "./task.js";
import { MISSING_FIGURE, Trouble } from "./trouble.js";

const SCREEN = "screen";
/** Query parameters that apply to the whole presentation. */
const KEPT_PARAMETERS = ["theme", "hide", "with", "without", "room"];
/** Time to type the digits of a number. */
const TYPING_MS = 3000;

/**
 * Start the presentation view.
 * @param {(place: HTMLElement) => void} mountFigure mounts a figure in its placeholder, once
 * @returns {Screens}
 */
export function present(mountFigure) {
  const screens = new Screens(isNotes() ? () => {} : mountFigure);
  screens.open();
  attachNotes(screens);
  if (!isNotes()) attachTasks(screens);
  return screens;
}

/** The slides of a page, and navigation between them. */
export class Screens {
  /** @param {(place: HTMLElement) => void} mountFigure */
  constructor(mountFigure) {
    this.mountFigure = mountFigure;
    /** @type {HTMLElement[]} */
    this.all = [...document.querySelectorAll(".screen")].filter((each) => each instanceof HTMLElement);
    this.entries = this.all.map(({ dataset: { name = "", part = "" } }) => ({ name, part }));
    /** Whether each slide is included. */
    this.shown = includedScreens(this.entries, new URLSearchParams(location.search));
    /** Functions that fit each slide to the window. */
    this.fitters = this.all.map((screen) => autoFit(screen));
    this.figureObserver = new MutationObserver(() => this.onFigureChange());
    /** Messages for the presenter. */
    this.trouble = new Trouble(requireElement(".navigation"));
    this.at = 0;
    /** Resolves once the exercise of the current slide has begun, or at once where there is none. */
    this.figureStart = Promise.resolve();
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
    /** Index of the cell that was clicked last: numbers are typed into it, but its arrow keys turn slides. */
    this.clickedCell = "";
    /**
     * Called with the new slide, and whether it was turned to in this window.
     * @type {((screen: HTMLElement, isLocal: boolean) => void)[]}
     */
    this.watchers = [];
    /** Returns the task set for the current slide; "" for none. @type {() => string} */
    this.task = () => "";
    /** Shows the room's task on the current slide; "" for none. @type {(task: string) => void} */
    this.setRoomTask = () => {};
    /**
     * Sends the task to phones, where a room is possible; returns an error message or "".
     * @type {(() => Promise<string>) | null}
     */
    this.shareTask = null;
    /** Called after a slide was included or skipped. */
    this.onInclude = () => {};
    /** Return whether turning by 1 or -1 is allowed now; the key may be repeating. @type {(isRepeat: boolean, by: number) => boolean} */
    this.canTurn = () => true;
    /** Keyboard commands by name. @type {Record<string, () => void>} */
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
    // Before any control: page keys turn slides whatever has the focus.
    addEventListener("keydown", (event) => this.onKeydown(event), { capture: true });
    for (const type of ["pointerup", "click"]) addEventListener(type, (event) => this.releaseFocus(event));
    addEventListener("popstate", () => this.open());
    addEventListener("beforeprint", () => this.showAll());
    addEventListener("afterprint", () => this.show());
  }

  /** The current slide. */
  get screen() {
    return this.all[this.at];
  }

  /** Show the slide that the URL names, or the nearest one. */
  open() {
    const search = new URLSearchParams(location.search);
    const holding = this.indexContaining(findFigure(location.hash));
    this.at = holding >= 0 ? holding : indexOfScreen(search.get(SCREEN), this.entries);
    this.shown = includedScreens(this.entries, search);
    this.shown[this.at] = true;
    if (this.hasOwnStates() && !this.state()) history.replaceState(history.state, "", this.address(this.search()));
    else if (search.has(SCREEN) || holding >= 0) history.replaceState(history.state, "", this.address(search));
    const isFresh = !this.state();
    this.show();
    if (isFresh) this.startFigure();
  }

  /** Return the index of the slide that contains an element; -1 for none. @param {Element | null} part */
  indexContaining(part) {
    return this.all.findIndex((screen) => part && screen.contains(part));
  }

  /** Return the URL of the current slide; figure states in the query are kept. @param {URLSearchParams} search */
  address(search) {
    search.set(SCREEN, this.entries[this.at].name);
    return `${location.pathname}?${search}`;
  }

  /** Point the exit link to the current figure in its present state; a plan's page has no figures. */
  updateExitLink() {
    if (this.hasOwnStates()) return;
    const search = new URLSearchParams(location.search);
    for (const name of [SCREEN, "with", "without", "room", "task"]) search.delete(name);
    const place = this.screen.querySelector(".ln-place");
    const figure = place instanceof HTMLElement ? `#figure-${place.dataset.figure}` : "";
    this.exitLink.setAttribute("href", this.lesson + (search.size ? `?${search}` : "") + figure);
  }

  /**
   * Turn to the next step of the figure on this slide, and after its last one to the next slide.
   * @param {number} by 1 or -1
   * @param {boolean} [isRepeat] whether the key is repeating
   */
  turn(by, isRepeat = false) {
    if (!this.canTurn(isRepeat, by)) return;
    const figure = this.screen.querySelector(".ln");
    if (!figure || !turnStep(figure, by)) this.go(turnedIndex(this.at, by, this.shown));
  }

  /** Go to the typed slide number, counting included slides. */
  jump() {
    const places = this.shown.flatMap((is, i) => (is ? [i] : []));
    const number = Math.max(1, Math.min(places.length, Number(this.typed)));
    this.typed = "";
    this.go(places[number - 1]);
  }

  /**
   * Go to a slide.
   * @param {number} index
   * @param {boolean} [isLocal] whether requested in this window
   */
  go(index, isLocal = true) {
    this.overlay.clear();
    if (index === this.at || !this.all[index]) return;
    // Also where another window or a remote turns: the list of all questions must not stay in front of the class.
    this.overview.close();
    this.at = index;
    this.shown[index] = true;
    history.pushState(null, "", this.address(this.search()));
    this.show(isLocal);
    this.startFigure();
    // Move the focus along, unless it is on a navigation button.
    if (isLocal && !document.activeElement?.closest(".navigation, dialog")) this.screen.focus({ preventScroll: true });
  }

  /** Return the query of the current slide. */
  search() {
    return this.searchOf(this.at);
  }

  /** Return the query of a slide; in a plan each slide has its own figure state. @param {number} index */
  searchOf(index) {
    const before = new URLSearchParams(location.search);
    if (!this.hasOwnStates()) return before;
    const search = new URLSearchParams(this.all[index].dataset.state);
    for (const name of KEPT_PARAMETERS) {
      const value = before.get(name);
      if (value !== null && !search.has(name)) search.set(name, value);
    }
    return search;
  }

  /** Return the query of the current figure's state. */
  state() {
    const search = new URLSearchParams(location.search);
    for (const name of [SCREEN, "task", ...KEPT_PARAMETERS]) search.delete(name);
    return search.toString();
  }

  /** Return whether each slide has its own figure state, as in a plan. */
  hasOwnStates() {
    return document.body.hasAttribute("data-plan");
  }

  /** @param {boolean} [isLocal] */
  show(isLocal = false) {
    this.clickedCell = "";
    this.all.forEach((screen, i) => (screen.hidden = i !== this.at));
    const { screen } = this;
    moveFigureTo(screen);
    this.figureObserver.disconnect();
    this.figureObserver.observe(screen, { attributeFilter: ["data-step", "data-unanswered"], subtree: true });
    this.fitters[this.at]();
    this.onFigureChange();
    this.mountFigures(screen);
    for (const watch of this.watchers) watch(screen, isLocal);
  }

  /** Begin an exercise on a figure, or what a plan shows, from the same state wherever the figure was left. */
  startFigure() {
    const { screen } = this;
    const { state } = screen.dataset;
    this.figureStart = Promise.resolve();
    const link = screen.querySelector("a.there");
    const place = screen.querySelector(".ln-place");
    const isGoal = screen.matches(".goal") && link instanceof HTMLElement;
    if (!(place instanceof HTMLElement) || !(isGoal || state)) return;
    const conditions = isGoal ? JSON.parse(link.dataset.conditions ?? "{}") : null;
    const start = (/** @type {import("../engine/figure.js").Figure} */ figure) =>
      conditions ? showGoalStart(figure, conditions) : showPose(figure, Object.fromEntries(new URLSearchParams(state)));
    this.figureStart = new Promise((resolve) => {
      waitForState(place.dataset.anchor ?? `figure-${place.dataset.figure}`, () => {
        const figure = figureIn(place);
        resolve(figure && screen === this.screen ? start(figure) : undefined);
        return true;
      });
    });
  }

  /** Follow the state of the current slide's figure. */
  onFigureChange() {
    this.trouble.set("figure", this.screen.querySelector(".ln[data-unanswered]") ? MISSING_FIGURE : "");
    this.updateBar();
  }

  /** Return the number of the current slide, and the number of included slides. @returns {[number, number]} */
  position() {
    return [this.placeOf(this.at), this.shown.filter(Boolean).length];
  }

  /** Return a slide's number among the included ones; 0 for none of them. @param {number} index */
  placeOf(index) {
    return this.shown.flatMap((is, i) => (is ? [i] : [])).indexOf(index) + 1;
  }

  /** Update the navigation bar. */
  updateBar() {
    const { dataset } = this.screen;
    const place = this.position().join(" of ");
    this.count.textContent = place;
    this.status.textContent = `${place}: ${dataset.called}`;
    // Where there is no other slide, the figure may still have a step. `aria-disabled` keeps the focus on the button.
    const [step = 1, steps = 1] = stepIn(this.screen);
    this.back.setAttribute("aria-disabled", String(step === 1 && turnedIndex(this.at, -1, this.shown) === this.at));
    this.next.setAttribute("aria-disabled", String(step === steps && turnedIndex(this.at, 1, this.shown) === this.at));
  }

  /**
   * Include a slide, or skip it.
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
    this.onInclude();
  }

  /** Mount the figures of a visible slide: hidden ones have no size. @param {Element} screen */
  mountFigures(screen) {
    for (const place of screen.querySelectorAll(".ln-place")) if (place instanceof HTMLElement) this.mountFigure(place);
  }

  /** @param {KeyboardEvent} event */
  onKeydown(event) {
    // A table's own event, with which an arrow key leaves a cell that was typed into, is its cells' alone.
    if (event.isComposing || !event.isTrusted || this.overview.handlesKey(event)) return;
    if (event.key === "ArrowUp" || event.key === "ArrowDown" || event.key === "Tab") this.clickedCell = "";
    const on = event.target instanceof Element ? event.target : document.body;
    const action = keyAction(event, focusKind(on, this.clickedCell), this.typed !== "");
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

  /**
   * Release the focus after a mouse press, so that keys turn slides; keyboard users keep it, and what can be typed into.
   * @param {Event} event
   */
  releaseFocus(event) {
    if (!(event instanceof MouseEvent) || (event.type === "click" && event.detail === 0)) return;
    this.clickedCell = event.target instanceof Element ? cellIndex(event.target) : "";
    if (this.clickedCell) return;
    setTimeout(() => {
      const on = document.activeElement;
      if (on instanceof HTMLElement && on.closest(".ln, .navigation") && focusKind(on, "") !== "field") on.blur();
    });
  }

  /** Collect the digits of a slide number. @param {string} digit "" clears them */
  typeDigit(digit) {
    clearTimeout(this.typingTimer);
    this.typed = digit ? this.typed + digit : "";
    this.overlay.showNumber(this.typed);
    if (digit) this.typingTimer = setTimeout(() => this.typeDigit(""), TYPING_MS);
  }

  /** Fit a replacement of the current slide to the window. @param {HTMLElement} screen */
  refit(screen) {
    if (!screen.hidden) fitScreen(screen);
  }

  /** Show all included slides, for printing. */
  showAll() {
    this.all.forEach((screen, i) => {
      screen.hidden = !this.shown[i];
      if (!screen.hidden) this.mountFigures(screen);
    });
  }

  /** Print the lesson once all its figures are drawn. */
  print() {
    this.overview.close();
    this.showAll();
    this.status.textContent = "Preparing the whole lesson for printing.";
    const watching = new MutationObserver(() => {
      if (!areFiguresReady()) return;
      watching.disconnect();
      print();
    });
    watching.observe(document.body, { subtree: true, childList: true, attributes: true });
    document.body.toggleAttribute("data-asked"); // triggers the first check
  }
}

/** Move a figure to this slide from the slide where it is mounted. @param {Element} screen */
function moveFigureTo(screen) {
  const placeholder = screen.querySelector(".lent");
  if (!(placeholder instanceof HTMLElement)) return;
  const place = document.querySelector(`.ln-place[data-figure="${CSS.escape(placeholder.dataset.of ?? "")}"]`);
  const home = place?.parentElement;
  if (!place || !home || home === screen) return;
  // They swap positions, so that going back restores them.
  home.insertBefore(placeholder.cloneNode(), place);
  placeholder.replaceWith(place);
}

/** Enter or leave full screen. */
async function toggleFullScreen() {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await document.documentElement.requestFullscreen?.();
}

/** Return whether every figure is drawn, or shows an error. */
function areFiguresReady() {
  const figures = [...document.querySelectorAll(".ln")];
  const plots = [...document.querySelectorAll(".chart:not([hidden]) .plot")];
  return figures.every((figure) => !figure.hasAttribute("aria-busy")) && plots.every((plot) => plot.childElementCount > 0);
}

/** Return an element of the page. Throws if it is missing. @param {string} selector */
function requireElement(selector) {
  const found = document.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`the page lacks ${selector}`);
  return found;
}
