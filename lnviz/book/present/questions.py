"""A slide's question, as JSON data for classroom rooms and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lnviz.book.present.deck import Screen, deck
from lnviz.book.present.titles import figure_title
from lnviz.explorable.parameters import EnumParameter
from lnviz.lessons import (
    ChoiceExercise,
    Exercise,
    FigureGoal,
    FigureSpec,
    NumberExercise,
    OrderExercise,
    prose,
    url_state,
)
from lnviz.lessons.exercise_html import Link
from lnviz.rooms.schema import PollQuestion, QuestionText

LETTERS = "ABCDEFGH"
"""Labels of a question's options."""

ORDER_PROMPT = "Which of these comes first?"
"""The prompt of an ordering exercise in a room, which votes for the first item only."""


def find_question(lesson: str, screen: str | int) -> PollQuestion | None:
    """Return the question on a slide with its figure's controls; None if there is no question.

    On a slide with a figure and no exercise, the question asks for a setting of the controls.

    Args:
        lesson: The slug of the lesson.
        screen: The name or the position of the screen.

    Raises:
        LookupError: There is no such lesson or no such screen.

    >>> find_question("axes", "shared").labels
    ('A', 'B', 'C', 'D')
    """
    shown = deck(lesson).screen(screen)
    asks = question_of(shown)
    if asks is None or asks.kind != "setting" or shown.figure is None:
        return asks
    return replace(asks, controls=url_state.allowed_settings(lesson, shown.figure))


def question_of(screen: Screen) -> PollQuestion | None:
    """Return the question on a slide, without its figure's controls; see `find_question`."""
    match screen.exercise:
        case ChoiceExercise() | OrderExercise():
            options = _options(screen.exercise)
            right = next(place for place, (_, is_right) in enumerate(options) if is_right)
            return PollQuestion("choice", tuple(LETTERS[: len(options)]), right)
        case NumberExercise():
            return PollQuestion("number")
        case FigureGoal():
            return PollQuestion("setting")
    return PollQuestion("setting") if screen.figure else None


def setting_figure(lesson: str, screen: str | int) -> FigureSpec | None:
    """Return the figure of whose controls a slide's question asks a setting.

    It is None for another question, or if the slide is no longer there.
    """
    shown = _find_screen(lesson, screen)
    question = question_of(shown) if shown else None
    return shown.figure if shown and question and question.kind == "setting" else None


def question_text(
    lesson: str, screen: str | int, payload: Mapping[str, Any] | None = None
) -> QuestionText:
    """Return the words of a slide's question, its options, and its figure's controls.

    A figure without an exercise asks for a setting. A slide that is no longer there has no words.

    Args:
        lesson: The slug of the lesson.
        screen: The name or the position of the screen.
        payload: The payload of the slide's `setting_figure`, which names its controls.

    >>> question_text("axes", "shared").options[1]
    'its row'
    """
    shown = _find_screen(lesson, screen)
    if shown is None:
        return QuestionText()
    exercise = shown.exercise
    text = prose.plain_text(prompt(exercise)) if exercise is not None else ""
    if exercise is None and shown.figure is not None:
        text = f"A setting of the figure: {figure_title(deck(lesson).lesson, shown.figure)}"
    options = [prose.plain_text(option) for option, _ in _options(exercise)] if exercise else []
    if payload is None or shown.figure is None:
        return QuestionText(text, tuple(options))
    parameters = shown.figure.parameters
    names = {parameter.name: parameter.label for parameter in parameters}
    values = {
        (parameter.name, option.value): option.label
        for parameter in parameters
        if isinstance(parameter, EnumParameter)
        for option in parameter.options
    }
    for control in payload["controls"]:
        names[control["slug"]] = control["name"]
        if control["kind"] != "pointer":
            values |= {
                (control["slug"], url_state.value_text(value)): label
                for value, label in zip(control["values"], control["labels"], strict=True)
            }
    return QuestionText(text, tuple(options), names, values)


def _find_screen(lesson: str, screen: str | int) -> Screen | None:
    try:
        return deck(lesson).screen(screen)
    except LookupError:
        return None


def question_document(screen: Screen, link: Link) -> dict[str, Any] | None:
    """Return the exercise on a slide as JSON data, or None if the slide has no exercise.

    Prompt, labels and explanation are HTML. For a numeric question, the data include the unit, the
    right value and the tolerance.

    Args:
        screen: The screen.
        link: Returns the `href` for a link in the texts.
    """
    exercise, data = screen.exercise, question_of(screen)
    if exercise is None or data is None:
        return None
    options = _options(exercise)
    document: dict[str, Any] = {
        "kind": data.kind,
        "text": prose.markdown_to_html(prompt(exercise), link),
        "labels": [prose.inline(label, link) for label, _ in options],
        "right": data.right,
        "why": prose.markdown_to_html(explanation(exercise), link),
    }
    if isinstance(exercise, NumberExercise):
        unit = prose.inline(exercise.unit, link)
        document |= {"unit": unit, "value": exercise.right, "tolerance": exercise.tolerance}
    return document


def prompt(exercise: Exercise) -> str:
    """Return an exercise's prompt for a classroom room, as Markdown."""
    return (
        f"{exercise.text}\n\n{ORDER_PROMPT}"
        if isinstance(exercise, OrderExercise)
        else exercise.text
    )


def explanation(exercise: Exercise) -> str:
    """Return the explanation of an exercise's right answer, as Markdown."""
    if not isinstance(exercise, OrderExercise):
        return exercise.explanation
    order = "\n".join(f"{place}. {item.text}" for place, item in enumerate(exercise.items, 1))
    return f"{order}\n\n{exercise.explanation}"


def correct_answer(exercise: Exercise) -> str:
    """Return an exercise's right answer as Markdown; "" for a goal, which has several."""
    match exercise:
        case ChoiceExercise():
            return next(each.text for each in exercise.answers if each.is_right)
        case NumberExercise():
            return " ".join((exercise.right_text, exercise.unit)).strip()
        case OrderExercise():
            return exercise.items[0].text
    return ""


def common_mistakes(exercise: Exercise) -> list[tuple[str, str]]:
    """Return an exercise's anticipated wrong answers, each with its feedback, as Markdown."""
    match exercise:
        case ChoiceExercise():
            return [(each.text, each.feedback) for each in exercise.answers if not each.is_right]
        case NumberExercise():
            return [(f"{wrong.value:g}", wrong.feedback) for wrong in exercise.mistakes]
    return []


def _options(exercise: Exercise) -> list[tuple[str, bool]]:
    """Return an exercise's answer options as Markdown, each with whether it is right."""
    match exercise:
        case ChoiceExercise():
            return [(answer.text, answer.is_right) for answer in exercise.answers]
        case OrderExercise():
            return [(exercise.items[number].text, number == 0) for number in exercise.shuffled]
    return []
