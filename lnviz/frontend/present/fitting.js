// Fits a slide to the window: the largest font size, and the largest chart height at which everything is visible.
// Nothing gets smaller than the page's font.

import { button, isRendered } from "../engine/dom.js";
import { WORD, spreadLabels } from "../engine/label_layout.js";
import { svgElement } from "../engine/thumbnail.js";

/** Font sizes of questions in rem; the first that fits is used. */
const TYPE_SIZES = [1.9, 1.75, 1.6, 1.5, 1.4, 1.3, 1.2, 1.1, 1];
/** Range of chart heights in rem. */
const [LOWEST, HIGHEST] = [7, 30];
/** Height of a named row of a chart, and of what is above and below the rows, in rem. */
const [ROW, AROUND_ROWS] = [1.1, 5.5];
/** CSS classes that remove spacing and texts of a figure, step by step. */
const LEVELS = ["", "tight", "tight tighter", "tight tighter tightest"];
/** A chart lower than this is worth the next level. */
const COMFORTABLE = 11;
/** Labels of SVG views; charts size their own. */
const LABELS = ":is(.ln, .settings) svg:not(.plot svg) text:not(.beside *)";
const LINE_HEIGHT = 1.1;
/** Class of temporarily hidden elements. */
const OFF = "off";

/**
 * One face of a slide: the elements it hides, and its name on the button.
 * @typedef {{without: Element[], name: string}} Face
 */

/**
 * Fit a slide, now and after each change of its content or the window.
 * @param {HTMLElement} screen
 */
export function autoFit(screen) {
  let frame = 0;
  const fit = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    if (!screen.hidden) fitScreen(screen);
  };
  const schedule = () => {
    frame ||= requestAnimationFrame(fit);
  };
  const watch = { subtree: true, childList: true, attributeFilter: ["aria-busy", "data-told", "hidden"] };
  new MutationObserver((mutations) => mutations.some(({ target }) => !(target instanceof SVGElement)) && schedule()).observe(screen, watch);
  addEventListener("resize", schedule);
  return fit;
}

/** Fit a slide once. @param {HTMLElement} screen */
export function fitScreen(screen) {
  const figure = screen.querySelector(".ln");
  if (!figure) {
    TYPE_SIZES.some((type) => {
      screen.style.setProperty("--type", String(type));
      return fitsInWindow(screen);
    });
  } else if (figure.querySelector(".row")) {
    const all = arrangements(screen);
    const fitting = (/** @type {boolean} */ areRowsLegible) => all.find((faces) => faces.every((face) => tryFace(screen, face, areRowsLegible)));
    const found = fitting(true);
    const arrangement = found ?? (figure.querySelector(".plot[data-rows]") && fitting(false)) ?? all[all.length - 1];
    const at = Number(screen.dataset.face ?? 0) % arrangement.length;
    tryFace(screen, arrangement[at], found !== undefined);
    offerNextFace(screen, arrangement, at);
  }
}

/**
 * Return the possible arrangements: submitted settings without the figure, whose state nobody need have handed in; without
 * settings, everything at once, or faces of the figure, shown one at a time: without its input data and this, or one row
 * of views.
 * @param {HTMLElement} screen
 * @returns {Face[][]}
 */
function arrangements(screen) {
  const settings = [...screen.querySelectorAll(":scope > .settings")];
  const places = [...screen.querySelectorAll(":scope > .ln-place")];
  const rows = [...screen.querySelectorAll(".ln .row:not(.words)")].filter((row) => row.querySelector(":scope > :not([hidden])"));
  /** @type {(shown: Element[]) => Face} */
  const face = (shown) => ({ without: rows.filter((row) => !shown.includes(row)), name: "The rest of the figure" });
  // Overview grids come first, the figure's input data last.
  const [inputRows, outputRows] = [true, false].map((is) => rows.filter((row) => is === row.classList.contains("giving")));
  const maps = outputRows.filter((row) => row.matches(":has(.panel)"));
  const ordered = [...new Set([...maps, ...outputRows, ...inputRows])];
  if (settings.length) return [[{ without: places, name: "" }]];
  return [
    [{ without: [], name: "" }],
    ...(inputRows.length ? [[face(outputRows), face(inputRows)]] : []),
    ...(rows.length > 1 ? [ordered.map((row) => face([row]))] : []),
  ];
}

/** Return the chart height in rem below which names of visible rows lie on each other. @param {HTMLElement} screen */
function heightOfRows(screen) {
  const plots = [...screen.querySelectorAll(".plot[data-rows]")].filter((plot) => isRendered(plot));
  const rows = plots.map((plot) => Number(plot.getAttribute("data-rows")));
  return Math.max(LOWEST, ...rows.map((count) => count * ROW + AROUND_ROWS));
}

/**
 * Show one face with the best layout for the window.
 * @param {HTMLElement} screen
 * @param {Face} face
 * @param {boolean} areRowsLegible whether charts are high enough for the names of their rows
 * @returns {boolean} whether everything is visible and legible
 */
function tryFace(screen, { without }, areRowsLegible) {
  for (const each of screen.querySelectorAll(`.${OFF}`)) if (!without.includes(each)) each.classList.remove(OFF);
  for (const each of without) each.classList.add(OFF);
  const last = LEVELS[LEVELS.length - 1];
  const least = areRowsLegible ? heightOfRows(screen) : LOWEST;
  return LEVELS.some((level) => layOutFigure(screen, level, Math.max(COMFORTABLE, least))) || layOutFigure(screen, last, least);
}

