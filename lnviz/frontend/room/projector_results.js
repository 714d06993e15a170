// Polls on the projector: the question, and results as bars per round, or as dots of submitted settings.

import { div, element } from "../engine/dom.js";
import { formatNumber } from "../engine/numbers.js";
import { svgElement } from "../engine/thumbnail.js";
import { removeLinks } from "./deck.js";
import { describeSetting } from "./setting_text.js";
import { labelLayout, labeledPositions, markedPositions, settingAxes, mostCommon, meetsConditions, positionAt, differsBesides, roundShares, sharedChoices, joinColumns, stackDots, topCounts, placeable } from "./results.js";
import { PROJECTOR, withSimulated } from "./projector_strings.js";

/** @typedef {import("./room_connection.js").Room} Room */
/** @typedef {import("./room_connection.js").Pose} Pose */
/** @typedef {import("./results.js").Control} Control */
/** @typedef {import("../engine/figure.js").Figure} Figure */

/** Geometry of the track; the window is 1,200 wide. */
const WINDOW = 1200;
const TRACK = { left: 60, width: 1080, height: 280, dot: 22 };
/** Space between two labels. */
const LABEL_SPACE = 16;
/** Of a drawing of two controls: rows at most, their greatest height, the space between them, and the height of all. */
const [MAX_ROWS, MAX_ROW_HEIGHT, ROW_SPACE, PLOT_HEIGHT] = [7, 110, 10, 380];
/** As many names have room in one line below an axis. */
const FEW_LABELS = 5;

/**
 * Return a new element with a copy of another one's content, in which links are no links.
 * @param {"div" | "span"} tag
 * @param {Element | null | undefined} source
 */
function copyContent(tag, source) {
  const copy = element(tag);
  copy.append(...(source?.cloneNode(true).childNodes ?? []));
  removeLinks(copy);
  return copy;
}

/** Return copies of the options, in order. @param {ParentNode} form */
function optionNodes(form) {
  return [...form.querySelectorAll(".options button, .items li > span:first-child")].map((option) => copyContent("span", option));
}

/** Return a copy of the question's text. @param {Element} form @param {string} className */
function questionNode(form, className) {
  const copy = copyContent("div", form.querySelector(".text"));
  copy.className = className;
  if (form instanceof HTMLElement && form.dataset.kind === "order") copy.append(element("p", "", PROJECTOR.first));
  return copy;
}

/**
 * Show an open question, without anything that could influence the vote.
 * @param {HTMLElement} stage
 * @param {HTMLElement} round
 * @param {Element} form
 * @param {string[]} letters of the options
 */
export function showQuestion(stage, round, form, letters) {
  const list = element("ol", "options");
  optionNodes(form).forEach((option, i) => {
    const item = element("li");
    item.append(element("span", "letter", letters[i]), option);
    list.append(item);
  });
  replaceOnce(stage, [questionNode(form, "question"), ...(list.childElementCount ? [list] : [])], `asks ${form.id}`);
  // It leaves with the slide, and moving it again would announce it again.
  if (round.parentElement !== stage) stage.prepend(round);
}

/**
 * Show the results of a choice, both rounds side by side.
 * @param {HTMLElement} stage
 * @param {Room} room
 * @param {Element} form
 */
export function showChoice(stage, { shown, poll }, form) {
  const rounds = shown?.counts ?? [];
  const names = optionNodes(form).map((option, i) => ({ letter: poll?.labels[i] ?? "", name: /** @type {Node} */ (option), isRight: i === shown?.right }));
  replaceOnce(stage, [questionNode(form, "question small"), resultsTable(names, rounds, shown?.simulated ?? []), ...explanation(form)], `shown ${form.id} ${JSON.stringify(shown)}`);
}

/**
 * Show the most common numbers.
 * @param {HTMLElement} stage
 * @param {Room} room
 * @param {Element} form
 */
