// Questions and exercises: the reader commits to an answer and gets feedback on it. The feedback is part of the page;
// nothing is sent.

import { div, button, element, findFigure } from "../engine/dom.js";
import { parseNumber } from "../engine/numbers.js";
import { waitForState } from "../engine/visible_state.js";
import { clearAnswer, loadAnswer, saveAnswer } from "./answer_storage.js";

/** Forms that are hydrated already. @type {WeakSet<Element>} */
const hydrated = new WeakSet();

/**
 * Graders by kind of exercise; they return the key of the feedback.
 * @type {Record<string, (form: HTMLFormElement) => string>}
 */
const GRADERS = { number: gradeNumber, order: gradeOrder };
/** Outcomes after which the exercise can be restarted. */
const FINAL_OUTCOMES = ["right", "solution", "left"];
/** Milliseconds for which an exercise must be visible before its goal counts. */
const SEEN_DELAY_MS = 1000;
/** Wrong options before the solution is shown. */
const MAX_WRONG = 2;

/**
 * Activate the exercise forms below a node.
 * @param {ParentNode} root
 * @param {(part: Element) => void} [reveal] shows an element, where the page hides some of them
 */
export function hydrate(root, reveal) {
  for (const form of root.querySelectorAll("form.ln-ask")) {
    if (hydrated.has(form) || !(form instanceof HTMLFormElement)) continue;
    hydrated.add(form);
    const { kind = "" } = form.dataset;
    /** Answers of a class are not stored. @param {string} answer */
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
 * Show the feedback on an answer. It goes into an existing status element, so that screen readers announce it.
 * @param {HTMLFormElement} form
 * @param {string} outcome
 * @param {Element | null} [where] element for the explanation, by default the form's end
 */
function showFeedback(form, outcome, where = form.querySelector(".reply")) {
  const feedback = form.querySelector(`template[data-outcome="${outcome}"]`);
  if (!(feedback instanceof HTMLTemplateElement)) throw new Error(`nothing is said of ${outcome}`);
  const [verdict, reply] = feedback.content.children;
  form.dataset.told = outcome === "right" ? "right" : ["nothing", "unread", "solution", "left"].includes(outcome) ? "" : "wrong";
  form.querySelector("[role=status]")?.replaceChildren(...verdict.cloneNode(true).childNodes);
  where?.replaceChildren(...reply.cloneNode(true).childNodes);
  const restartButton = form.querySelector(".again");
  if (restartButton instanceof HTMLElement) restartButton.hidden = !FINAL_OUTCOMES.includes(outcome);
  const solutionButton = form.querySelector(".solve");
  if (!(solutionButton instanceof HTMLElement)) return;
  // The focused button is about to be hidden: move the focus to the explanation.
  if (outcome === "solution" && where instanceof HTMLElement) where.focus();
  solutionButton.hidden = ["nothing", "right", "solution"].includes(outcome);
}

/** Scroll the latest feedback into view if needed. @param {HTMLFormElement} form */
function scrollToFeedback(form) {
  const messages = [...form.querySelectorAll("[role=status], .said, .reply")].filter((each) => each.hasChildNodes());
  for (const each of messages.slice(-2)) each.scrollIntoView({ block: "nearest" });
}

/**
 * Return the option buttons of a form.
 * @param {HTMLFormElement} form
 * @returns {HTMLButtonElement[]}
 */
function optionButtons(form) {
  return [...form.querySelectorAll("button")].filter((each) => each.value && each.closest(".options"));
}

/**
 * Grade an option: a wrong one gets its explanation, and the reader may try again.
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
 * Mark an option as right or wrong, and disable it.
 * @param {HTMLButtonElement} option
 * @param {boolean} isRight
 */
function markOption(option, isRight) {
  option.dataset.mark = isRight ? "right" : "wrong";
  option.ariaDisabled = "true";
}

/** Return the present answer as text, for storage. @param {HTMLFormElement} form */
function currentAnswer(form) {
  const { kind } = form.dataset;
  if (kind === "number") return form.querySelector("input")?.value ?? "";
  if (kind === "order") return items(form).map(({ dataset }) => dataset.place).join(" ");
  return optionButtons(form).filter(({ dataset }) => dataset.mark).map(({ value }) => value).join(" ");
}

/**
 * Restore a stored answer; invalid ones are ignored.
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
  // Wrong ones first: the right one ends the exercise.
  const values = saved.split(" ").sort((one, other) => Number(one === "right") - Number(other === "right"));
  for (const value of values) {
    const option = optionButtons(form).find((each) => each.value === value && each.ariaDisabled !== "true");
    if (option) chooseOption(form, option);
  }
}

/** Reset the exercise. @param {HTMLFormElement} form */
function restart(form) {
  form.reset();
  form.dataset.told = "";
  for (const option of optionButtons(form)) {
    delete option.dataset.mark;
    option.ariaDisabled = null;
  }
  for (const root of form.querySelectorAll("[role=status], .said, .reply")) root.replaceChildren();
  const restartButton = form.querySelector(".again");
  if (restartButton instanceof HTMLElement) restartButton.hidden = true;
  const first = form.querySelector("fieldset :is(button:not([hidden]), input)");
  if (first instanceof HTMLElement) first.focus();
}

/** Grade a number: right, a typical mistake, or other. @param {HTMLFormElement} form */
function gradeNumber(form) {
  const field = form.querySelector("label.number");
  const input = form.querySelector("input");
  if (!(field instanceof HTMLElement) || !input) throw new Error("the form has no field");
  if (!input.value.trim()) return "nothing";
  const number = parseNumber(input.value, field.querySelector("span")?.textContent?.trim());
  if (Number.isNaN(number)) return "unread";
  /** @type {number[]} */
  const values = JSON.parse(field.dataset.values ?? "");
  // Binary fractions: 0.11 is a little more than 0.01 from 0.1.
  const tolerance = Number(field.dataset.tolerance) * (1 + 1e-9);
  const at = values.findIndex((value) => Math.abs(number - value) <= tolerance);
  if (at < 0) return number < values[0] ? "larger" : "smaller";
  return at === 0 ? "right" : String(at - 1);
}

/** Grade an order: return the first wrong position. @param {HTMLFormElement} form */
function gradeOrder(form) {
  const wrong = items(form).findIndex((item, root) => item.dataset.place !== String(root));
  return wrong < 0 ? "right" : String(wrong);
}

/**
 * Return the items of an ordering exercise, in their present order.
 * @param {HTMLFormElement} form
 * @returns {HTMLElement[]}
 */
function items(form) {
  return [...form.querySelectorAll("li")].filter((item) => item.dataset.place);
}

/** Let items be reordered by their buttons and by arrow keys. @param {HTMLFormElement} form */
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
 * Move an item by one position.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} item
 * @param {number} by -1 for up, 1 for down
 * @param {HTMLElement} arrow the focused button, which keeps the focus
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

/** Disable the buttons at both ends of the list. @param {HTMLFormElement} form */
function updateArrows(form) {
  const now = items(form);
  now.forEach((item, root) => {
    for (const arrow of item.querySelectorAll("button")) {
      const end = root === (arrow.dataset.by === "-1" ? 0 : now.length - 1);
      arrow.setAttribute("aria-disabled", String(end));
    }
  });
}

/**
 * Give feedback whenever a figure starts or stops meeting the goal.
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
    isSeen = true;
    said = holds;
    const figure = findFigure(link.hash);
    if (!figure) return;
    // On a phone the figure's sticky toolbar is at the top: there the note goes above the figure.
    if (matchMedia("(max-width: 640px)").matches) {
      figure.before(note);
      figure.style.setProperty("--goal", `${note.offsetHeight}px`);
    } else figure.after(note);
    if (!reveal) return;
    event.preventDefault();
    reveal(figure);
  });
  // What the figure shows before the reader has seen the exercise does not count.
  let isSeen = false;
  let timer = 0;
  let holds = false;
  /** Whether it held when that was last said, or when the exercise came into sight. */
  let said = false;
  let reached = false;
  const judge = () => {
    if (!isSeen || holds === said) return;
    said = holds;
    reached ||= holds;
    if (!reached) return;
    showFeedback(form, holds ? "right" : "left");
    if (holds) save("reached");
    note.classList.toggle("reached", holds);
  };
  const observer = new IntersectionObserver(([{ isIntersecting }]) => {
    clearTimeout(timer);
    if (!isIntersecting) return;
    said = holds;
    timer = setTimeout(() => {
      isSeen = true;
      observer.disconnect();
      judge();
    }, SEEN_DELAY_MS);
  });
  waitForState(link.hash.slice(1), (values) => {
    holds = Object.entries(conditions).every(([name, allowed]) =>
      allowed.some((one) => (typeof one === "string" ? values[name] === one : inRange(one, values[name]))),
    );
    // Not before the figure has come: while a page is loading, its end is on screen.
    if (!isSeen) observer.observe(form);
    judge();
    return !form.isConnected;
  });
}

/**
 * Return whether a text is a number within a range.
 * @param {[number, number]} range
 * @param {string | undefined} text
 */
function inRange([low, high], text) {
  return text !== undefined && low <= Number(text) && Number(text) <= high;
}

/**
 * Return the goal as a note beside the figure.
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
