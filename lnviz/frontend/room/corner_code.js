// A small QR code of the join address on the projector: on every slide, at the edge where nothing else is.

import { element, isRendered } from "../engine/dom.js";
import { PROJECTOR } from "./projector_strings.js";

/** Milliseconds after a change of the slide, so that it is drawn. */
const DELAY_MS = 250;
/** Distance from the edges and from content, and between the places that are tried, in pixels. */
const GAP = 6;
const STRIDE = 12;
/** Elements that are content themselves; of others, only their texts. */
const CONTENT = "img, canvas, button, input, select, table, .picks, .options > li, .because";
/** Parts of a chart that may be covered: lines behind its content, and what only takes the pointer. */
const BACKGROUND = ".gridlayer *, .bglayer *, .zerolinelayer *, .draglayer *";
/** Bars, of which some may have no size. */
const BARS = ".barlayer *";
/** Shapes of a drawing, up to which they are looked at one by one. */
const SHAPES = "path, rect, circle, line, polyline, polygon, text, image";
const MAX_SHAPES = 1500;

/** @typedef {Pick<DOMRect, "left" | "right" | "top" | "bottom">} Box */
/** @typedef {Pick<DOMRect, "left" | "top">} Place */

/** The QR code at an edge. */
export class CornerCode {
  /** @param {() => HTMLElement | null} current returns the visible slide; null while the code is not wanted */
  constructor(current) {
    this.current = current;
    this.timer = 0;
    /** Where it was shown last. @type {Place | null} */
    this.at = null;
    this.element = element("img", "corner-code");
    this.element.alt = PROJECTOR.picture;
    this.element.hidden = true;
    // In the bar for assistive technology, which looks for landmarks; its position is its own.
    document.querySelector(".navigation")?.append(this.element);
    this.observer = new MutationObserver(() => this.schedule());
    const main = document.querySelector("main");
    if (main) this.observer.observe(main, { subtree: true, childList: true, attributeFilter: ["hidden", "style", "aria-busy"] });
    this.onResize = () => {
      this.at = null;
      this.schedule();
    };
    addEventListener("resize", this.onResize);
  }

  /** Set the image; "" where no phone can follow it. @param {string} source */
  setSource(source) {
    if (this.element.getAttribute("src") === source) return;
    this.element.src = source;
    this.schedule();
  }

  schedule() {
    this.timer ||= setTimeout(() => {
      this.timer = 0;
      this.place();
    }, DELAY_MS);
  }

  /** Show the code at an edge where it covers nothing, if there is a place: where it is, so that it does not wander. */
  place() {
    const screen = this.element.getAttribute("src") ? this.current() : null;
    const boxes = screen ? contentBoxes(screen) : [];
    this.element.hidden = false;
    const { width, height } = this.element.getBoundingClientRect();
    const bar = document.querySelector(".navigation")?.getBoundingClientRect().top ?? innerHeight;
    const [right, bottom] = [innerWidth - GAP - width, bar - GAP - height];
    const isFree = (/** @type {Place} */ { left, top }) => {
      const around = { left: left - GAP, top: top - GAP, right: left + width + GAP, bottom: top + height + GAP };
      return !boxes.some((box) => overlaps(around, box));
    };
    const tried = places(right, bottom);
    if (this.at && this.at.left <= right && this.at.top <= bottom) tried.unshift(this.at); // the bar or the code may have grown
    const free = screen && tried.find(isFree);
    this.element.hidden = !free;
    if (!free) return;
    this.at = free;
    Object.assign(this.element.style, { left: `${free.left}px`, top: `${free.top}px` });
  }

  remove() {
    clearTimeout(this.timer);
    this.observer.disconnect();
    removeEventListener("resize", this.onResize);
    this.element.remove();
  }
}

/**
 * Return the corners, and places along the right, left, upper and lower edge, the best first.
 * @param {number} right the largest distance from the left
 * @param {number} bottom the largest distance from the top
 * @returns {Place[]}
 */
function places(right, bottom) {
  const steps = (/** @type {number} */ from) => Array.from({ length: Math.floor((from - GAP) / STRIDE) + 1 }, (_, i) => from - i * STRIDE);
  return [
    ...[bottom, GAP].flatMap((top) => [right, GAP].map((left) => ({ left, top }))),
    ...[right, GAP].flatMap((left) => steps(bottom).map((top) => ({ left, top }))),
    ...[GAP, bottom].flatMap((top) => steps(right).map((left) => ({ left, top }))),
  ];
}

/** Return where a slide has content. @param {HTMLElement} screen @returns {Box[]} */
function contentBoxes(screen) {
  const parts = [...screen.querySelectorAll(CONTENT)];
  for (const svg of screen.querySelectorAll("svg")) {
    const shapes = [...svg.querySelectorAll(SHAPES)].filter((shape) => !shape.matches(BACKGROUND));
    parts.push(...(shapes.length > MAX_SHAPES ? [svg] : shapes));
  }
  const boxes = parts.filter((part) => isRendered(part)).flatMap((part) => {
    const box = part.getBoundingClientRect();
    return part.matches(BARS) && (box.width < 1 || box.height < 1) ? [] : [box];
  });
  const texts = document.createTreeWalker(screen, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (!node.textContent?.trim() || !(node.parentElement && isRendered(node.parentElement))) continue;
    range.selectNodeContents(node);
    boxes.push(...range.getClientRects());
  }
  return boxes.filter(({ width, height }) => width > 1 || height > 1);
}

/** @param {Box} one @param {Box} other */
function overlaps(one, other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
