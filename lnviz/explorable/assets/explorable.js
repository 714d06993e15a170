// One interactive figure. It fetches a payload, and from then on only looks values up.

import { parametersIn, positionsIn, write } from "./address.js";
import { Chart } from "./chart.js";
import { build, button, parameter } from "./controls.js";
import { Grid } from "./grid.js";
import { decode, offset, valueAt } from "./tensors.js";
import { Template } from "./text.js";

const KINDS = { grid: Grid, chart: Chart };
const SETTLE_MS = 250;
const figures = new WeakMap();

/**
 * Shows an explorable in an element, or updates the one that is there.
 * @param {HTMLElement} parent
 * @param {{source: string, parameters: string[], set?: Record<string, string>}} options
 */
export function mount(parent, options) {
  const there = figures.get(parent);
  if (there?.source === options.source) {
    there.receive(options.set);
    return;
  }
  there?.unmount();
  const figure = new Figure(parent, options);
  figures.set(parent, figure);
  figure.open(options.set);
}

/** Removes the explorable of an element. */
export function unmount(parent) {
  figures.get(parent)?.unmount();
  figures.delete(parent);
}

export class Figure {
  constructor(parent, { source, parameters }) {
    this.source = source;
    this.assets = new URL(".", import.meta.url).href;
    this.parameterNames = parameters;
    this.path = location.pathname;
    this.root = document.createElement("section");
    this.root.className = "ln";
    this.probe = this.root.appendChild(document.createElement("span"));
    this.probe.className = "probe";
    // The color's own transition tells that the page's theme has changed.
    this.probe.addEventListener("transitionend", () => this.views?.forEach((view) => view.recolor?.()));
    this.message = this.root.appendChild(document.createElement("p"));
    this.message.className = "message";
    this.message.setAttribute("role", "alert");
    this.parameterBar = this.root.appendChild(block("parameters", []));
    this.body = this.root.appendChild(document.createElement("div"));
    this.body.textContent = "The figure is on its way.";
    this.spoken = this.root.appendChild(document.createElement("p"));
    this.spoken.className = "spoken";
    this.spoken.setAttribute("role", "status");
    // Whoever holds a cell may have the focus elsewhere by now: on a slider, or nowhere.
    this.escape = (event) => {
      const here = event.target === document.body || this.root.contains(event.target);
      if (event.key === "Escape" && here) this.letGo();
    };
    document.addEventListener("keydown", this.escape);
    this.frame = 0;
    /** Names of the pointers that a click holds. @type {Set<string>} */
    this.held = new Set();
    this.views = null;
    parent.append(this.root);
    style(this.assets + "explorable.css");
  }

  async open(set) {
    this.applied = JSON.stringify(set ?? null);
    await this.load({ ...parametersIn(this.parameterNames), ...set }, true);
  }

  /** Takes parameters that the server's side of the page sets, once each. */
  receive(set) {
    const given = JSON.stringify(set ?? null);
    if (set && given !== this.applied) this.load(set);
    this.applied = given;
  }

  /**
   * Fetches the figure for other parameters. What is on screen stays until the answer is there, and stays
   * when it is a refusal.
   */
  async load(parameters, opening = false) {
    // On top of what is on its way: two changes in a row are both meant.
    const wanted = (this.wanted = { ...this.values(), ...this.wanted, ...parameters });
    const request = (this.request = Symbol("request"));
    this.root.setAttribute("aria-busy", "true");
    let answer = await fetchPayload(this.source, wanted);
    // One correction may call for another: the last of all cases is more than some data has.
    for (let left = 3; opening && answer.nearest && left > 0; left--) {
      const { gone, detail } = answer;
      answer = await fetchPayload(this.source, answer.nearest);
      // A corrected number needs no words; a file that is no longer there does.
      if (gone) answer.detail = detail;
    }
    if (answer.payload) {
      answer.tensors = Object.fromEntries(
        await Promise.all(Object.entries(answer.payload.tensors).map(async ([name, spec]) => [name, await decode(spec)])),
      );
    }
    if (request !== this.request || !this.root.isConnected) return;
    this.wanted = null;
    this.root.removeAttribute("aria-busy");
    this.message.textContent = answer.detail ?? "";
    if (answer.payload) this.show(answer.payload, answer.tensors);
    else if (this.views) this.showParameters();
    else {
      this.body.replaceChildren(button("Try again", () => this.load(parameters, opening)));
    }
  }