export function showNumbers(stage, { shown }, form) {
  const field = form.querySelector("label.number");
  const { values = "[]", tolerance = "0" } = field instanceof HTMLElement ? field.dataset : {};
  const [right] = JSON.parse(values);
  // Binary fractions: 0.11 is a little more than 0.01 from 0.1.
  const near = Number(tolerance) * (1 + 1e-9);
  const isRight = (/** @type {number} */ value) => Math.abs(value - right) <= near;
  const { rows, others } = mostCommon(shown?.values ?? [], isRight);
  const named = rows.map(([value, count]) => ({ words: formatNumber(value, "g"), count, isRight: isRight(value) }));
  replaceOnce(stage, [questionNode(form, "question small"), countsTable(named, others + (shown?.more ?? 0), shown?.simulated ?? []), ...explanation(form)], `shown ${form.id} ${JSON.stringify(shown)}`);
}

/**
 * Return a table with a row per answer, and one for all others, if there are any.
 * @param {{words: string, count: number, isRight: boolean}[]} rows
 * @param {number} others
 * @param {number[]} simulated
 */
function countsTable(rows, others, simulated) {
  const all = others ? [...rows, { words: PROJECTOR.others, count: others, isRight: false }] : rows;
  const names = all.map(({ words, isRight }) => ({ letter: "", name: document.createTextNode(words), isRight }));
  return resultsTable(names, [all.map(({ count }) => count)], simulated);
}

/**
 * Return a table with a row per answer and a column per round.
 * @param {{letter: string, name: Node, isRight: boolean}[]} names
 * @param {number[][]} rounds
 * @param {number[]} simulated answers of simulated students in each round
 */
function resultsTable(names, rounds, simulated) {
  const shown = element("table", "rounds");
  const head = shown.createTHead().insertRow();
  head.append(element("td"));
  rounds.forEach((counts, i) => {
    const all = counts.reduce((sum, count) => sum + count, 0);
    const cell = element("th", "", rounds.length > 1 ? `Round ${i + 1} ` : "");
    cell.scope = "col";
    cell.append(element("span", "", withSimulated(PROJECTOR.answers(all), simulated[i])));
    head.append(cell);
  });
  const body = shown.createTBody();
  const columns = rounds.map(roundShares);
  names.forEach(({ letter, name, isRight }, row) => {
    const line = body.insertRow();
    line.className = isRight ? "right" : "";
    const heading = element("th");
    heading.scope = "row";
    const called = element("span", "called");
    called.append(name);
    if (isRight) called.append(element("small", "", PROJECTOR.right));
    heading.append(div("name", [...(letter ? [element("span", "letter", letter)] : []), called]));
    line.append(heading);
    columns.forEach((column, i) => {
      const cell = line.insertCell();
      const bar = div(`bar${i === 0 && rounds.length > 1 ? " first" : ""}`, [element("i"), element("b", "", column[row].label)]);
      bar.style.setProperty("--share", String(column[row].share));
      cell.append(bar);
    });
  });
  return shown;
}

/** Return the explanation of the right answer; nothing if there is none. @param {Element} form */
function explanation(form) {
  const solution = form.querySelector('template[data-outcome="solution"]');
  const why = copyContent("div", solution instanceof HTMLTemplateElement ? solution.content.children[1] : null);
  why.className = "because";
  return why.hasChildNodes() ? [why] : [];
}

/**
 * Show submitted settings: dots on a control's track, or a scatter plot where two controls differ.
 * @param {HTMLElement} screen
 * @param {Room} room
 * @param {Figure | undefined} figure
 */
