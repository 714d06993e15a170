// Where a figure is from: for those who quote it, and beside what is taken along.

/** @typedef {import("./figure.js").Figure} Figure */

const BOOK = "lnviz";
const AUTHORS = "The lnviz authors";
const CHARACTER_WIDTH = 6; // pixels that one of a picture's last lines takes, about

/**
 * The address at which the page shows the figure as it stands; "" for a page that lies on a disk.
 * @param {Figure} figure
 */
export function addressOf({ anchor }) {
  const link = new URL(location.href);
  if (anchor) link.hash = anchor;
  return /^https?:$/.test(link.protocol) ? link.href : "";
}

/**
 * What stands beside a picture, or above numbers, that leave the page.
 * @param {Figure} figure
 */
export function sourceLines(figure) {
  return [`${BOOK}: ${figure.controller.state.payload.title}`, addressOf(figure)].filter(Boolean);
}

/**
 * An entry for a list of references.
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
 * Letters that mean something to LaTeX, as letters.
 * @param {string} text
 */
function escapeLatex(text) {
  return text.replace(/[\\{}]/g, "").replace(/[&%$#_]/g, "\\$&");
}

/**
 * A text in lines that are no wider than there is room: an address has no blanks to break at.
 * @param {string} text
 * @param {number} width in pixels
 */
export function wrapLines(text, width) {
  const most = Math.max(8, Math.floor(width / CHARACTER_WIDTH));
  return text.match(new RegExp(`.{1,${most}}`, "gu")) ?? [];
}
