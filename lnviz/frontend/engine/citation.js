// Citation of a figure, and source notes for exports.

/** @typedef {import("./figure.js").Figure} Figure */

const BOOK = "lnviz";
const AUTHORS = "The lnviz authors";
const CHARACTER_WIDTH = 6; // approximate width of a character in source notes, in pixels

/**
 * Return the URL of a figure in its present state; "" for a page on disk.
 * @param {Figure} figure
 */
export function addressOf({ anchor }) {
  const link = new URL(location.href);
  if (anchor) link.hash = anchor;
  return /^https?:$/.test(link.protocol) ? link.href : "";
}

/**
 * Return the source notes of an exported picture or table.
 * @param {Figure} figure
 */
export function sourceLines(figure) {
  return [`${BOOK}: ${figure.controller.state.payload.title}`, addressOf(figure)].filter(Boolean);
}

/**
 * Return a BibTeX entry.
 * @param {string} title of the figure
 * @param {string} address of its state
 * @param {Date} today
 */
export function bibtex(title, address, today) {
  const date = today.toISOString().slice(0, 10);
  const fields = {
    author: `{${AUTHORS}}`,
    title: `{${escapeLatex(title)}}`,
    howpublished: `Interactive figure in ${BOOK}`,
    year: date.slice(0, 4),
    url: address,
    urldate: date,
  };
  const lines = Object.entries(fields).filter(([, value]) => value);
  const key = title.toLowerCase().split(/[^a-z0-9]+/).filter(Boolean).slice(0, 3).join("-");
  return `@misc{${BOOK}-${key},\n${lines.map(([field, value]) => `  ${field} = {${value}},\n`).join("")}}\n`;
}

/**
 * Escape characters that are special in LaTeX.
 * @param {string} text
 */
function escapeLatex(text) {
  return text.replace(/[\\{}]/g, "").replace(/[&%$#_]/g, "\\$&");
}

/**
 * Break a text into lines of at most a width, also within words: a URL has no spaces.
 * @param {string} text
 * @param {number} width in pixels
 */
export function wrapLines(text, width) {
  const most = Math.max(8, Math.floor(width / CHARACTER_WIDTH));
  return text.match(new RegExp(`.{1,${most}}`, "gu")) ?? [];
}