export function showSettings(screen, { poll, shown, task }, figure) {
  if (poll?.phase !== "shown" || !shown?.values) return void clearSettings(screen);
  const controls = figure?.controls() ?? [];
  const key = JSON.stringify([shown, controls.length]);
  const existing = screen.querySelector(":scope > .settings");
  if (existing instanceof HTMLElement && existing.dataset.of === key) return;
  const { values } = shown;
  // A task in words has no conditions to check.
  const link = task ? null : screen.querySelector("a.there");
  const conditions = link instanceof HTMLElement ? JSON.parse(link.dataset.conditions ?? "{}") : {};
  const isTask = Object.keys(conditions).length > 0;
  const drawn = settingAxes(controls, values, conditions);
  const isList = !isTask && differsBesides(controls, drawn, values);
  const axes = isList ? [] : drawn;
  const box = element("div", isList ? "settings listed" : "settings");
  box.dataset.of = key;
  const all = values.reduce((sum, [, count]) => sum + count, 0);
  const met = values.reduce((sum, [pose, count]) => sum + (typeof pose === "object" && meetsConditions(conditions, pose) ? count : 0), 0);
  const words = isTask ? PROJECTOR.met(met, all + (shown.more ?? 0)) : PROJECTOR.settings(all + (shown.more ?? 0));
  const placed = placeable(axes, values);
  const undrawn = axes.length ? values.filter((value) => !placed.includes(value)) : [];
  const figureNames = figure?.controller.currentState?.payload ?? { controls: [], parameters: [] };
  const elsewhere = undrawn.map(([value, count]) => `${describeSetting(value, figureNames)} (${count})`);
  const undrawnCount = undrawn.reduce((sum, [, count]) => sum + count, 0) + (shown.more ?? 0);
  const line = element("p", "met", withSimulated(words, shown.simulated[0]));
  const shared = isTask ? [] : sharedChoices(controls, axes, values);
  if (shared.length) line.append(" · ", PROJECTOR.inAll(shared));
  if (axes.length && undrawnCount) line.append(" · ", element("span", "soft", PROJECTOR.undrawn(undrawnCount, elsewhere)));
  box.append(line);
  // What is too much for rows goes across; otherwise long words do not, for they have more room beside an axis than below.
  const isFine = (/** @type {Control} */ { values: stops }) => Number(stops.length > MAX_ROWS);
  const [across, up] = axes.toSorted((one, other) => isFine(other) - isFine(one) || longestLabel(one) - longestLabel(other));
  if (axes.length === 1) box.append(dotTrack(across, placed, conditions));
  if (axes.length === 2) box.append(scatterPlot(across, up, placed, conditions));
  if (isList) box.append(settingsList(values, shown.more ?? 0, figureNames));
  else box.append(settingsTable(axes, values));
  existing?.remove();
  screen.append(box);
}

/**
 * Return the most common settings in words, as a table.
 * @param {Values} values
 * @param {number} more handed in that are not among the values
 * @param {import("./setting_text.js").Named} names
 */
function settingsList(values, more, names) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const [value, count] of values) {
    const words = describeSetting(value, names);
    counts.set(words, (counts.get(words) ?? 0) + count);
  }
  const { rows, others } = topCounts([...counts]);
  const table = countsTable(rows.map(([words, count]) => ({ words, count, isRight: false })), others + more, []);
  table.deleteTHead(); // the line above counts them
  return table;
}

/** @typedef {[import("./room_connection.js").Value, number][]} Values */
/** @typedef {import("./results.js").Conditions} Conditions */

/** Return the x coordinate of a control's position. @param {Control} control @param {number} at */
function xAt({ values }, at) {
  return TRACK.left + (values.length > 1 ? (at / (values.length - 1)) * TRACK.width : TRACK.width / 2);
}

/** Return the number of letters of a control's longest label. @param {Control} control */
function longestLabel({ labels }) {
  return Math.max(...labels.map((label) => label.length));
}

/**
 * Return a value's position on a control; 0 if it has none.
 * @param {Control} control
 * @param {import("./room_connection.js").Value} value
 */
function positionAlong(control, value) {
  return typeof value === "object" ? positionAt(control, value, 0) : 0;
}

/** Return the number of settings at each position of a control. @param {Control} control @param {Values} values */
function countsAlong(control, values) {
  const counts = control.values.map(() => 0);
  for (const [value, count] of values) counts[positionAlong(control, value)] += count;
  return counts;
}

/**
 * Return the labels below an axis, within the window.
 * @param {Control} control
 * @param {number[]} counts
 * @param {(at: number) => number} x
 * @param {number} y
 * @param {{size: number, line: number}} font
 */
function labelsBelow({ kind, labels }, counts, x, y, { size, line }) {
  const canvas = document.createElement("canvas").getContext("2d");
  if (!canvas) return [];
  canvas.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  const sizes = labels.map((label) => canvas.measureText(label).width + LABEL_SPACE);
  const places = labels.map((_, at) => Math.max(sizes[at] / 2, Math.min(WINDOW - sizes[at] / 2, x(at))));
  const first = labeledPositions(places, sizes, counts);
  // A second line has the names that do not fit into the first; of numbers, some are enough.
  const rest = places.map((_, at) => at).filter((at) => kind !== "slider" && !first.includes(at));
  const second = labeledPositions(rest.map((at) => places[at]), rest.map((at) => sizes[at]), rest.map((at) => counts[at])).map((i) => rest[i]);
  return [...first.map((at) => svgText(places[at], y, labels[at])), ...second.map((at) => svgText(places[at], y + line, labels[at]))];
}

