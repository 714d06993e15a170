// Text templates with live numbers.

import { element, joinNumbers, LAST_WORD, LEADING_NUMBER, setText } from "./dom.js";
import { formatNumber } from "./numbers.js";
import { slice } from "./tensors.js";

/** @typedef {import("./payload").Field} Field */
/** @typedef {import("./payload").Pieces} Pieces */
/** @typedef {import("./controller.js").FigureController} FigureController */

/** Emphasis in a template, as in Markdown: *weight scale*. */
const EMPHASIS = /\*([^\s*](?:[^*]*[^\s*])?)\*/;

/**
 * Format numbers as a written-out sum.
 * @param {number[]} terms NaN is left out
 * @param {string} format
 */
function formatSum(terms, format) {
  const texts = terms.filter((term) => !Number.isNaN(term)).map((term) => formatNumber(term, format));
  return texts.map((text, i) => (i === 0 ? text : text.startsWith("−") ? ` − ${text.slice(1)}` : ` + ${text}`)).join("");
}

/** A template in the page whose numbers follow the figure's state. */
export class Template {
  /**
   * @param {Element} parent
   * @param {Pieces} pieces
   * @param {FigureController} controller
   */
  constructor(parent, pieces, controller) {
    this.controller = controller;
    /** @type {{node: Element, piece: Field, around: Element}[]} */
    this.fields = [];
    let lastWord = "";
    for (const [at, piece] of pieces.entries()) {
      if (typeof piece === "string") {
        lastWord = at + 1 < pieces.length ? (LAST_WORD.exec(piece)?.[0] ?? "") : "";
        // Every second part is what stood between the asterisks.
        const parts = piece.slice(0, piece.length - lastWord.length).split(EMPHASIS);
        parent.append(...parts.flatMap((part, i) => (i % 2 ? element("em", "", part) : joinNumbers(part))));
      } else {
        const node = document.createElement(piece.style ? "b" : "span");
        if (piece.style) node.className = piece.style;
        const around = element("span");
        around.append(lastWord, node);
        parent.append(around);
        this.fields.push({ node, piece, around });
        lastWord = "";
      }
    }
  }

  draw() {
    for (const { node, piece, around } of this.fields) {
      const text = fieldText(piece, this.controller);
      setText(node, text);
      around.classList.toggle("joined", LEADING_NUMBER.test(text));
    }
  }
}

/**
 * Return a template as plain text, for accessible labels.
 * @param {Pieces} pieces
 * @param {FigureController} controller
 */
export function plainText(pieces, controller) {
  return pieces.map((piece) => (typeof piece === "string" ? piece.split(EMPHASIS).join("") : fieldText(piece, controller))).join("");
}

/**
 * Format a field; in a format that ends in "n", negative numbers get parentheses.
 * @param {Field} field
 * @param {FigureController} controller
 */
function fieldText({ name, format }, { state }) {
  if (format.endsWith("+")) return formatSum(slice(state.tensors[name], state.positions, ""), format.slice(0, -1));
  const tensor = state.tensors[name];
  if (tensor?.words.length) return tensor.words[state.valueOf(name)];
  const text = tensor
    ? formatNumber(state.valueOf(name), format.replace("n", "") || "2")
    : state.labelOf(name);
  return format.endsWith("n") && text.startsWith("−") ? `(${text})` : text;
}
