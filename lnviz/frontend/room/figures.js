// A figure on a phone: it comes when it is shown, follows the teacher's hand, and is handed in as it stands.

import { div, button, element } from "../engine/dom.js";
import { Line } from "./asked.js";
import { nodes } from "./deck.js";
import { isOpen, note } from "./question_view.js";
import { PHONE } from "./words.js";

/** @typedef {import("./question_view.js").Facts} Facts */
/** @typedef {import("./deck.js").Figured} Figured */
/** @typedef {import("./room_connection.js").Pose} Pose */
/** @typedef {import("../engine/figure.js").Figure} Figure */

/** Milliseconds for which a figure that was touched is the student's. */
const MINE = 2_000;
/** Milliseconds in which the phones of a class fetch a figure: not all at once. */
const SCATTERED = 1_000;
const TOUCHES = ["pointerdown", "pointermove", "keydown", "input"];

export class Mounted {
  /**
   * @param {Figured} figured
   * @param {(values: Pose) => void} [moved] called whenever it stands elsewhere
   */
  constructor(figured, moved = () => {}) {
    this.figured = figured;
    this.moved = moved;
    this.element = div("ln-place", []);
    this.element.dataset.figure = figured.name;
    /** @type {Figure | null} */
    this.figure = null;
    this.isGone = false;
    this.touched = 0;
    /** Where the teacher's stands, while the student's is the student's. @type {Pose | null} */
    this.wanted = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    for (const type of TOUCHES) {
      this.element.addEventListener(type, (event) => {
        if (type !== "pointermove" || /** @type {PointerEvent} */ (event).buttons) this.touched = Date.now();
      });
    }
    this.timer = setTimeout(() => this.open(), Math.random() * SCATTERED);
  }

  /** What draws figures is fetched with the first of them. */
  async open() {
    try {
      const { draw, watch } = await import("./figure_loader.js");
      if (this.isGone) return;
      this.element.replaceChildren();
      const figure = await draw(this.element, this.figured);
      if (this.isGone) return figure.unmount();
      this.figure = figure;
      watch(this.figured, (values) => {
        if (!this.isGone) this.moved(values);
        return this.isGone;
      });
      if (this.wanted) this.follow(this.wanted);
    } catch {
      if (!this.isGone) this.element.replaceChildren(element("p", "", PHONE.nowhere), button(PHONE.retry, () => this.open()));
    }
  }

  /** Takes the teacher's positions, once the student's hand is off it. @param {Pose} pose */
  async follow(pose) {
    this.wanted = pose;
    const { figure } = this;
    if (!figure?.controller.currentState) return;
    clearTimeout(this.timer);
    const left = this.touched + MINE - Date.now();
    if (left > 0) {
      this.timer = setTimeout(() => this.wanted && this.follow(this.wanted), left);
      return;
    }
    this.wanted = null;
    const { stand } = await import("./figure_loader.js");
    await stand(figure, pose);
  }

  /** Whether it is a curve along a slider. */
  get isCurve() {
    const { controls, views } = this.figure?.controller.currentState?.payload ?? { controls: [], views: [] };
    return controls.length === 1 && controls[0].kind === "slider" && views.flat().some(({ kind }) => kind === "chart");
  }

  /** A setting as the figure's controls say it; by its values, where it has not come. @param {import("./room_connection.js").Value} value */
  words(value) {
    if (typeof value !== "object") return String(value);
    const { controls, parameters } = this.figure?.controller.currentState?.payload ?? { controls: [], parameters: [] };
    const texts = Object.entries(value).flatMap(([name, text]) => {
      const control = controls.find(({ slug }) => slug === name);
      if (control?.kind === "switch") return [];
      if (control?.kind === "pointer") {
        const [row, column] = text.split(".").map(Number);
        return control.labels[(row - 1) * control.columns.length + column - 1] ?? text;
      }
      if (control) return control.labels[control.values.findIndex((each) => String(each) === text)] ?? text;
      const parameter = parameters.find((each) => each.name === name);
      return (parameter && "options" in parameter && parameter.options.find((option) => option.value === text)?.label) || text;
    });
    return texts.join(", ");
  }

  /** Leaves the figure to the student. */
  release() {
    this.wanted = null;
  }

  remove() {
    this.isGone = true;
    clearTimeout(this.timer);
    this.figure?.unmount();
    this.element.remove();
  }
}

/** A figure to be handed in. */
export class Setting {
  /**
   * @param {import("./deck.js").Screen} screen
   * @param {Figured} figured
   * @param {(pose: Pose) => void} give
   * @param {string} task the teacher's own, in place of the screen's; "" for none
   */
  constructor(screen, figured, give, task) {
    this.goal = task ? null : figured.goal;
    /** What decides what is computed: it is no setting, unless a task names it. */
    this.parameters = figured.parameters;
    this.isOpen = false;
    /** What would be handed in. @type {Pose | null} */
    this.pose = null;
    const asked = task ? "" : (screen.asked?.text ?? this.goal?.text);
    const text = div("ask", asked ? nodes(asked).filter((node) => node instanceof Element) : [element("p", "", task || PHONE.setting)]);
    this.figure = new Mounted(figured, (values) => this.moved(values));
    const isNamed = this.parameters.some((name) => name in (this.goal?.conditions ?? {}));
    this.figure.element.classList.toggle("fixed", !isNamed);
    this.hand = button(PHONE.hand(""), () => this.isOpen && this.pose && give(this.pose), "main");
    this.line = new Line((value) => document.createTextNode(this.figure.words(value)));
    this.element = div("asked", [text, this.figure.element]);
    this.bar = div("handing", [this.line.element, this.hand]);
    this.moved(null);
  }

  /** @param {Pose | null} values where the figure stands */
  moved(values) {
    const names = this.goal ? Object.keys(this.goal.conditions) : Object.keys(values ?? {}).filter((name) => !this.parameters.includes(name));
    this.pose = values && Object.fromEntries(names.filter((name) => name in values).map((name) => [name, values[name]]));
    this.hand.textContent = PHONE.hand(this.pose ? this.figure.words(this.pose) : "…");
    this.allow();
  }

  allow() {
    this.hand.setAttribute("aria-disabled", String(!this.isOpen || !this.pose));
  }

  /** @param {Facts} facts */
  show(facts) {
    this.isOpen = isOpen(facts.room);
    this.figure.element.toggleAttribute("inert", facts.room.mode === "paused");
    this.allow();
    this.line.say(note({ ...facts, isCurve: this.figure.isCurve }));
  }

  remove() {
    this.figure.remove();
  }
}