/** Return the number of lines that an axis may need below it, with that of its name. @param {Control} control */
function linesBelow({ kind, labels }) {
  return kind !== "slider" && labels.length > FEW_LABELS ? 3 : 2;
}

/**
 * Return the track of a control, with a stack of dots per position.
 * @param {Control} control
 * @param {Values} values
 * @param {Conditions} conditions
 */
function dotTrack(control, values, conditions) {
  const { left, width, dot } = TRACK;
  const counts = countsAlong(control, values);
  const places = counts.map((count, at) => /** @type {[number, number]} */ ([xAt(control, at), count]));
  const columns = joinColumns(places, dot);
  const height = Math.min(TRACK.height, dot * Math.max(...columns.map(({ count }) => count), 2));
  const base = height + 10;
  const font = labelLayout(base + 14, linesBelow(control));
  const svg = svgElement("svg", { viewBox: `0 0 ${WINDOW} ${font.height}`, class: "dot-track", "aria-hidden": "true" });
  const step = width / Math.max(1, control.values.length - 1);
  const x = (/** @type {number} */ at) => xAt(control, at);
  const marked = markedPositions(conditions, control, values);
  marked.forEach((is, at) => {
    if (is) svg.append(svgElement("rect", { x: x(at) - step / 2, y: 4, width: step, height: base - 4, class: "meets" }));
  });
  const dots = stackDots(columns.map(({ x, count }) => [x, count]), { width: WINDOW, height, size: dot });
  for (const { first, last, count } of columns) {
    const met = counts.reduce((sum, each, at) => sum + (marked[at] && first <= x(at) && x(at) <= last ? each : 0), 0);
    dots.splice(0, count).forEach(({ x: across, y, size }, i) => {
      svg.append(svgElement("circle", { cx: across, cy: base - 6 - y, r: 0.45 * size, class: i < met ? "dots met" : "dots" }));
    });
  }
  svg.append(svgElement("line", { x1: left, x2: left + width, y1: base, y2: base, class: "line" }));
  svg.append(...labelsBelow(control, counts, x, base + 4 + font.line, font), svgText(WINDOW / 2, font.height - 10, control.name, "soft"));
  return svg;
}

/**
 * Return a drawing of two controls: one goes across, and each value of the other has a row of dots or, where there are too
 * many for rows, a height.
 * @param {Control} one
 * @param {Control} other
 * @param {Values} values
 * @param {Conditions} conditions
 */
