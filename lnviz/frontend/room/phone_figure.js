// Figures on a phone: loaded when shown, following the projector's figure, and submitted as a setting.

import { div, button, element, joinNumbers } from "../engine/dom.js";
import { StatusLine } from "./question_panels.js";
import { Retry } from "../engine/retry.js";
import { parseHtml } from "./deck.js";
import { isOpen, statusNote } from "./question_view.js";
import { describeSetting, namesOutsideSettings } from "./setting_text.js";
import { ARRIVAL_MS, isSamePose, stepAsked } from "./slide_position.js";
import { PHONE } from "./strings.js";

/** @typedef {import("./question_view.js").Facts} Facts */
/** @typedef {import("./deck.js").FigureSpec} FigureSpec */
/** @typedef {import("./room_connection.js").Pose} Pose */
/** @typedef {import("../engine/figure.js").Figure} Figure */

/** Milliseconds after a touch during which the figure does not follow. */
const TOUCH_GRACE_MS = 2_000;
/** Milliseconds over which a class spreads the loading of a figure. */
const LOAD_JITTER_MS = 1_000;
const TOUCHES = ["pointerdown", "pointermove", "keydown", "input"];

/** A figure that follows the projector's. */
export class PhoneFigure {
  /**
   * @param {FigureSpec} spec
   * @param {(values: Pose) => void} [onMove] called after each change of the figure
   * @param {{leading?: string[], isFixed?: boolean}} [bar] controls under the thumb, by their names in the URL, and whether
   * the figure's parameters stay as they are
   */
  constructor(spec, onMove = () => {}, { leading = [], isFixed = false } = {}) {
    this.spec = spec;
    this.onMove = onMove;
    this.leading = leading;
    this.isFixed = isFixed;
    this.element = div("ln-place", []);
    this.element.dataset.figure = spec.name;
    /** @type {Figure | null} */
    this.figure = null;
    this.isRemoved = false;
    /** Conditions of the exercise from whose start the figure begins; null for none. @type {import("./results.js").Conditions | null} */
    this.start = null;
    this.touchedAt = 0;
    /** The projector's pose while the figure follows it; null while it does not. @type {Pose | null} */
    this.led = null;
    /** A pose to be applied once the participant's touch is over. @type {Pose | null} */
    this.pendingPose = null;
    /** The step of the projector's figure, counted from 1; 0 for none. */
    this.step = 0;
    /** The projector's pose that came last, and the step that came with it. @type {{pose: Pose, step: number} | null} */
    this.told = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** The figure's state; null before it is loaded. @type {Pose | null} */
    this.values = null;
    /** When a pose was applied last. */
    this.followedAt = 0;
    for (const type of TOUCHES) {
      this.element.addEventListener(type, (event) => {
        const isTouch = type !== "pointermove" || /** @type {PointerEvent} */ (event).buttons > 0;
        // Until the figure has loaded, there is nothing to move.
        if (isTouch && this.values) this.touchedAt = Date.now();
      });
    }
    /** Attempts to load the code of figures. */
    this.retry = new Retry(() => this.load());
    this.timer = setTimeout(() => this.load(), Math.random() * LOAD_JITTER_MS);
  }

  /** Load the figure; the code is fetched with the first one. */
  async load() {
    try {
      const { loadFigure, watchState, startGoal } = await import("./figure_loader.js");
      this.retry.cancel();
      if (this.isRemoved) return;
      this.element.replaceChildren();
      const figure = await loadFigure(this.element, this.spec, this.leading, this.isFixed);
      if (this.isRemoved) return figure.unmount();
      this.figure = figure;
      if (this.start && figure.controller.currentState) await startGoal(figure, this.start);
      watchState(this.spec, (values) => {
        if (this.isRemoved) return true;
        this.values = values;
        this.onMove(values);
        // The figure may come long after its code, once the server answers.
        if (this.pendingPose) this.apply(this.pendingPose, this.step);
        return false;
      });
      if (this.pendingPose) this.apply(this.pendingPose, this.step);
    } catch {
      if (this.isRemoved) return;
      this.element.replaceChildren(element("p", "", PHONE.nowhere), button(PHONE.retry, () => this.load()));
      this.retry.schedule();
    }
  }

  /**
   * Follow the projector's figure, which is now at this pose and step.
   * @param {Pose} pose
   * @param {number} [step] counted from 1; 0 for none
   */
  async follow(pose, step = 0) {
    this.led = pose;
    await this.apply(pose, step);
  }

  /** Whether the participant has moved the figure away from the projector's, which it follows. */
  get isAway() {
    const { led, values } = this;
    return led !== null && values !== null && this.touchedAt > this.followedAt && Object.entries(led).some(([name, value]) => name in values && values[name] !== value);
  }

  /**
   * Apply a pose and step, as soon as the participant does not touch the figure.
   * @param {Pose} pose
   * @param {number} [step] counted from 1; 0 for none
   */
  async apply(pose, step = 0) {
    this.pendingPose = pose;
    this.step = step;
    if (!this.told?.step || !isSamePose(pose, this.told.pose)) this.told = { pose, step };
    const { figure } = this;
    if (!figure?.controller.currentState) return;
    clearTimeout(this.timer);
    const remaining = this.touchedAt + TOUCH_GRACE_MS - Date.now();
    if (remaining > 0) {
      this.timer = setTimeout(() => this.pendingPose && this.apply(this.pendingPose, this.step), remaining);
      return;
    }
    this.pendingPose = null;
    this.followedAt = Date.now();
    const { followPose, takeStep } = await import("./figure_loader.js");
    // The remote turns steps; the projector's pose there comes up to two seconds later.
    if (step && step !== this.told.step) await takeStep(figure, step);
    else await followPose(figure, pose, step);
  }

