// Glossary popups: the definition of a term on hover, tap or Enter.

import { element } from "../engine/dom.js";
import { attachPopups, closePopup, isOpen, openPopup } from "./popups.js";

const PAGE = "reference";
/** Delay before a popup opens or closes, so that it ignores a passing mouse. */
const REST_MS = 250;
const GAP = 6;

/** @typedef {Record<string, string>} Glossary definitions by anchor in the reference */

let isListening = false;

/**
 * Show definitions for all glossary links of the page, from the first call on.
 * @param {() => Promise<Glossary>} load called for the first definition
 */
export function attachGlossary(load) {
  if (isListening) return;
  isListening = true;
  attachPopups();
  new GlossaryPopover(load).listen();
}

/** Popup with the definition of a glossary link. */
class GlossaryPopover {
  /** @param {() => Promise<Glossary>} load */
  constructor(load) {
    this.load = load;
    /** @type {Promise<Glossary> | null} */
    this.glossary = null;
    this.timer = 0;
    /** The link whose definition is shown, or about to be. @type {HTMLAnchorElement | null} */
    this.word = null;
    this.definition = element("p");
    this.link = element("a", "", "In the glossary");
    this.popup = element("div", "ln-word");
    this.popup.setAttribute("popover", "auto");
    this.popup.tabIndex = -1;
    this.popup.append(this.definition, this.link);
    this.popup.addEventListener("toggle", () => {
      if (!isOpen(this.popup)) this.word = null;
    });
  }

  listen() {
    // Before the handler of page links.
    addEventListener("click", (event) => this.onClick(event), { capture: true });
    document.addEventListener("pointerover", (event) => this.onHover(event));
  }

  /** @param {MouseEvent} event */
  onClick(event) {
    const word = wordAt(event.target);
    if (!word || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    clearTimeout(this.timer);
    void this.show(word).then((isShown) => {
      if (isShown) this.popup.focus({ preventScroll: true });
      else location.assign(word.href);
    });
  }

  /** @param {PointerEvent} event */
  onHover({ target, pointerType }) {
    if (pointerType !== "mouse") return;
    const isNote = target instanceof Node && this.popup.contains(target);
    const word = wordAt(target);
    if (word === this.word && word) return;
    clearTimeout(this.timer);
    if (isNote) return;
    if (word) this.timer = setTimeout(() => void this.show(word), REST_MS);
    else if (this.word && !this.popup.contains(document.activeElement)) this.timer = setTimeout(() => this.hide(), REST_MS);
  }

  /**
   * Show a definition.
   * @param {HTMLAnchorElement} word
   * @returns {Promise<boolean>} whether there is one; otherwise the link is followed
   */
  async show(word) {
    this.word = word;
    this.glossary ??= this.load();
    const glossary = await this.glossary.catch(() => (this.glossary = null));
    const text = glossary?.[word.hash.slice(1)];
    if (!text) return false;
    // Another link has been hovered since.
    if (this.word !== word || !word.isConnected) return true;
    this.definition.textContent = text;
    this.link.href = word.href;
    const { popup } = this;
    document.body.append(popup);
    popup.style.colorScheme = getComputedStyle(word).colorScheme;
    openPopup(popup);
    const { left, top, bottom } = word.getBoundingClientRect();
    const { width, height } = popup.getBoundingClientRect();
    const isBelow = bottom + GAP + height < innerHeight;
    popup.style.left = `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`;
    popup.style.top = `${isBelow ? bottom + GAP : top - GAP - height}px`;
    return true;
  }

  hide() {
    this.word = null;
    closePopup(this.popup);
  }
}

/** Return the glossary link at an event target. @param {EventTarget | null} target */
function wordAt(target) {
  const link = target instanceof Element && target.closest("a");
  if (!(link instanceof HTMLAnchorElement) || !link.hash || link.closest(".ln-word, .ln-search, nav")) return null;
  const page = link.pathname.split("/").pop()?.replace(/\.html$/, "");
  const isHere = link.pathname === location.pathname;
  return page === PAGE && !isHere ? link : null;
}