/**
 * Add a button for the next face among the figure's controls.
 * @param {HTMLElement} screen
 * @param {Face[]} faces
 * @param {number} at index of the present face
 */
function offerNextFace(screen, faces, at) {
  const existing = screen.querySelector(".rest");
  if (faces.length < 2) {
    existing?.remove();
    delete screen.dataset.face;
    return;
  }
  const turn = () => {
    screen.dataset.face = String(Number(screen.dataset.face ?? 0) + 1);
    fitScreen(screen);
  };
  const next = existing ?? button("", turn, "rest");
  const { name } = faces[(at + 1) % faces.length];
  if (next.textContent !== name) next.textContent = name;
  const parent = screen.querySelector(".ln .controls");
  if (next.parentElement !== parent) parent?.append(next);
}

/**
 * Lay out a figure with the largest charts that fit.
 * @param {HTMLElement} screen
 * @param {string} level the CSS classes
 * @param {number} least minimum chart height
 * @returns {boolean} whether everything is visible and legible
 */
function layOutFigure(screen, level, least) {
  const at = (/** @type {number} */ high) => {
    screen.style.setProperty("--high", `${high}rem`);
    return fitsInWindow(screen);
  };
  screen.dataset.level = level;
  if (!at(least)) return false;
  let [low, high] = [least, HIGHEST];
  while (high - low > 0.25) {
    const middle = (low + high) / 2;
    if (at(middle)) low = middle;
    else high = middle;
  }
  at(low);
  // At the last level, labels may be beside their picture: there texts have made way for it.
  return enlargeLabels(screen) || level.endsWith("tightest");
}

/** Return whether nothing overflows. @param {HTMLElement} screen */
function fitsInWindow({ scrollHeight, clientHeight, scrollWidth, clientWidth }) {
  return scrollHeight <= clientHeight && scrollWidth <= clientWidth;
}

/**
 * Enlarge SVG labels to the page's font size where there is room; where there is not, write those of a picture beside it.
 * @param {HTMLElement} screen
 * @returns {boolean} whether all have room in their boxes
 */
function enlargeLabels(screen) {
  const least = parseFloat(getComputedStyle(document.documentElement).fontSize);
  for (const labels of screen.querySelectorAll("svg > .beside")) labels.remove();
  for (const svg of screen.querySelectorAll("svg.mute")) svg.classList.remove("mute");
  const texts = [...screen.querySelectorAll(LABELS)].filter((text) => text instanceof SVGTextElement);
  for (const text of texts) text.style.fontSize = "";
  const sizes = texts.map((text) => {
    const scale = scaleOf(text);
    return scale && parseFloat(getComputedStyle(text).fontSize) * scale < least - 0.5 ? least / scale : 0;
  });
  texts.forEach((text, i) => {
    if (sizes[i]) text.style.fontSize = `${sizes[i]}px`;
  });
  const tight = texts.filter((text, i) => {
    const box = text.closest(".box")?.querySelector("rect");
    return sizes[i] && box && text.getComputedTextLength() > box.width.baseVal.value;
  });
  const pictures = new Set(tight.flatMap(({ ownerSVGElement }) => ownerSVGElement ?? []));
  // All are moved to the left before the first is measured.
  for (const svg of pictures) svg.classList.add("mute");
  for (const svg of pictures) writeBeside(svg, least);
  return !tight.length;
}

/** Return by how much an element of an SVG is enlarged. @param {SVGGraphicsElement} node */
function scaleOf(node) {
  const matrix = node.getScreenCTM();
  return matrix ? Math.hypot(matrix.c, matrix.d) : 0;
}

/**
 * Write each text of a picture's boxes once, to the right of the picture and as close to the height of its box as the
 * other texts allow: of several boxes with one text, to the one that is farthest from others.
 * @param {SVGSVGElement} svg
 * @param {number} size the font size in pixels
 */
function writeBeside(svg, size) {
  const scale = scaleOf(svg);
  if (!scale) return;
  const boxes = [...svg.querySelectorAll(".box")].flatMap((box) => {
    const [rect, words] = [box.querySelector("rect"), box.querySelector("text")?.textContent ?? ""];
    return rect && WORD.test(words) ? [{ words, at: rect.y.baseVal.value + rect.height.baseVal.value / 2 }] : [];
  });
  const crowd = (/** @type {{words: string, at: number}} */ box) =>
    boxes.reduce((sum, other) => (other.words === box.words ? sum : sum + 1 / Math.abs(other.at - box.at)), 0);
  const labels = [...new Set(boxes.map(({ words }) => words))].map(
    (words) => boxes.filter((box) => box.words === words).toSorted((one, other) => crowd(one) - crowd(other))[0],
  );
  const { x, y, width, height } = svg.viewBox.baseVal;
  const line = (LINE_HEIGHT * size) / scale;
  const places = spreadLabels(labels.map(({ at }) => at), line, [y + line / 2, y + height - line / 2]);
  const group = svg.appendChild(svgElement("g", { class: "beside" }));
  labels.forEach(({ words }, i) => {
    const text = group.appendChild(svgElement("text", { x: x + width, y: places[i], dy: "0.35em", style: `font-size: ${size / scale}px` }));
    text.textContent = words;
  });
}
