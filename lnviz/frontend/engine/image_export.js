// Export of a figure as SVG or PNG: what its views show now, in the page's theme.

import { element, isRendered } from "./dom.js";
import { wrapLines } from "./citation.js";

/** @typedef {{left: number, top: number}} Origin of the picture, on the screen */

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 16;
const TITLE = { "font-size": "18px", "font-weight": "600", "line-height": "24px", margin: "0" };
const BELOW = 16; // below the title
const LINE = 15; // line height of the source notes
const SCALE = 2; // of the PNG
const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-linejoin",
  "paint-order",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
];

/**
 * Return a figure as an SVG document.
 * @param {import("./figure_layout.js").FigureLayout} layout
 * @param {string[]} source lines on where the picture is from
 * @returns {Promise<string>} an SVG document
 */
export async function figureSvg(layout, source) {
  const rows = [...layout.body.querySelectorAll(":scope > .row")].filter((row) => isRendered(row));
  const boxes = rows.map((row) => row.getBoundingClientRect());
  const [left, right] = [Math.min(...boxes.map((b) => b.left)), Math.max(...boxes.map((b) => b.right))];
  const [top, bottom] = [Math.min(...boxes.map((b) => b.top)), Math.max(...boxes.map((b) => b.bottom))];
  const title = layout.root.appendChild(element("p", "", layout.controller.state.payload.title));
  for (const [name, value] of Object.entries({ ...TITLE, width: `${right - left}px` })) title.style.setProperty(name, value);
  const head = title.getBoundingClientRect();
  const origin = { left: left - MARGIN, top: top - BELOW - head.height - MARGIN };
  const sourceLines = source.flatMap((text) => wrapLines(text, right - left));
  const height = bottom - origin.top + MARGIN;
  const size = { width: right - left + 2 * MARGIN, height: height + sourceLines.length * LINE + MARGIN };
  const root = svgNode("svg", { xmlns: SVG, ...size, viewBox: `0 0 ${size.width} ${size.height}` });
  root.append(svgNode("rect", { ...size, fill: layout.color("page") }));
  drawElement(title, root, { left: head.left - MARGIN, top: head.top - MARGIN });
  title.remove();
  for (const row of rows) drawElement(row, root, origin);
  for (const view of layout.views) {
    if ("snapshot" in view && isRendered(view.element)) root.append(await chartSvg(view, origin));
  }
  sourceLines.forEach((text, i) => {
    const style = { fill: layout.color("soft"), "font-family": "sans-serif", "font-size": "11px" };
    const line = svgNode("text", { x: MARGIN, y: height + (i + 0.8) * LINE, ...style });
    line.textContent = text;
    root.append(line);
  });
  return new XMLSerializer().serializeToString(root);
}

/**
 * Return a figure as a PNG image.
 * @param {import("./figure_layout.js").FigureLayout} layout
 * @param {string[]} source lines on where the picture is from
 * @returns {Promise<Blob>}
 */
export async function figurePng(layout, source) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(await figureSvg(layout, source))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width * SCALE, image.height * SCALE];
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture could not be made.")))),
  );
}

/**
 * Return Plotly's own SVG of a chart, at the chart's position.
 * @param {import("./chart.js").Chart} view
 * @param {Origin} origin
 */
async function chartSvg(view, origin) {
  const { left, top, width, height } = view.plot.getBoundingClientRect();
  const drawn = new DOMParser().parseFromString(await view.snapshot(width, height), "image/svg+xml").documentElement;
  // Legends are clipped to the page font's width; another font in a viewer may be wider.
  for (const part of drawn.querySelectorAll(".legend, .legend *")) part.removeAttribute("clip-path");
  drawn.setAttribute("x", String(left - origin.left));
  drawn.setAttribute("y", String(top - origin.top));
  return drawn;
}

/**
 * Draw an element and its descendants; charts are drawn separately.
 * @param {Element} element
 * @param {Element} root
 * @param {Origin} origin
 */
function drawElement(element, root, origin) {
  if (!isRendered(element) || element.matches(".plot, .paint")) return;
  if (element instanceof SVGSVGElement) {
    root.append(cloneSvg(element, origin));
    return;
  }
  if (element instanceof HTMLCanvasElement) {
    const image = svgNode("image", { ...boxOf(element, origin), href: element.toDataURL(), preserveAspectRatio: "none" });
    image.setAttribute("style", `image-rendering: ${getComputedStyle(element).imageRendering}`);
    root.append(image);
    drawOutline(element, root, origin);
    return;
  }
  drawBackground(element, root, origin);
  for (const child of element.childNodes) {
    if (child instanceof Element) drawElement(child, root, origin);
    else if (child instanceof Text && child.data.trim()) drawText(child, root, origin);
  }
  if (element.matches(".field")) drawOutline(element, root, origin);
  if (element.matches("td.member")) drawGroupEdges(element, root, origin);
  if (element.matches("td.pointed")) drawPointedFrame(element, root, origin);
}

/**
 * Return a copy of an SVG with inlined styles.
 * @param {SVGSVGElement} element
 * @param {Origin} origin
 */