  values() {
    return Object.fromEntries((this.parameters ?? []).map(({ name, value }) => [name, String(value)]));
  }

  show(payload, tensors) {
    const kept = this.views ? this.keep(payload.controls) : positionsIn(payload.controls);
    this.stop();
    this.payload = payload;
    this.tensors = tensors;
    this.parameters = payload.parameters;
    this.controls = Object.fromEntries(payload.controls.map((control) => [control.name, control]));
    this.positions = Object.fromEntries(payload.controls.map((c) => [c.name, kept[c.name] ?? c.start]));
    const pointers = payload.controls.filter((control) => control.kind === "pointer");
    this.held = new Set(pointers.map(({ name }) => name).filter((name) => name in kept));
    this.root.setAttribute("aria-label", payload.title);
    this.build();
    this.draw();
    this.views.forEach((view) => view.start?.().catch((error) => this.say(error.message)));
    this.save();
  }

  /** Positions by value, for a payload whose controls may have other positions. */
  keep(controls) {
    const kept = {};
    for (const control of controls) {
      const before = this.controls[control.name];
      if (!before || before.kind !== control.kind) continue;
      const position = this.positions[control.name];
      if (control.kind === "pointer") {
        if (!this.held.has(control.name)) continue;
        const [r, c] = [Math.floor(position / before.columns.length), position % before.columns.length];
        if (r < control.rows.length && c < control.columns.length) kept[control.name] = r * control.columns.length + c;
      } else if (position !== before.start) {
        const found = control.values.indexOf(before.values[position]);
        if (found >= 0) kept[control.name] = found;
      }
    }
    return kept;
  }

  build() {
    const { payload } = this;
    this.widgets = payload.controls.map((spec) => build(spec, this)).filter(Boolean);
    const toolbar = block("toolbar", this.widgets.filter((w) => w.spec.kind !== "switch").map((w) => w.element));
    this.showParameters();
    this.views = [];
    const rows = payload.views.map((row) => {
      const views = row.map((spec) => (KINDS[spec.kind] ? new KINDS[spec.kind](spec, this) : new Readout(spec, this)));
      this.views.push(...views);
      return block("row", views.map((view) => view.element));
    });
    const actions = block("actions", [
      button("Reset", () => this.reset()),
      ...this.widgets.filter((w) => w.spec.kind === "switch").map((w) => w.element),
    ]);
    this.code = document.createElement("pre");
    this.code.tabIndex = 0;
    this.code.hidden = true;
    this.code.setAttribute("aria-label", "The code for this");
    if (payload.code) {
      const toggle = button("The code for this", () => {
        this.code.hidden = !this.code.hidden;
        toggle.setAttribute("aria-expanded", String(!this.code.hidden));
        this.drawCode();
      });
      toggle.setAttribute("aria-expanded", "false");
      actions.append(toggle);
    }
    actions.append(button("Copy link", () => this.copy()));
    this.body.replaceChildren(toolbar, ...rows, actions, this.code);
  }

  showParameters() {
    const values = this.values();
    const kinds = Object.fromEntries(
      (this.parameters ?? []).map(({ name, options }) => [name, options?.find(({ value }) => value === values[name])?.kind]),
    );
    const applies = ({ when }) => Object.entries(when).every(([name, allowed]) => allowed.includes(kinds[name]));
    const fields = () => [...this.parameterBar.querySelectorAll("input, select, button")];
    const focused = fields().indexOf(document.activeElement);
    this.parameterBar.replaceChildren(...(this.parameters ?? []).filter(applies).map((spec) => parameter(spec, this)));
    fields()[focused]?.focus();
  }

  /** Moves a control. The figure is drawn once a frame at most. */
  set(name, position) {
    if (this.positions[name] === position) return;
    this.positions[name] = position;
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
    this.later();
  }

  /** Holds a pointer where it is, or lets it go. */
  hold(name, held) {
    if (this.held.has(name) === held) return;
    if (held) this.held.add(name);
    else this.held.delete(name);
    this.draw();
    this.later();
  }

  /** Lets go of whatever is held. */
  letGo() {
    for (const name of [...this.held]) this.hold(name, false);
  }

