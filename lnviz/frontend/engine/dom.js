// DOM helpers.

const WORD = String.raw`\S*[\p{L}±≈=<>≤≥×−+] `;
const NUMBER = String.raw`[−+±]?\d`;
/** A word or sign at the end of a text, with a space: a number that follows stays in its line. */
export const LAST_WORD = new RegExp(`${WORD}$`, "u");
/** The beginning of a number. */
export const LEADING_NUMBER = new RegExp(`^${NUMBER}`, "u");
/** No line ends in these: a word or sign before a number, a power of ten, "Post-LN". As in `lnviz/lessons/prose.py`. */
const JOINED = new RegExp(String.raw`(${WORD}${NUMBER}\S*(?: × \d\S*)?|\d\S* × \d\S*|\p{L}+-[A-Z]{2,3}(?!\w))`, "u");

/**
 * Create an element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [className]
 * @param {string} [text]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, className = "", text = "") {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text) node.textContent = text;
  return node;
}

/**
 * Create a button.
 * @param {string} text
 * @param {() => void} onClick
 * @param {string} [className]
 */
export function button(text, onClick, className = "") {
  const node = element("button", className, text);
  node.type = "button";
  node.addEventListener("click", onClick);
  return node;
}

/**
 * Set an element's text unless it is unchanged: screen readers would announce the same text again. A text node is kept
 * where there is one, because for a new one the browser matches every selector with `:has()` again.
 * @param {Element} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent === text) return;
  const { firstChild } = node;
  if (firstChild === node.lastChild && firstChild?.nodeType === Node.TEXT_NODE) firstChild.nodeValue = text;
  else node.textContent = text;
}

/**
 * Return a text as nodes for the page, in which no line breaks before a number; the text stays the same.
 * @param {string} text
 * @returns {(Element | string)[]}
 */
export function joinNumbers(text) {
  return text.split(JOINED).map((part, i) => (i % 2 ? element("span", "joined", part) : part));
}

/**
 * Show or hide an element unless it is so: where the attribute is set again, the browser lays the element out again.
 * @param {HTMLElement} node
 * @param {boolean} hidden
 */
export function setHidden(node, hidden) {
  if (node.hidden !== hidden) node.hidden = hidden;
}

/**
 * Return whether an element is rendered: inside a closed section it is not. Safari before 17.4 is asked for its boxes;
 * other browsers give boxes to what a closed section hides.
 * @param {Element} node
 */
export function isRendered(node) {
  return node.checkVisibility?.() ?? node.getClientRects().length > 0;
}

/**
 * Create a div.
 * @param {string} className
 * @param {Element[]} children
 */
export function div(className, children) {
  const node = element("div", className);
  node.append(...children);
  return node;
}

/**
 * Make `children` the children of an element, without moving those already in position, so that focus is kept.
 * @param {Element} parent
 * @param {Element[]} children
 */
export function setChildren(parent, children) {
  for (const child of [...parent.children]) if (!children.includes(child)) child.remove();
  children.forEach((child, i) => {
    if (parent.children[i] !== child) parent.insertBefore(child, parent.children[i] ?? null);
  });
}

/**
 * Return a figure of the page, or the placeholder it will be mounted in.
 * @param {string} hash of a link to it
 */
export function findFigure(hash) {
  const name = hash.replace(/^#figure-/, "");
  return document.getElementById(hash.slice(1)) ?? document.querySelector(`.ln-place[data-figure="${CSS.escape(name)}"]`);
}

/** Random per copy of this module: a page may hold several bundles. */
const copy = Math.random().toString(36).slice(2, 8);
let count = 0;

/** Return an id that no other element has. */
export function uniqueId() {
  count += 1;
  return `ln-${copy}-${count}`;
}

/**
 * Return a field with its label.
 * @param {string} text
 * @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} field
 */
export function labeledField(text, field) {
  const label = element("label", "", text);
  field.id = label.htmlFor = uniqueId();
  return div("labeled", [label, field]);
}

/** Return the accessible name of a field or button. @param {Element} node */
const nameOf = (node) => node.ariaLabel ?? ("labels" in node && /** @type {HTMLInputElement} */ (node).labels?.[0] || node).textContent;

/**
 * Run a change that recreates or moves parts of an element; restore the focus to the element with the same name, unless
 * the change has moved it.
 * @param {Element} root
 * @param {() => void} change
 */
export function keepFocus(root, change) {
  const { activeElement: focused } = document;
  const name = focused && nameOf(focused);
  const inside = root.contains(focused);
  change();
  if (!focused || !inside || root.contains(document.activeElement)) return;
  const replacement = [...root.querySelectorAll("input, select, button, [tabindex]")].find((node) => node.localName === focused.localName && nameOf(node) === name);
  if (replacement instanceof HTMLElement || replacement instanceof SVGElement) replacement.focus({ preventScroll: true });
}

/** Style sheets added so far, by address; each promise resolves once its sheet applies or has failed. @type {Map<string, Promise<void>>} */
const styleSheets = new Map();

/** Add a style sheet to the page, once, and wait until it applies. @param {string} address */
export function addStyleSheet(address) {
  if ([...document.querySelectorAll("link")].some(({ href }) => href === address)) return styleSheets.get(address);
  const link = element("link");
  link.rel = "stylesheet";
  link.href = address;
  /** @type {Promise<void>} */
  const applied = new Promise((resolve) => {
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => {
      link.remove(); // The next figure tries again.
      resolve();
    });
  });
  styleSheets.set(address, applied);
  document.head.append(link);
  return applied;
}
