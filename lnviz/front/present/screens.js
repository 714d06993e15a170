// A lesson one screen at a time. The address says which: `screen=3`, counted from 1, or the fragment of something
// that is on it.

import { figureAt } from "../engine/dom.js";
import { fitting } from "./fitting.js";

const NAME = "screen";
/** How far a key goes; Infinity is the last screen. @type {Record<string, number>} */
const KEYS = {
  ArrowRight: 1,
  ArrowLeft: -1,
  PageDown: 1,
  PageUp: -1,
  " ": 1,
  Home: -Infinity,
  End: Infinity,
};
/** Those that first scroll a screen which is taller than the window. */
const SCROLLING = ["PageDown", "PageUp", " "];
/** How much of the window they scroll by. */
const SCROLLED = 0.75;
/** What has a use of its own for every key, for all but those that turn pages, and for the space bar. */
const FIELDS = "input:not([type=radio], [type=checkbox]), select, textarea";
const CONTROLS = ".ln [tabindex], .ln-table, pre, input";
const PRESSED = "button, a, summary";

/**
 * Shows the screens of the page.
 * @param {(place: HTMLElement) => void} put loads a figure into its place, unless it is there
 * @returns {(part: Element) => void} shows the screen of a part
 */
export function present(put) {
  const screens = new Screens(put);
  screens.open();
  return (part) => screens.go(screens.holding(part));
}

/**
 * The screen that the address names, or the nearest there is.
 * @param {string | null} said counted from 1
 * @param {number} count of screens
 * @returns {number} counted from 0
 */
export function named(said, count) {
  const asked = Number(said ?? 1);
  return nearest(Number.isNaN(asked) ? 0 : Math.round(asked) - 1, count);
}

/** @param {number} number @param {number} count */
function nearest(number, count) {
  return Math.max(0, Math.min(count - 1, number));
}

class Screens {
  /** @param {(place: HTMLElement) => void} put */
  constructor(put) {
    this.put = put;
    /** @type {HTMLElement[]} */
    this.all = [...document.querySelectorAll(".screen")].filter((each) => each instanceof HTMLElement);
    const bar = part(".bar");
    /** What fits each screen into the window. */
    this.fits = this.all.map((screen) => fitting(screen, bar));
    this.at = 0;
    /** Where each screen was scrolled to when it was left. @type {number[]} */
    this.left = [];
    this.told = part(".told");
    this.back = part("[data-go='-1']");
    this.next = part("[data-go='1']");
    this.out = part(".bar a");
    this.lesson = this.out.getAttribute("href") ?? "";
    for (const type of ["pointerdown", "focus"]) this.out.addEventListener(type, () => this.lead());
    this.back.addEventListener("click", () => this.go(this.at - 1));
    this.next.addEventListener("click", () => this.go(this.at + 1));
    part("[data-print]").addEventListener("click", () => this.print());
    addEventListener("keydown", (event) => this.press(event));
    addEventListener("popstate", () => this.open());
    addEventListener("beforeprint", () => this.spread());
    addEventListener("afterprint", () => this.show());
  }

  /** Shows the screen that the address names, or the nearest there is. */
  open() {
    const search = new URLSearchParams(location.search);
    const holding = this.holding(figureAt(location.hash));
    this.at = holding >= 0 ? holding : named(search.get(NAME), this.all.length);
    if (search.has(NAME) || holding >= 0) history.replaceState(history.state, "", this.address());
    this.show();
  }

  /** The number of the screen that has a part; -1 for none. @param {Element | null} part */
  holding(part) {
    return this.all.findIndex((screen) => part && screen.contains(part));
  }

  /** What the address is at this screen; what it says of figures stays. */
  address() {
    const search = new URLSearchParams(location.search);
    search.set(NAME, String(this.at + 1));
    return `${location.pathname}?${search}`;
  }

  /** Lets the way out lead to what is shown, as it stands. */
  lead() {
    const search = new URLSearchParams(location.search);
    search.delete(NAME);
    const place = this.all[this.at].querySelector(".ln-place");
    const figure = place instanceof HTMLElement ? `#figure-${place.dataset.figure}` : "";
    this.out.setAttribute("href", this.lesson + (search.size ? `?${search}` : "") + figure);
  }

  /** @param {number} number */
  go(number) {
    const there = nearest(number, this.all.length);
    if (there === this.at) return;
    this.left[this.at] = document.documentElement.scrollTop;
    const top = there < this.at ? this.left[there] : 0;
    this.at = there;
    history.pushState(null, "", this.address());
    this.show(top);
    // The focus goes along, unless it is on what leads on.
    if (!document.activeElement?.closest(".bar")) this.all[there].focus({ preventScroll: true });
  }

  /** @param {number} [top] where it is scrolled to: on the way back, to where one was */
  show(top = 0) {
    this.all.forEach((screen, i) => (screen.hidden = i !== this.at));
    const screen = this.all[this.at];
    this.fits[this.at]();
    document.documentElement.scrollTo(0, top);
    this.told.textContent = `${this.at + 1} of ${this.all.length}${screen.dataset.heading ? `: ${screen.dataset.heading}` : ""}`;
    // A button that has the focus must not lose it.
    this.back.setAttribute("aria-disabled", String(this.at === 0));
    this.next.setAttribute("aria-disabled", String(this.at === this.all.length - 1));
    this.fill(screen);
  }

  /** Figures are drawn where they have a size: on a screen that is shown. @param {Element} screen */
  fill(screen) {
    for (const place of screen.querySelectorAll(".ln-place")) if (place instanceof HTMLElement) this.put(place);
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const { key, shiftKey } = event;
    const on = event.target instanceof Element ? event.target : document.body;
    if (key.toLowerCase() === "p" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.print();
      return;
    }
    if (!(key in KEYS) || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (on.closest(FIELDS) || (!key.startsWith("Page") && on.closest(CONTROLS))) return;
    if (key === " " && on.closest(PRESSED)) return;
    event.preventDefault();
    const by = key === " " && shiftKey ? -1 : KEYS[key];
    if (!SCROLLING.includes(key) || !scrolls(by)) this.go(this.at + by);
  }

  /** All screens below each other, as on paper. */
  spread() {
    for (const screen of this.all) {
      screen.hidden = false;
      this.fill(screen);
    }
  }

  /** Prints the whole lesson, once all of its figures are drawn. */
  print() {
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

/**
 * Scrolls by most of a window; whether there was something left to scroll.
 * @param {number} by -1 for up, 1 for down
 */
function scrolls(by) {
  const page = document.documentElement;
  const before = page.scrollTop;
  page.scrollBy({ top: by * SCROLLED * innerHeight, behavior: "instant" });
  return page.scrollTop !== before;
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
