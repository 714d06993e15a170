// Text templates with live numbers.

import { element, setText } from "./dom.js";
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
    /** @type {{node: Element, piece: Field}[]} */
    this.fields = [];
    for (const piece of pieces) {
      if (typeof piece === "string") {
        // Every second part is what stood between the asterisks.
        parent.append(...piece.split(EMPHASIS).map((part, i) => (i % 2 ? element("em", "", part) : part)));
      } else {
        const node = document.createElement(piece.style ? "b" : "span");
        if (piece.style) node.className = piece.style;
        parent.append(node);
        this.fields.push({ node, piece });
      }
    }
  }

  draw() {
    for (const { node, piece } of this.fields) {
      setText(node, fieldText(piece, this.controller));
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
