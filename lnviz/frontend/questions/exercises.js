// Questions and exercises: the reader commits to an answer, and then is told what was mixed up. What is said
// of each answer comes with the page; nothing is sent.

import { div, button, element, findFigure } from "../engine/dom.js";
import { parseNumber } from "../engine/numbers.js";
import { waitForState } from "../engine/visible_state.js";
import { clearAnswer, loadAnswer, saveAnswer } from "./answer_storage.js";

/** Forms that take answers already. @type {WeakSet<Element>} */
const hydrated = new WeakSet();

/** What an answer comes to, by the kind of what is asked. @type {Record<string, (form: HTMLFormElement) => string>} */
const GRADERS = { number: gradeNumber, order: gradeOrder };
/** What nothing more is asked after. */
const FINAL_OUTCOMES = ["right", "solution", "left"];
/** Wrong options after which the right one is told. */
const MAX_WRONG = 2;

/**
 * Lets the forms in a place take answers.
 * @param {ParentNode} place
 * @param {(part: Element) => void} [reveal] shows a part, where the page hides some of them
 */
export function hydrate(place, reveal) {
  for (const form of place.querySelectorAll("form.ln-ask")) {
    if (hydrated.has(form) || !(form instanceof HTMLFormElement)) continue;
    hydrated.add(form);
    const { kind = "" } = form.dataset;
    /** In a room nobody has answered yet. @param {string} answer */
    const save = (answer) => reveal || saveAnswer(form.id, answer);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!(kind in GRADERS)) return;
      save(currentAnswer(form));
      showFeedback(form, GRADERS[kind](form));
      scrollToFeedback(form);
    });
    form.querySelector(".solve")?.addEventListener("click", () => showFeedback(form, "solution"));
    form.querySelector(".again")?.addEventListener("click", () => {
      clearAnswer(form.id);
      restart(form);
    });
    for (const option of optionButtons(form)) {
      option.addEventListener("click", () => {
        if (option.ariaDisabled === "true") return;
        chooseOption(form, option);
        save(currentAnswer(form));
        scrollToFeedback(form);
      });
    }
    if (kind === "order") enableReordering(form);
    if (kind === "goal") watchGoal(form, save, reveal);
    form.querySelector("fieldset")?.removeAttribute("disabled");
    const before = reveal ? "" : loadAnswer(form.id);
    if (before) restoreAnswer(form, before);
  }
}

/**
 * Says what comes of an answer. A screen reader hears of a change in a status that was there before.
 * @param {HTMLFormElement} form
 * @param {string} outcome
 * @param {Element | null} [where] what is said goes, if not to the form's end
 */
function showFeedback(form, outcome, where = form.querySelector(".reply")) {
  const feedback = form.querySelector(`template[data-outcome="${outcome}"]`);
  if (!(feedback instanceof HTMLTemplateElement)) throw new Error(`nothing is said of ${outcome}`);
  const [verdict, reply] = feedback.content.children;
  form.dataset.told = outcome === "right" ? "right" : ["nothing", "unread", "solution", "left"].includes(outcome) ? "" : "wrong";
  form.querySelector("[role=status]")?.replaceChildren(...verdict.cloneNode(true).childNodes);
  where?.replaceChildren(...reply.cloneNode(true).childNodes);
  const again = form.querySelector(".again");
  if (again instanceof HTMLElement) again.hidden = !FINAL_OUTCOMES.includes(outcome);
  const solve = form.querySelector(".solve");
  if (!(solve instanceof HTMLElement)) return;
  // What is hidden cannot keep the focus: it goes on to what has come.
  if (outcome === "solution" && where instanceof HTMLElement) where.focus();
  solve.hidden = ["nothing", "right", "solution"].includes(outcome);
}

/** Brings what has been said last into view, if it is not there. @param {HTMLFormElement} form */
function scrollToFeedback(form) {
  const said = [...form.querySelectorAll("[role=status], .said, .reply")].filter((each) => each.hasChildNodes());
  for (const each of said.slice(-2)) each.scrollIntoView({ block: "nearest" });
}

/**
 * @param {HTMLFormElement} form
 * @returns {HTMLButtonElement[]}
 */
