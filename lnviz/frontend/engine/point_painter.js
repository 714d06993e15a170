// Editor for the reader's own points: set or erase them in a plane by mouse, finger or keyboard.

import { div, button, element } from "./dom.js";
import { svgElement } from "./thumbnail.js";

/** @typedef {import("./plane.js").Point} Point */
/** @typedef {(values: Record<string, string>) => void} RequestFigure loads the figure for other parameters */
/**
 * The part of the editor that survives a redrawn picture: the data it is based on, unsent points, the tool, and the
 * keyboard's crosshair.
 * @typedef {{base: string, points: Point[] | null, tool: number, cross: number[]}} Draft
 */

const STROKE_SPACING = 2.5; // grid steps between points set in one stroke
const ERASE_RADIUS = 3; // grid steps within which points are erased
const STEP = 2; // grid steps per arrow key
const ERASE = 2; // the tool after those that set points
/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowRight: [STEP, 0], ArrowLeft: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] };

/** Editor for points of a plane view. */
export class PointPainter {
  /**
   * @param {import("./plane.js").Plane} plane
   * @param {import("./figure_layout.js").ViewContext} context
   */
  constructor(plane, context) {
    this.plane = plane;
    this.context = context;
    const { parameters } = plane.controller.state.payload;
    /** The data that the figure shows. */
    this.shown = String(parameters.find(({ name }) => name === plane.spec.paint)?.value);
    /** The data that the points are based on: shown, or requested. */
    this.base = this.shown;
    if (context.draft?.base !== this.base) context.draft = null;
    /** The last grid index on each axis. */
    this.last = plane.spec.letters.length - 1;
    /** The points in grid coordinates; null while none are the reader's own. @type {Point[] | null} */
    this.points = context.draft?.points ?? this.ownPoints();
    /** A class, or `ERASE`; -1 for none. */
    this.tool = -1;
    /** The keyboard's crosshair. */
    this.cross = context.draft?.cross ?? [0, 0].fill(Math.round(this.last / 2));
    /** Where the current stroke used the tool last; null between strokes. @type {number[] | null} */
    this.lastStroke = null;
    const { labels } = plane.spec;
    const signs = [...labels.map((label, i) => ({ label: `Paint ${label}`, icon: toolIcon(i) })), { label: "Erase", icon: toolIcon(ERASE) }];
    this.tools = signs.map(({ label, icon }, tool) => {
      const node = button("", () => this.selectTool(tool === this.tool ? -1 : tool), "tool");
      node.setAttribute("aria-label", label);
      node.title = label;
      node.append(icon);
      return node;
    });
    this.train = button("Train", () => this.submit(), "go");
    this.status = element("p", "told");
    this.status.setAttribute("role", "status");
    this.element = div("paint", [div("tools", [...this.tools, this.train]), this.status]);
    this.mark = svgElement("path", { class: "cross", "vector-effect": "non-scaling-stroke" });
    this.listen();
    this.selectTool(context.draft?.tool ?? -1);
  }

  /** Return the shown points if they are the reader's own. */
  ownPoints() {
    return this.shown.startsWith(this.plane.spec.prefix) ? this.snappedPoints() : null;
  }

  /** Return the shown points, snapped to the grid. @returns {Point[]} */
  snappedPoints() {
    const { extent } = this.plane.spec;
    const toGrid = (/** @type {number} */ at) => this.clampToGrid(((at / extent + 1) * this.last) / 2);
    return this.plane.points().map(([x, y, group]) => [toGrid(x), toGrid(y), group]);
  }

  /** Discard points that were not sent. */
  discardDraft() {
    this.points = this.ownPoints();
    this.plane.drawn = -1;
    this.selectTool(-1);
  }

  listen() {
    const { picture } = this.plane;
    picture.addEventListener("pointerdown", (event) => {
      if (this.tool < 0 || event.button !== 0) return;
      picture.setPointerCapture(event.pointerId);
      this.applyTool(this.gridPosition(event));
    });
    picture.addEventListener("pointermove", (event) => {
      if (this.lastStroke && distance(this.lastStroke, this.gridPosition(event)) >= STROKE_SPACING) this.applyTool(this.gridPosition(event));
    });
    for (const end of ["pointerup", "pointercancel"]) picture.addEventListener(end, () => (this.lastStroke = null));
    picture.addEventListener("keydown", (event) => {
      if (this.tool < 0) return;
      const step = STEPS[event.key];
      if (step) this.cross = this.cross.map((at, i) => this.clampToGrid(at + step[i]));
      else if (event.key === "Enter" || event.key === " ") this.applyTool(this.cross);
      else return;
      event.preventDefault();
      this.lastStroke = null;
      this.refresh();
    });
  }