function scatterPlot(one, other, values, conditions) {
  const rows = other.values.length;
  const hasRows = rows <= MAX_ROWS;
  const high = hasRows ? Math.min(MAX_ROW_HEIGHT * rows, PLOT_HEIGHT) : PLOT_HEIGHT;
  // The name of the axis that goes up has a line of its own, above it.
  const font = labelLayout(high + 16, linesBelow(one) + 1);
  const base = font.line + high;
  const svg = svgElement("svg", { viewBox: `0 0 ${WINDOW} ${font.height}`, class: "dot-track", "aria-hidden": "true" });
  const rowAt = (/** @type {number} */ at) => base - (at * high) / rows;
  const y = (/** @type {number} */ at) => (hasRows ? rowAt(at + 0.5) : base - 14 - (at / (rows - 1)) * (high - 40));
  const x = (/** @type {number} */ at) => 280 + ((xAt(one, at) - TRACK.left) / TRACK.width) * 860;
  // Settings that differ in other controls share a point.
  const isMet = (/** @type {Values[number][0]} */ value) => typeof value === "object" && Object.keys(conditions).length > 0 && meetsConditions(conditions, value);
  /** @type {Map<string, {at: number[], count: number, met: number}>} */
  const found = new Map();
  for (const [value, count] of values) {
    const at = [one, other].map((control) => positionAlong(control, value));
    const before = found.get(String(at)) ?? { at, count: 0, met: 0 };
    found.set(String(at), { at, count: count + before.count, met: before.met + (isMet(value) ? count : 0) });
  }
  const points = [...found.values()];
  const dot = (/** @type {number} */ cx, /** @type {number} */ cy, /** @type {number} */ r, /** @type {boolean} */ met) =>
    svg.append(svgElement("circle", { cx, cy, r, class: met ? "dots met" : "dots" }));
  if (hasRows) {
    // All rows have the same columns, and all dots one size, so that rows can be compared.
    const columns = joinColumns(points.map(({ at, count }) => [x(at[0]), count]), TRACK.dot).flatMap(({ x: middle, first, last }) => {
      const inside = points.filter(({ at }) => first <= x(at[0]) && x(at[0]) <= last);
      return other.values.map((_, row) => {
        const here = inside.filter(({ at }) => at[1] === row);
        const total = (/** @type {"count" | "met"} */ of) => here.reduce((sum, point) => sum + point[of], 0);
        return { middle, row, count: total("count"), met: total("met") };
      });
    });
    const dots = stackDots(columns.map(({ middle, count }) => [middle, count]), { width: WINDOW, height: high / rows - ROW_SPACE, size: TRACK.dot });
    for (const { row, count, met } of columns) {
      dots.splice(0, count).forEach(({ x: across, y: up, size }, i) => dot(across, rowAt(row) - 6 - up, 0.45 * size, i < met));
    }
    for (let row = 1; row < rows; row += 1) svg.append(svgElement("line", { x1: 230, x2: 1150, y1: rowAt(row), y2: rowAt(row), class: "row-line" }));
  } else {
    const most = Math.max(1, ...points.map(({ count }) => count));
    for (const { at, count, met } of points.toSorted((larger, smaller) => smaller.count - larger.count)) {
      dot(x(at[0]), y(at[1]), 5 + 13 * Math.sqrt(count / most), met > 0);
    }
    if (most > 1) svg.append(svgText(WINDOW, font.size, PROJECTOR.larger, "soft end"));
  }
  svg.append(svgElement("line", { x1: 230, x2: 1150, y1: base, y2: base, class: "line" }), svgElement("line", { x1: 230, x2: 230, y1: font.line, y2: base, class: "line" }));
  const heights = other.labels.map((_, at) => y(at));
  const lines = labeledPositions(heights, heights.map(() => font.line), countsAlong(other, values));
  for (const at of lines) svg.append(svgText(220, heights[at] + font.size / 3, other.labels[at], "end"));
  svg.append(...labelsBelow(one, countsAlong(one, values), x, base + 2 + font.line, font), svgText(690, font.height - 12, one.name, "soft"), svgText(0, font.size, other.name, "soft start"));
  return svg;
}

/** Create an SVG text. @param {number} x @param {number} y @param {string} words @param {string} [className] */
function svgText(x, y, words, className = "") {
  const node = svgElement("text", { x, y, class: className });
  node.textContent = words;
  return node;
}

/**
 * Return the settings as a table for screen readers.
 * @param {Control[]} controls
 * @param {Values} values
 */
function settingsTable(controls, values) {
  const table = element("table", "spoken");
  const head = table.createTHead().insertRow();
  for (const { name } of controls) head.append(element("th", "", name));
  head.append(element("th", "", PROJECTOR.students));
  const body = table.createTBody();
  for (const [value, count] of values) {
    const line = body.insertRow();
    for (const control of controls) line.insertCell().textContent = control.labels[typeof value === "object" ? positionAt(control, value, -1) : -1] ?? "";
    line.insertCell().textContent = String(count);
  }
  return table;
}

/** Remove the settings; return whether there were any. @param {Element} screen */
export function clearSettings(screen) {
  const settings = screen.querySelector(":scope > .settings");
  settings?.remove();
  return settings !== null;
}

/**
 * Replace the content, unless it is unchanged.
 * @param {HTMLElement} stage
 * @param {Element[]} parts
 * @param {string} key
 */
function replaceOnce(stage, parts, key) {
  if (stage.dataset.of === key) return;
  stage.dataset.of = key;
  stage.replaceChildren(...parts);
}