  /** Whether the figure is a curve along a slider. */
  get isCurve() {
    const { controls, views } = this.figure?.controller.currentState?.payload ?? { controls: [], views: [] };
    return controls.length === 1 && controls[0].kind === "slider" && views.flat().some(({ kind }) => kind === "chart");
  }

  /** Return a setting in words, without its values while the figure is not loaded. @param {import("./room_connection.js").Value} value */
  describe(value) {
    return describeSetting(value, this.figure?.controller.currentState?.payload ?? null);
  }

  /** Stop following the projector. */
  stopFollowing() {
    this.led = this.pendingPose = null;
  }

  remove() {
    this.isRemoved = true;
    clearTimeout(this.timer);
    this.retry.cancel();
    this.figure?.unmount();
    this.element.remove();
  }
}

/** Panel of a figure whose setting is submitted. */
export class SettingPanel {
  /**
   * @param {import("./deck.js").Screen} screen
   * @param {FigureSpec} spec
   * @param {(pose: Pose) => void} onSubmit
   * @param {string} task the teacher's own task, instead of the slide's; "" for none
   * @param {string} [control] the one that the slide is about, by its name in the URL
   */
  constructor(screen, spec, onSubmit, task, control = "") {
    this.onSubmit = onSubmit;
    this.goal = task ? null : spec.goal;
    this.isOpen = false;
    /** Whether the figure is loaded, so that a setting has words. */
    this.isNamed = false;
    /** The setting to submit. @type {Pose | null} */
    this.pose = null;
    const questionHtml = screen.asked?.text ?? this.goal?.text ?? "";
    const text = div("ask", task ? [element("p", "", task)] : parseHtml(questionHtml).filter((node) => node instanceof Element));
    this.text = text;
    /** The projector's pose, at which the figure starts; null for the start of an exercise. @type {Pose | null} */
    this.startPose = null;
    /** The states at which the figure was asked about, or came to rest soon after. @type {Pose[]} */
    this.askedAt = [];
    /** The step at which the figure was asked about, counted from 1; 0 for none. */
    this.askedStep = 0;
    this.followsUntil = 0;
    /** Whether the figure has gone back to where it was handed in before the page was loaded again, or need not. */
    this.hasReturned = false;
    const leading = this.goal ? Object.keys(this.goal.conditions) : [control].filter(Boolean);
    const isFixed = !spec.parameters.some((name) => leading.includes(name));
    this.figure = new PhoneFigure(spec, (values) => this.onMove(values), { leading, isFixed });
    this.submitButton = button(PHONE.hand(""), () => this.submit(), "main");
    this.line = new StatusLine((value) => {
      const words = element("span");
      words.append(...joinNumbers(this.figure.describe(value)));
      return words;
    });
    this.element = div("asked", [text, this.figure.element]);
    this.bar = div("handing", [this.line.element, this.submitButton]);
    this.onMove(null);
  }

  submit() {
    if (!this.isOpen || !this.pose) return;
    this.hasReturned = true;
    this.onSubmit(this.pose);
  }

  /** Update the setting after a change of the figure. @param {Pose | null} values the figure's state */
  onMove(values) {
    const { payload } = this.figure?.figure?.controller.currentState ?? {};
    const others = payload ? namesOutsideSettings(payload) : [];
    const names = this.goal ? Object.keys(this.goal.conditions) : Object.keys(values ?? {}).filter((name) => !others.includes(name));
    const pose = Object.fromEntries(names.filter((name) => values && name in values).map((name) => [name, values?.[name] ?? ""]));
    const isEmpty = !Object.keys(pose).length; // of a figure with nothing but cells, while none is chosen
    this.pose = isEmpty ? null : pose;
    const words = isEmpty && values ? PHONE.chooseCell : PHONE.hand(isEmpty ? "…" : this.figure.describe(pose));
    this.submitButton.replaceChildren(...joinNumbers(words));
    this.updateButton();
    if (values && !this.isNamed) this.line.write();
    this.isNamed = values !== null;
    this.showTask();
  }

  /** Start at the projector's state, which may still be on its way. @param {import("./room_connection.js").Room} room */
  startAt({ pose, poll, counted }) {
    this.startPose = pose;
    this.askedAt = [poll?.pose ?? {}, pose];
    this.askedStep = stepAsked(poll, counted);
    this.followsUntil ||= Date.now() + ARRIVAL_MS;
    this.figure.apply(pose);
  }

  /** Say what to find, if a step of the figure says it. */
  showTask() {
    const { figure } = this.figure;
    if (!figure?.controller.currentState || this.text.hasChildNodes()) return;
    const task = figure.layout.steps.taskAt(this.askedStep, ...this.askedAt);
    if (task) this.text.append(element("p", "", task));
  }

  updateButton() {
    this.submitButton.setAttribute("aria-disabled", String(!this.isOpen || !this.pose));
  }

  /** @param {Facts} facts */
  show(facts) {
    this.isOpen = isOpen(facts.room);
    const { room, answer } = facts;
    // After a reload, the figure is where it was handed in.
    if (answer && !this.hasReturned && !this.figure.touchedAt) this.figure.apply({ ...this.startPose, .../** @type {Pose} */ (answer.value) });
    this.hasReturned ||= answer !== null;
    if (this.startPose && !answer && !this.figure.touchedAt && Date.now() < this.followsUntil && !isSamePose(room.pose, this.startPose)) this.startAt(room);
    this.figure.element.toggleAttribute("inert", facts.room.mode === "paused");
    this.updateButton();
    this.element.classList.toggle("over", facts.room.poll?.phase === "shown");
    this.line.show(statusNote({ ...facts, isCurve: this.figure.isCurve }));
  }

  remove() {
    this.figure.remove();
  }
}