  /** Return the grid position of an event. @param {PointerEvent} event */
  gridPosition({ clientX, clientY }) {
    const { left, bottom, width, height } = this.plane.picture.getBoundingClientRect();
    return [(clientX - left) / width, (bottom - clientY) / height].map((share) => this.clampToGrid(share * this.last));
  }

  /** Round to the grid, within its bounds. @param {number} at */
  clampToGrid(at) {
    return Math.max(0, Math.min(this.last, Math.round(at)));
  }

  /** Convert a grid index to a coordinate of the plane. @param {number} at */
  planeCoordinate(at) {
    return this.plane.spec.extent * ((2 * at) / this.last - 1);
  }

  /** Select a tool. @param {number} tool */
  selectTool(tool) {
    this.tool = tool;
    const { picture } = this.plane;
    this.tools.forEach((node, i) => node.setAttribute("aria-pressed", String(i === tool)));
    picture.classList.toggle("painting", tool >= 0);
    if (tool < 0) {
      for (const name of ["tabindex", "role", "aria-label"]) picture.removeAttribute(name);
    } else {
      picture.tabIndex = 0;
      picture.setAttribute("role", "application");
      picture.setAttribute("aria-label", "The plane: arrow keys move a cross, Enter uses the tool there");
    }
    this.refresh();
  }

  /** Use the selected tool at a grid position. @param {number[]} position */
  applyTool([x, y]) {
    this.lastStroke = [x, y];
    const erases = this.tool === ERASE;
    // Setting starts from nothing, erasing from the figure's points.
    const points = this.points ?? (erases ? this.snappedPoints() : []);
    const full = points.length >= this.plane.spec.most;
    if (erases) this.points = points.filter((point) => distance(point, [x, y]) > ERASE_RADIUS);
    else this.points = full ? points : [...points, [x, y, this.tool]];
    this.refresh();
  }

  /** Redraw points, buttons and counts, and save the draft. */
  refresh() {
    const { plane, points, tool } = this;
    this.saveDraft(tool);
    const { fewest, labels, most, extent } = plane.spec;
    if (points) plane.drawPoints(points.map(([x, y, group]) => [this.planeCoordinate(x), this.planeCoordinate(y), group]));
    const [x, y] = this.cross.map((at) => this.planeCoordinate(at));
    this.mark.setAttribute("d", `M${x - extent / 12},${-y}h${extent / 6}M${x},${-y - extent / 12}v${extent / 6}`);
    if (tool >= 0) plane.svg.append(this.mark);
    else this.mark.remove();
    const counts = labels.map((_, i) => (points ?? []).filter(([, , group]) => group === i).length);
    this.train.hidden = !points;
    const count = points?.length ?? 0;
    this.train.setAttribute("aria-disabled", String(counts.includes(0) || count < fewest || this.serialize() === this.shown));
    const bound = count >= most ? ` At most ${most} points are allowed.` : count < fewest ? ` At least ${fewest} points are needed.` : "";
    const counted = labels.map((label, i) => `${counts[i]} ${label}`).join(", ");
    this.status.textContent = points ? `${counted}.${bound}` : "";
  }

  /** Save the draft for the next picture. @param {number} tool */
  saveDraft(tool) {
    const { base, points, cross } = this;
    this.context.draft = { base, points, tool, cross };
  }

  /** Encode the points as the figure's data parameter. */
  serialize() {
    const { prefix, labels, letters } = this.plane.spec;
    const classes = labels.map((_, which) => (this.points ?? []).filter(([, , group]) => group === which));
    return prefix + classes.map((members) => members.map(([x, y]) => letters[x] + letters[y]).join("")).join(".");
  }

  /** Request a training on the points. */
  submit() {
    if (this.train.getAttribute("aria-disabled") === "true") return;
    this.base = this.serialize();
    this.saveDraft(-1);
    this.context.request?.({ [this.plane.spec.paint]: this.base });
  }
}

/** @param {number[]} one @param {number[]} other */
const distance = (one, other) => Math.hypot(one[0] - other[0], one[1] - other[1]);

/** Return the icon of a tool. @param {number} tool */
function toolIcon(tool) {
  const svg = svgElement("svg", { viewBox: "-1 -1 2 2", "aria-hidden": "true" });
  if (tool === ERASE) svg.append(svgElement("path", { d: "M-.6,-.6L.6,.6M.6,-.6L-.6,.6" }));
  else svg.append(tool ? svgElement("circle", { class: "one", r: 0.6 }) : svgElement("rect", { class: "other", x: -0.55, y: -0.55, width: 1.1, height: 1.1 }));
  return svg;
}
