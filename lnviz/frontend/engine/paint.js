// A reader's own points: set in a plane, or taken away, with a mouse, a finger or the keyboard.

import { block, button, element } from "./dom.js";
import { shape } from "./thumbnail.js";

/** @typedef {import("./plane.js").Point} Point */
/** @typedef {(values: Record<string, string>) => void} Ask fetches the figure for other parameters */
/**
 * What outlasts the picture in which it is painted: the data over which points are set, those that are not sent yet,
 * the tool, and the keyboard's cross.
 * @typedef {{on: string, points: Point[] | null, tool: number, cross: number[]}} Draft
 */

const APART = 2.5; // places from one point to the next that a moving hand sets
const NEAR = 3; // places within which a point is taken away
const STEP = 2; // places that an arrow key goes
const ERASE = 2; // the tool after those that set points of a class
/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowRight: [STEP, 0], ArrowLeft: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] };

export class Paint {
  /**
   * @param {import("./plane.js").Plane} plane
   * @param {import("./drawing.js").Look} look
   */
  constructor(plane, look) {
    this.plane = plane;
    this.look = look;
    const { parameters } = plane.hand.state.payload;
    /** The data that the figure shows. */
    this.shown = String(parameters.find(({ name }) => name === plane.spec.paint)?.value);
    /** The data over which points are set: what is shown, or what is on its way. */
    this.on = this.shown;
    if (look.draft?.on !== this.on) look.draft = null;
    /** The number of the last place, to the right and up. */
    this.last = plane.spec.letters.length - 1;
    /** The points so far, by places; null while none are the reader's own. @type {Point[] | null} */
    this.points = look.draft?.points ?? this.own();
    /** A class, or `ERASE`; -1 for none. */
    this.tool = -1;
    /** The place of the keyboard's cross. */
    this.cross = look.draft?.cross ?? [0, 0].fill(Math.round(this.last / 2));
    /** Where the hand used its tool last; null while it is up. @type {number[] | null} */
    this.hand = null;
    const { labels } = plane.spec;
    const signs = [...labels.map((label, i) => ({ says: `Paint ${label}`, sign: sign(i) })), { says: "Erase", sign: sign(ERASE) }];
    this.tools = signs.map(({ says, sign }, tool) => {
      const node = button("", () => this.take(tool === this.tool ? -1 : tool), "tool");
      node.setAttribute("aria-label", says);
      node.title = says;
      node.append(sign);
      return node;
    });
    this.train = button("Train", () => this.send(), "go");
    this.told = element("p", "told");
    this.told.setAttribute("role", "status");
    this.element = block("paint", [block("tools", [...this.tools, this.train]), this.told]);
    this.mark = shape("path", { class: "cross", "vector-effect": "non-scaling-stroke" });
    this.listen();
    this.take(look.draft?.tool ?? -1);
  }

  /** The shown points, where they are the reader's own. */
  own() {
    return this.shown.startsWith(this.plane.spec.before) ? this.placed() : null;
  }

  /** The shown points, each at the nearest place. @returns {Point[]} */
  placed() {
    const { reach } = this.plane.spec;
    const place = (/** @type {number} */ at) => this.within(((at / reach + 1) * this.last) / 2);
    return this.plane.points().map(([x, y, of]) => [place(x), place(y), of]);
  }

  /** Takes away what is set and not sent. */
  drop() {
    this.points = this.own();
    this.plane.drawn = -1;
    this.take(-1);
  }

  listen() {
    const { picture } = this.plane;
    picture.addEventListener("pointerdown", (event) => {
      if (this.tool < 0 || event.button !== 0) return;
      picture.setPointerCapture(event.pointerId);
      this.at(this.place(event));
    });
    picture.addEventListener("pointermove", (event) => {
      if (this.hand && far(this.hand, this.place(event)) >= APART) this.at(this.place(event));
    });
    for (const end of ["pointerup", "pointercancel"]) picture.addEventListener(end, () => (this.hand = null));
    picture.addEventListener("keydown", (event) => {
      if (this.tool < 0) return;
      const step = STEPS[event.key];
      if (step) this.cross = this.cross.map((at, i) => this.within(at + step[i]));
      else if (event.key === "Enter" || event.key === " ") this.at(this.cross);
      else return;
      event.preventDefault();
      this.hand = null;
      this.follow();
    });
  }