function cloneSvg(element, origin) {
  const { left, top, width, height } = element.getBoundingClientRect();
  const copy = /** @type {SVGSVGElement} */ (element.cloneNode(true));
  const box = { x: left - origin.left, y: top - origin.top, width, height, fill: getComputedStyle(element).fill };
  for (const [name, value] of Object.entries(box)) copy.setAttribute(name, String(value));
  // Inline the computed styles: the style sheet is not part of the file.
  const copies = copy.querySelectorAll("*");
  element.querySelectorAll("*").forEach((part, i) => {
    const style = getComputedStyle(part);
    for (const name of STYLES) copies[i].setAttribute(name, inRgb(style.getPropertyValue(name)));
    if (part instanceof SVGTextContentElement && !part.firstElementChild) fixTextWidth(copies[i], part.getComputedTextLength());
  });
  return copy;
}

/**
 * Fix a text's width: a viewer may not have the page's fonts.
 * @param {Element} text
 * @param {number} width
 */
function fixTextWidth(text, width) {
  text.setAttribute("textLength", String(Math.max(1, width)));
  text.setAttribute("lengthAdjust", "spacingAndGlyphs");
}

/**
 * Convert a mixed color to one that other programs read.
 * @param {string} value of any style
 */
function inRgb(value) {
  return value.replace(/color\(srgb ([\d.]+) ([\d.]+) ([\d.]+)\)/, (_, ...shares) => {
    const channels = shares.slice(0, 3).map((share) => Math.round(255 * share));
    return `rgb(${channels.join(", ")})`;
  });
}

/**
 * Draw an element's background.
 * @param {Element} element
 * @param {Element} root
 * @param {Origin} origin
 */
function drawBackground(element, root, origin) {
  const { backgroundColor, borderTopLeftRadius } = getComputedStyle(element);
  if (/^rgba\(.*, 0\)$/.test(backgroundColor)) return;
  root.append(svgNode("rect", { ...boxOf(element, origin), rx: parseFloat(borderTopLeftRadius), fill: backgroundColor }));
}

/**
 * Draw the sides of a cell at which its group ends.
 * @param {Element} cell
 * @param {Element} root
 * @param {Origin} origin
 */
function drawGroupEdges(cell, root, origin) {
  const { borderTopColor: stroke } = getComputedStyle(cell, "::after");
  const { x, y, width, height } = boxOf(cell, origin);
  const [left, top, right, bottom] = [x - 1, y - 1, x + width + 1, y + height + 1];
  const sides = { t: [left, top, right, top], b: [left, bottom, right, bottom], l: [left, top, left, bottom], r: [right, top, right, bottom] };
  for (const [name, [x1, y1, x2, y2]] of Object.entries(sides)) {
    if (cell.classList.contains(name)) root.append(svgNode("line", { x1, y1, x2, y2, stroke, "stroke-width": 2 }));
  }
}

/**
 * Draw the outline of a picture, if any.
 * @param {Element} element
 * @param {Element} root
 * @param {Origin} origin
 */
function drawOutline(element, root, origin) {
  const { outlineColor, outlineStyle } = getComputedStyle(element);
  if (outlineStyle !== "none") root.append(svgNode("rect", { ...boxOf(element, origin), fill: "none", stroke: outlineColor }));
}

/**
 * Draw the frame of the pointed cell.
 * @param {Element} cell
 * @param {Element} root
 * @param {Origin} origin
 */
function drawPointedFrame(cell, root, origin) {
  const { x, y, width, height } = boxOf(cell, origin);
  const inside = { x: x + 1.5, y: y + 1.5, width: width - 3, height: height - 3 };
  root.append(svgNode("rect", { ...inside, fill: "none", stroke: getComputedStyle(cell).color, "stroke-width": 3 }));
}

/**
 * Draw a text with its line breaks.
 * @param {Text} text
 * @param {Element} root
 * @param {Origin} origin
 */
function drawText(text, root, origin) {
  const style = getComputedStyle(/** @type {Element} */ (text.parentNode));
  const upward = style.writingMode === "sideways-lr";
  const range = document.createRange();
  /** @type {{words: string, left: number, right: number, bottom: number, top: number}[]} */
  const lines = [];
  for (const { 0: word, index } of text.data.matchAll(/[^\s-]*-+\s*|[^\s-]+\s*/g)) {
    range.setStart(text, index);
    range.setEnd(text, index + word.trimEnd().length);
    const { left, right, top, bottom } = range.getBoundingClientRect();
    const line = lines.at(-1);
    if (line && upward) Object.assign(line, { words: line.words + word, top });
    else if (line && Math.abs(line.top - top) < 2) Object.assign(line, { words: line.words + word, right });
    else lines.push({ words: word, left, right, top, bottom });
  }
  for (const { words, left, right, top, bottom } of lines) {
    const x = (upward ? (left + right) / 2 : left) - origin.left;
    const y = (upward ? bottom : (top + bottom) / 2) - origin.top;
    const line = svgNode("text", {
      x,
      y,
      ...(upward && { transform: `rotate(-90 ${x} ${y})` }),
      "dominant-baseline": "central",
      fill: style.color,
      "font-family": style.fontFamily,
      "font-size": style.fontSize,
      "font-weight": style.fontWeight,
    });
    line.textContent = words.trim();
    fixTextWidth(line, upward ? bottom - top : right - left);
    root.append(line);
  }
}

/**
 * Return an element's box in the picture.
 * @param {Element} element
 * @param {Origin} origin
 */
function boxOf(element, origin) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: left - origin.left, y: top - origin.top, width, height };
}

/**
 * Create an SVG element.
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 */
function svgNode(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (key !== "xmlns") element.setAttribute(key, String(value));
  return element;
}
