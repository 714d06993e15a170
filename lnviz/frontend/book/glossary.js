// A word of the glossary says what it means where it stands: under the mouse, at a tap, by Enter.

import { element } from "../engine/dom.js";

const PAGE = "reference";
/** Before this a mouse is only passing by; as long it may take from the word to what is said. */
const REST_MS = 250;
const GAP = 6;

/** @typedef {Record<string, string>} Glossary what words mean, by the names of their places in the reference */

let isListening = false;

/**
 * Explains words of all that the page has, from the first call on.
 * @param {() => Promise<Glossary>} load called when the first word is asked for
 */
export function explain(load) {
  if (isListening) return;
  isListening = true;
  new Explaining(load).listen();
}

class Explaining {
  /** @param {() => Promise<Glossary>} load */
  constructor(load) {
    this.load = load;
    /** @type {Promise<Glossary> | null} */
    this.glossary = null;
    this.timer = 0;
    /** The word that is explained, or is going to be. @type {HTMLAnchorElement | null} */
    this.word = null;
    this.said = element("p");
    this.more = element("a", "", "In the glossary");
    this.note = element("div", "ln-word");
    this.note.popover = "auto";
    this.note.tabIndex = -1;
    this.note.append(this.said, this.more);
    this.note.addEventListener("toggle", () => {
      if (!this.note.matches(":popover-open")) this.word = null;
    });
  }

  listen() {
    // Before what follows links to other pages.
    addEventListener("click", (event) => this.press(event), { capture: true });
    document.addEventListener("pointerover", (event) => this.hover(event));
  }

  /** @param {MouseEvent} event */
  press(event) {
    const word = wordAt(event.target);
    if (!word || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    clearTimeout(this.timer);
    void this.show(word).then((isSaid) => {
      if (isSaid) this.note.focus({ preventScroll: true });
      else location.assign(word.href);
    });
  }

  /** @param {PointerEvent} event */
  hover({ target, pointerType }) {
    if (pointerType !== "mouse") return;
    const isNote = target instanceof Node && this.note.contains(target);
    const word = wordAt(target);
    if (word === this.word && word) return;
    clearTimeout(this.timer);
    if (isNote) return;
    if (word) this.timer = setTimeout(() => void this.show(word), REST_MS);
    else if (this.word && !this.note.contains(document.activeElement)) this.timer = setTimeout(() => this.hide(), REST_MS);
  }

  /**
   * Says what a word means.
   * @param {HTMLAnchorElement} word
   * @returns {Promise<boolean>} whether that could be said: a link to the rest is followed where it could not
   */
  async show(word) {
    this.word = word;
    this.glossary ??= this.load();
    const glossary = await this.glossary.catch(() => (this.glossary = null));
    const text = glossary?.[word.hash.slice(1)];
    if (!text) return false;
    // Another one is asked for by now.
    if (this.word !== word || !word.isConnected) return true;
    this.said.textContent = text;
    this.more.href = word.href;
    const { note } = this;
    document.body.append(note);
    note.style.colorScheme = getComputedStyle(word).colorScheme;
    if (!note.matches(":popover-open")) note.showPopover();
    const { left, top, bottom } = word.getBoundingClientRect();
    const { width, height } = note.getBoundingClientRect();
    const isBelow = bottom + GAP + height < innerHeight;
    note.style.left = `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`;
    note.style.top = `${isBelow ? bottom + GAP : top - GAP - height}px`;
    return true;
  }

  hide() {
    this.word = null;
    if (this.note.matches(":popover-open")) this.note.hidePopover();
  }
}

/** The word of the glossary that is there. @param {EventTarget | null} target */
function wordAt(target) {
  const link = target instanceof Element && target.closest("a");
  if (!(link instanceof HTMLAnchorElement) || !link.hash || link.closest(".ln-word, .ln-search, nav")) return null;
  const page = link.pathname.split("/").pop()?.replace(/\.html$/, "");
  const isHere = link.pathname === location.pathname;
  return page === PAGE && !isHere ? link : null;
}