  /** The place of an event. @param {PointerEvent} event */
  place({ clientX, clientY }) {
    const { left, bottom, width, height } = this.plane.picture.getBoundingClientRect();
    return [(clientX - left) / width, (bottom - clientY) / height].map((share) => this.within(share * this.last));
  }

  /** The nearest place on the plane. @param {number} at */
  within(at) {
    return Math.max(0, Math.min(this.last, Math.round(at)));
  }

  /** Where a place is in the plane. @param {number} at */
  lies(at) {
    return this.plane.spec.reach * ((2 * at) / this.last - 1);
  }

  /** Takes up a tool. @param {number} tool */
  take(tool) {
    this.tool = tool;
    const { picture } = this.plane;
    this.tools.forEach((node, i) => node.setAttribute("aria-pressed", String(i === tool)));
    picture.classList.toggle("painting", tool >= 0);
    if (tool < 0) {
      for (const name of ["tabindex", "role", "aria-label"]) picture.removeAttribute(name);
    } else {
      picture.tabIndex = 0;
      picture.setAttribute("role", "application");
      picture.setAttribute("aria-label", "The plane: arrows move a cross, Enter uses the tool there");
    }
    this.follow();
  }

  /** Uses the tool. @param {number[]} place */
  at([x, y]) {
    this.hand = [x, y];
    const erases = this.tool === ERASE;
    // A figure's points make no room for others, but some can be taken away.
    const points = this.points ?? (erases ? this.placed() : []);
    const full = points.length >= this.plane.spec.most;
    if (erases) this.points = points.filter((point) => far(point, [x, y]) > NEAR);
    else this.points = full ? points : [...points, [x, y, this.tool]];
    this.follow();
  }

  /** Draws what there is, says how it stands, and keeps it. */
  follow() {
    const { plane, points, tool } = this;
    this.keep(tool);
    const { fewest, labels, most, reach } = plane.spec;
    if (points) plane.dot(points.map(([x, y, of]) => [this.lies(x), this.lies(y), of]));
    const [x, y] = this.cross.map((at) => this.lies(at));
    this.mark.setAttribute("d", `M${x - reach / 12},${-y}h${reach / 6}M${x},${-y - reach / 12}v${reach / 6}`);
    if (tool >= 0) plane.svg.append(this.mark);
    else this.mark.remove();
    const counts = labels.map((_, i) => (points ?? []).filter(([, , of]) => of === i).length);
    this.train.hidden = !points;
    const count = points?.length ?? 0;
    this.train.setAttribute("aria-disabled", String(counts.includes(0) || count < fewest || this.written() === this.shown));
    const bound = count >= most ? ` ${most} points are the most.` : count < fewest ? ` ${fewest} points are the fewest.` : "";
    const told = labels.map((label, i) => `${counts[i]} ${label}`).join(", ");
    this.told.textContent = points ? `${told}.${bound}` : "";
  }

  /** For the picture that comes next. @param {number} tool */
  keep(tool) {
    const { on, points, cross } = this;
    this.look.draft = { on, points, tool, cross };
  }

  /** The points as the figure's data. */
  written() {
    const { before, labels, letters } = this.plane.spec;
    const classes = labels.map((_, which) => (this.points ?? []).filter(([, , of]) => of === which));
    return before + classes.map((of) => of.map(([x, y]) => letters[x] + letters[y]).join("")).join(".");
  }

  /** Has networks trained on the points. */
  send() {
    if (this.train.getAttribute("aria-disabled") === "true") return;
    this.on = this.written();
    this.keep(-1);
    this.look.ask?.({ [this.plane.spec.paint]: this.on });
  }
}

/** @param {number[]} one @param {number[]} other */
const far = (one, other) => Math.hypot(one[0] - other[0], one[1] - other[1]);

/** What a tool sets, drawn. @param {number} tool */
function sign(tool) {
  const svg = shape("svg", { viewBox: "-1 -1 2 2", "aria-hidden": "true" });
  if (tool === ERASE) svg.append(shape("path", { d: "M-.6,-.6L.6,.6M.6,-.6L-.6,.6" }));
  else svg.append(tool ? shape("circle", { class: "one", r: 0.6 }) : shape("rect", { class: "other", x: -0.55, y: -0.55, width: 1.1, height: 1.1 }));
  return svg;
}
