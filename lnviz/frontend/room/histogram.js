// Live results on the remote: a table whose rows are bars.

import { parametersIn } from "../engine/address.js";
import { button, div, element } from "../engine/dom.js";
import { formatNumber } from "../engine/numbers.js";
import { parseHtml } from "./deck.js";
import { isRight } from "./presenter_actions.js";
import { REMOTE } from "./remote_strings.js";
import { request } from "./requests.js";
import { describeSetting } from "./setting_text.js";

/** @typedef {import("./room_connection.js").Tally} Tally */
/** @typedef {import("./room_connection.js").Value} Value */
/** @typedef {import("./deck.js").Screen} Screen */

/** Maximum number of different settings shown. */
const MAX_ROWS = 12;
/** @type {import("./setting_text.js").Named} */
const NO_CONTROLS = { controls: [], parameters: [] };

/**
 * Table of live results.
 * @typedef {{row: HTMLTableRowElement, bar: HTMLElement, share: Element, votes: Element}} Row
 */

export class Histogram {
  /** @param {(value: Value, words: string) => void} discard removes an answer that does not belong on the projector */
  constructor(discard) {
    this.discard = discard;
    this.element = element("table", "histogram");
    this.head = this.element.createTHead().insertRow();
    this.body = this.element.createTBody();
    this.more = element("p", "soft");
    /** Key of the poll and slide shown. */
    this.key = "";
    /** @type {Map<string, Row>} */
    this.rows = new Map();
    /** Controls of figures, for the words of settings, by URL; null while they are loaded. @type {Map<string, import("./setting_text.js").Named | null>} */
    this.figures = new Map();
    /** Shows the latest results again. */
    this.redraw = () => {};
  }

  /**
   * @param {import("./room_connection.js").Poll} poll
   * @param {Tally} tally
   * @param {Screen | null} screen
   */
  show(poll, tally, screen) {
    this.redraw = () => this.show(poll, tally, screen);
    const named = poll.kind === "setting" && screen?.figure ? this.controlsOf(screen.figure, poll.pose) : NO_CONTROLS;
    const key = [poll.id, screen?.lesson, screen?.name, JSON.stringify(poll.pose), named.controls.length].join(" ");
    if (key !== this.key) this.clear(poll, key);
    const isChoice = poll.kind === "choice";
    /** @type {[Value, number][]} */
    const all = isChoice ? poll.labels.map((_, place) => [place, tally.counts[place] ?? 0]) : tally.values;
    const shown = all.slice(0, MAX_ROWS);
    const sum = all.reduce((total, [, count]) => total + count, 0);
    const most = isChoice ? sum : Math.max(1, ...all.map(([, count]) => count));
    const names = shown.map(([value]) => JSON.stringify(value));
    for (const [name, { row }] of this.rows) {
      if (names.includes(name)) continue;
      row.remove();
      this.rows.delete(name);
    }
    shown.forEach(([value, count], place) => {
      const row = this.row(names[place], value, poll, screen, named);
      row.bar.style.inlineSize = `${(100 * count) / (most || 1)}%`;
      row.share.textContent = sum ? `${Math.round((100 * count) / sum)}%` : "–";
      row.votes.textContent = String(count);
      if (this.body.rows[place] !== row.row) this.body.insertBefore(row.row, this.body.rows[place] ?? null);
    });
    this.more.textContent = all.length > MAX_ROWS ? REMOTE.more(all.length - MAX_ROWS) : "";
  }

  /**
   * Return the controls of a figure at the parameters of a state, which may name them otherwise; none until they are loaded.
   * @param {import("./deck.js").FigureSpec} figure
   * @param {import("./room_connection.js").Pose} pose
   * @returns {import("./setting_text.js").Named}
   */
  controlsOf({ source, parameters }, pose) {
    const query = new URLSearchParams(parametersIn(parameters, new URLSearchParams(pose))).toString();
    const url = query ? `${source}?${query}` : source;
    const known = this.figures.get(url);
    if (known === undefined) {
      this.figures.set(url, null);
      this.load(url, source);
    }
    return known ?? NO_CONTROLS;
  }

  /**
   * Load a figure's controls, or its default ones if what it is computed from is gone.
   * @param {string} url
   * @param {string} source URL of the default payload
   */
  async load(url, source) {
    let { status, body } = await request(url);
    if (url !== source && status >= 400 && status < 500) ({ status, body } = await request(source));
    if (status !== 200) return void this.figures.delete(url); // asked again with the next answer
    this.figures.set(url, { controls: body.controls, parameters: body.parameters });
    this.redraw();
  }

  /** @param {import("./room_connection.js").Poll} poll @param {string} key */
  clear(poll, key) {
    this.key = key;
    this.rows.clear();
    this.body.replaceChildren();
    this.element.className = `histogram ${poll.kind}`;
    this.head.replaceChildren(
      ...REMOTE.columns.map((words) => {
        const head = element("th", "", words);
        head.scope = "col";
        return head;
      }),
    );
  }

  /**
   * Return the row of an answer, creating it if needed.
   * @param {string} name
   * @param {Value} value
   * @param {import("./room_connection.js").Poll} poll
   * @param {Screen | null} screen
   * @param {import("./setting_text.js").Named} named the figure's controls
   */
  row(name, value, poll, screen, named) {
    const existing = this.rows.get(name);
    if (existing) return existing;
    const row = element("tr");
    const right = isRight(screen, value) ?? false;
    row.classList.toggle("right", right);
    const head = element("th");
    head.scope = "row";
    head.append(...answerNodes(value, poll, screen, named));
    const words = head.textContent ?? "";
    if (right) head.append(" ✓");
    const bar = element("i");
    const share = element("span");
    const track = element("td");
    track.append(div("track", [div("bar", [bar]), share]));
    const votes = element("td", "votes");
    if (poll.kind !== "choice") {
      const discard = button("×", () => this.discard(value, words), "discard");
      discard.ariaLabel = REMOTE.discard;
      discard.title = REMOTE.discard;
      head.append(" ", discard);
    }
    row.append(head, track, votes);
    const key = { row, bar, share, votes };
    this.rows.set(name, key);
    return key;
  }
}

/**
 * Return an answer in words: an option, a number, or a setting.
 * @param {Value} value
 * @param {import("./room_connection.js").Poll} poll
 * @param {Screen | null} screen
 * @param {import("./setting_text.js").Named} named the figure's controls
 * @returns {(Node | string)[]}
 */
function answerNodes(value, poll, screen, named) {
  if (typeof value === "object") return [describeSetting(value, named)];
  if (poll.kind === "number") return [formatNumber(value, "g")];
  const words = element("span", "words");
  words.append(...parseHtml(screen?.asked?.labels[value] ?? ""));
  return [element("b", "", poll.labels[value] ?? ""), " ", words];
}
