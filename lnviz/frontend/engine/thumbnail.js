// Grayscale thumbnails as SVG, which take theme colors and print well.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Create an SVG element.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string | number>} attributes
 */
export function svgElement(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) node.setAttribute(attribute, String(value));
  return node;
}

/**
 * Create an empty thumbnail.
 * @param {number} height in pixels
 * @param {number} width
 */
export function emptyThumbnail(height, width) {
  return svgElement("svg", {
    class: "picture",
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": `picture of ${width} × ${height} pixels`,
  });
}

/**
 * Fill a thumbnail with pixels.
 * @param {Element} svg
 * @param {number} width in pixels
 * @param {number[]} ink of each pixel, row by row, from 0 to 1
 */
export function paintThumbnail(svg, width, ink) {
  const pixels = ink.map((share, i) =>
    svgElement("rect", { x: i % width, y: Math.floor(i / width), width: 1, height: 1, "fill-opacity": share }),
  );
  svg.replaceChildren(...pixels.filter((_, i) => ink[i] > 0));
}