function optionButtons(form) {
  return [...form.querySelectorAll("button")].filter((each) => each.value && each.closest(".options"));
}

/**
 * An option is what the reader answers: a wrong one is told why, and lets them try again.
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement} option
 */
function chooseOption(form, option) {
  const isRight = option.value === "right";
  markOption(option, isRight);
  if (!isRight) showFeedback(form, option.value, option.nextElementSibling);
  const wrong = optionButtons(form).filter(({ dataset }) => dataset.mark === "wrong");
  if (!isRight && wrong.length < MAX_WRONG) return;
  const right = optionButtons(form).find(({ value }) => value === "right");
  if (right) markOption(right, true);
  for (const each of optionButtons(form)) each.ariaDisabled = "true";
  showFeedback(form, isRight ? "right" : "solution");
}

/**
 * @param {HTMLButtonElement} option
 * @param {boolean} isRight
 */
function markOption(option, isRight) {
  option.dataset.mark = isRight ? "right" : "wrong";
  option.ariaDisabled = "true";
}

/** What the reader has answered, so that it can be answered again. @param {HTMLFormElement} form */
function currentAnswer(form) {
  const { kind } = form.dataset;
  if (kind === "number") return form.querySelector("input")?.value ?? "";
  if (kind === "order") return items(form).map(({ dataset }) => dataset.place).join(" ");
  return optionButtons(form).filter(({ dataset }) => dataset.mark).map(({ value }) => value).join(" ");
}

/**
 * Answers as a reader has done before. What is kept may be anything: only what can be answered is.
 * @param {HTMLFormElement} form
 * @param {string} saved
 */
function restoreAnswer(form, saved) {
  const { kind = "" } = form.dataset;
  const input = form.querySelector("input");
  if (kind === "number" && input) input.value = saved;
  if (kind === "order") {
    const places = saved.split(" ");
    const sorted = items(form).sort((one, other) => places.indexOf(one.dataset.place ?? "") - places.indexOf(other.dataset.place ?? ""));
    form.querySelector(".items")?.append(...sorted);
    updateArrows(form);
  }
  if (kind in GRADERS) showFeedback(form, GRADERS[kind](form));
  if (kind === "goal" && !form.dataset.told) showFeedback(form, "left");
  // Wrong ones first: the right one ends it.
  const values = saved.split(" ").sort((one, other) => Number(one === "right") - Number(other === "right"));
  for (const value of values) {
    const option = optionButtons(form).find((each) => each.value === value && each.ariaDisabled !== "true");
    if (option) chooseOption(form, option);
  }
}

/** Asks as if nothing had been answered. @param {HTMLFormElement} form */
function restart(form) {
  form.reset();
  form.dataset.told = "";
  for (const option of optionButtons(form)) {
    delete option.dataset.mark;
    option.ariaDisabled = null;
  }
  for (const place of form.querySelectorAll("[role=status], .said, .reply")) place.replaceChildren();
  const again = form.querySelector(".again");
  if (again instanceof HTMLElement) again.hidden = true;
  const first = form.querySelector("fieldset :is(button:not([hidden]), input)");
  if (first instanceof HTMLElement) first.focus();
}

/** Whether a number is the right one, a typical wrong one, or another. @param {HTMLFormElement} form */
function gradeNumber(form) {
  const field = form.querySelector("label.number");
  const input = form.querySelector("input");
  if (!(field instanceof HTMLElement) || !input) throw new Error("the form has no field");
  if (!input.value.trim()) return "nothing";
  const number = parseNumber(input.value);
  if (Number.isNaN(number)) return "unread";
  /** @type {number[]} */
  const values = JSON.parse(field.dataset.values ?? "");
  // Binary fractions: 0.11 is a little more than 0.01 from 0.1.
  const near = Number(field.dataset.tolerance) * (1 + 1e-9);
  const at = values.findIndex((value) => Math.abs(number - value) <= near);
  if (at < 0) return number < values[0] ? "larger" : "smaller";
  return at === 0 ? "right" : String(at - 1);
}