  draw() {
    for (const widget of this.widgets) widget.draw();
    for (const control of this.payload.controls) {
      const color = control.colors?.[this.positions[control.name]];
      if (color && color !== "accent") this.root.style.setProperty("--ln-current", `var(--ln-${color})`);
    }
    for (const view of this.views) {
      const shown = this.shows(view.spec);
      if (view.element.hidden === shown) view.element.hidden = !shown;
      if (shown) view.draw();
    }
    this.drawCode();
  }

  drawCode() {
    if (this.code.hidden) return;
    const text = this.payload.code.replace(/«([^»]+)»/g, (_, name) => this.controls[name].codes[this.positions[name]]);
    if (this.code.textContent !== text) this.code.textContent = text;
  }

  /** Whether a view is shown at the present positions. */
  shows(spec) {
    return (
      Object.entries(spec.when).every(([name, allowed]) => allowed.includes(this.positions[name])) &&
      (!spec.given || !Number.isNaN(this.valueOf(spec.given))) &&
      (!spec.lacking || Number.isNaN(this.valueOf(spec.lacking)))
    );
  }

  /** A tensor's value at the present positions. @param {string} name */
  valueOf(name) {
    return valueAt(this.tensors[name], offset(this.tensors[name], this.positions));
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), SETTLE_MS);
  }

  /** After a movement: the address and the text alternative follow. */
  settle() {
    if (!this.views) return;
    clearTimeout(this.timer);
    if (this.frame) {
      this.later();
      return;
    }
    this.save();
    const text = this.views
      .filter((view) => view instanceof Readout && !view.element.hidden)
      .map((view) => view.element.textContent)
      .join(" ");
    if (this.spoken.textContent !== text) this.spoken.textContent = text;
  }

  save() {
    // Another page may be opening under an unfinished movement.
    if (location.pathname === this.path) write(this.payload.controls, this.positions, this.parameters, this.held);
  }

  reset() {
    this.widgets.forEach((widget) => widget.stop?.());
    for (const control of this.payload.controls) this.positions[control.name] = control.start;
    this.held.clear();
    this.draw();
    const changed = this.parameters.filter(({ value, start }) => String(value) !== String(start));
    if (changed.length) this.load(Object.fromEntries(changed.map(({ name, start }) => [name, String(start)])));
    else this.settle();
  }

  async copy() {
    this.settle();
    try {
      await navigator.clipboard.writeText(location.href);
      this.say("Link copied.");
    } catch {
      // Browsers keep the clipboard from pages without https.
      this.say(`Copy this link: ${location.href}`);
    }
  }

  say(text) {
    this.message.textContent = text;
  }

  /** The theme's color for a token, as the page shows it now. */
  color(token) {
    const sample = this.probe.appendChild(document.createElement("i"));
    sample.style.color = `var(--ln-${token})`;
    const color = getComputedStyle(sample).color;
    sample.remove();
    return color;
  }

  stop() {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.views?.forEach((view) => view.stop?.());
    this.widgets?.forEach((widget) => widget.stop?.());
  }

  unmount() {
    this.request = null;
    this.stop();
    document.removeEventListener("keydown", this.escape);
    this.root.remove();
  }
}

class Readout {
  constructor(spec, figure) {
    this.spec = spec;
    this.element = document.createElement("p");
    this.element.className = spec.look;
    this.template = new Template(this.element, spec.pieces, figure);
  }

  draw() {
    this.template.draw();
  }
}

/** A payload, or what the server says against it; a server that is away is spoken for. */
async function fetchPayload(source, parameters) {
  const query = new URLSearchParams(parameters).toString();
  try {
    const response = await fetch(query ? `${source}?${query}` : source);
    if (response.ok) return { payload: await response.json() };
    if (response.headers.get("content-type")?.includes("json")) return { ...(await response.json()), gone: response.status === 410 };
  } catch (error) {
    // No answer, or one that somebody else gave: the sign-in page of a network, say.
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
  }
  return { detail: "The server did not answer. Try again in a moment." };
}

function block(className, children) {
  const node = document.createElement("div");
  node.className = className;
  node.append(...children);
  return node;
}

/** Adds the style sheet once. */
function style(address) {
  if (document.querySelector(`link[href="${address}"]`)) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = address;
  document.head.append(link);
}
