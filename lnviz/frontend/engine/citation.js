// Citation of a figure, and source notes for exports.

import { allValues } from "./address.js";

/** @typedef {import("./figure.js").Figure} Figure */

const BOOK = "lnviz";
const AUTHORS = "The lnviz authors";
const CHARACTER_WIDTH = 6; // approximate width of a character in source notes, in pixels

/**
 * Return the URL of a figure in its present state, with the positions that are defaults now; "" for a page on
 * disk or on the reader's own machine, which nobody else can open.
 * @param {Figure} figure
 */
export function addressOf({ anchor, controller, linked }) {
  const { source } = controller.state.payload;
  const link = publicUrl(source.site);
  if (linked) for (const [name, value] of Object.entries(allValues(controller.state))) link.searchParams.set(name, value);
  if (anchor) link.hash = anchor;
  const isLocal = !/^https?:$/.test(link.protocol) || /^(localhost|127\.|\[::1\])/.test(link.hostname);
  return isLocal ? "" : link.href;
}

/** Return the page's URL at the address that whoever runs the app has published. @param {string} site "" for none */
function publicUrl(site) {
  const here = new URL(location.href);
  // The path of a page on disk is its reader's own.
  if (!site || here.protocol === "file:") return here;
  const base = new URL(site);
  const folder = base.pathname.replace(/\/$/, "");
  base.pathname = here.pathname.startsWith(`${folder}/`) ? here.pathname : folder + here.pathname;
  base.search = here.search;
  return base;
}

/** Return the positions of the controls and the parameters in words. @param {Figure} figure */
function stateInWords({ controller: { state } }) {
  const controls = state.payload.controls.filter(({ kind }) => kind !== "pointer");
  const positions = controls.map(({ name }) => `${name} ${state.labelOf(name)}`);
  return [...positions, ...state.payload.parameters.map(({ label, value }) => `${label} ${value}`)].join("; ");
}

/** Return the book's name and version. @param {Figure} figure */
const edition = ({ controller }) => `${BOOK} ${controller.state.payload.source.version}`;

/**
 * Return the source notes of an exported picture or table: title, finding, state, how it was measured, and URL.
 * @param {Figure} figure
 */
export function sourceLines(figure) {
  const { controller, layout } = figure;
  const { payload } = controller.state;
  return [`${edition(figure)}: ${payload.title}`, layout.sentences("finding"), stateInWords(figure), layout.sentences("method"), addressOf(figure)].filter(Boolean);
}

/**
 * Return a BibTeX entry.
 * @param {Figure} figure
 * @param {Date} today
 */
export function bibtex(figure, today) {
  const { title } = figure.controller.state.payload;
  const date = today.toISOString().slice(0, 10);
  const fields = {
    author: `{${AUTHORS}}`,
    title: `{${escapeLatex(title)}}`,
    howpublished: `Interactive figure in ${edition(figure)}`,
    year: date.slice(0, 4),
    note: escapeLatex(stateInWords(figure)),
    url: addressOf(figure),
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
 * Break a text into lines of at most a width, between words where there are any: a URL has no spaces.
 * @param {string} text
 * @param {number} width in pixels
 */
export function wrapLines(text, width) {
  const most = Math.max(8, Math.floor(width / CHARACTER_WIDTH));
  return text.match(new RegExp(`.{1,${most}}(?:\\s|$)|.{1,${most}}`, "gu")) ?? [];
}