/** The first place with a wrong item. @param {HTMLFormElement} form */
function gradeOrder(form) {
  const wrong = items(form).findIndex((item, place) => item.dataset.place !== String(place));
  return wrong < 0 ? "right" : String(wrong);
}

/**
 * @param {HTMLFormElement} form
 * @returns {HTMLElement[]}
 */
function items(form) {
  return [...form.querySelectorAll("li")].filter((item) => item.dataset.place);
}

/** Lets items change places, by their buttons and by arrow keys. @param {HTMLFormElement} form */
function enableReordering(form) {
  for (const item of items(form)) {
    for (const arrow of item.querySelectorAll("button")) {
      arrow.addEventListener("click", () => moveItem(form, item, Number(arrow.dataset.by), arrow));
      arrow.addEventListener("keydown", (event) => {
        const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (!by) return;
        event.preventDefault();
        moveItem(form, item, by, arrow);
      });
    }
  }
  updateArrows(form);
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement} item
 * @param {number} by -1 for up, 1 for down
 * @param {HTMLElement} arrow what has the focus, and keeps it
 */
function moveItem(form, item, by, arrow) {
  if (by < 0) item.previousElementSibling?.before(item);
  else item.nextElementSibling?.after(item);
  arrow.focus();
  updateArrows(form);
  const now = items(form);
  const text = item.querySelector("span")?.textContent;
  form.querySelector(".moved")?.replaceChildren(`${text}: place ${now.indexOf(item) + 1} of ${now.length}`);
}

/** The first item cannot go up, nor the last one down. @param {HTMLFormElement} form */
function updateArrows(form) {
  const now = items(form);
  now.forEach((item, place) => {
    for (const arrow of item.querySelectorAll("button")) {
      const end = place === (arrow.dataset.by === "-1" ? 0 : now.length - 1);
      arrow.setAttribute("aria-disabled", String(end));
    }
  });
}

/**
 * Says whether a figure shows what a goal asks for, whenever that changes.
 * @param {HTMLFormElement} form
 * @param {(answer: string) => void} save
 * @param {(part: Element) => void} [reveal]
 */
function watchGoal(form, save, reveal) {
  const link = form.querySelector("a.there");
  if (!(link instanceof HTMLAnchorElement)) throw new Error("the goal names no figure");
  /** @type {Record<string, (string | [number, number])[]>} */
  const conditions = JSON.parse(link.dataset.conditions ?? "");
  const note = buildGoalNote(form, reveal);
  link.addEventListener("click", (event) => {
    const figure = findFigure(link.hash);
    if (!figure) return;
    // On a phone the figure's bar of controls stays where the note would, which then stays above the figure.
    if (matchMedia("(max-width: 640px)").matches) {
      figure.before(note);
      figure.style.setProperty("--goal", `${note.offsetHeight}px`);
    } else figure.after(note);
    if (!reveal) return;
    event.preventDefault();
    reveal(figure);
  });
  let reached = false;
  waitForState(link.hash.slice(1), (values) => {
    const holds = Object.entries(conditions).every(([name, allowed]) =>
      allowed.some((one) => (typeof one === "string" ? values[name] === one : inRange(one, values[name]))),
    );
    if (holds !== reached) {
      reached = holds;
      showFeedback(form, reached ? "right" : "left");
      if (reached) save("reached");
      note.classList.toggle("reached", reached);
    }
    return !form.isConnected;
  });
}

/**
 * @param {[number, number]} range
 * @param {string | undefined} text
 */
function inRange([low, high], text) {
  return text !== undefined && low <= Number(text) && Number(text) <= high;
}

/**
 * The goal, to be read beside the figure.
 * @param {HTMLFormElement} form
 * @param {(part: Element) => void} [reveal]
 */
function buildGoalNote(form, reveal) {
  const text = element("div");
  text.append(...(form.querySelector(".text")?.cloneNode(true).childNodes ?? []));
  const back = button("Back to the exercise", () => {
    note.remove();
    reveal?.(form);
    form.scrollIntoView({ block: "center" });
    const link = form.querySelector("a.there");
    if (link instanceof HTMLElement) link.focus({ preventScroll: true });
  });
  const note = div("ln-goal", [text, back]);
  return note;
}
