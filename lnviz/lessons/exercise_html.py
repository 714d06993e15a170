"""Exercises as HTML forms, which `questions/exercises.js` makes interactive."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from urllib.parse import urlencode

from lnviz.lessons import prose
from lnviz.lessons.exercises import (
    ChoiceExercise,
    Exercise,
    FigureGoal,
    NumberExercise,
    OrderExercise,
    Range,
)

Link = Callable[[str], str]

RIGHT, NOTHING, SOLUTION = "right", "nothing", "solution"
"""Names of feedback; that on a wrong answer is named by the number of the answer."""

AGAIN = '<button type="button" class="again" hidden>Answer again</button>'
"""The button that clears the answer."""

SHOWN = "Show it in the figure"
"""The text of the link to a figure in a state that reaches the goal."""


@dataclass(frozen=True)
class Feedback:
    """The feedback on one possible answer to an exercise, as Markdown.

    Attributes:
        name: the number of the answer, or one of the constants above. For a number that is not a
            common mistake, it is `larger` or `smaller`; for text that is not a number, `unread`;
            for a goal that was reached and then left, `left`.
        verdict: one line, which a screen reader announces.
        reply: the rest of the feedback.
    """

    name: str
    verdict: str
    reply: str = ""


def _unchanged(address: str) -> str:
    return address


def exercise_html(exercise: Exercise, link: Link = _unchanged) -> str:
    """Return an exercise as an HTML form, with all text escaped.

    Args:
        exercise: the exercise.
        link: maps the URLs in its text to those in the HTML.

    Returns:
        A form that is disabled until the script has loaded, since submitting it does nothing.
    """
    name = f"ask-{escape(exercise.name)}"
    head = f"<h3>Exercise {exercise.number}</h3>\n" if exercise.number else ""
    told = "\n".join(_feedback_template(outcome, link) for outcome in possible_feedback(exercise))
    return f"""<form class="ln-ask" id="{name}" data-kind="{exercise.kind}">
<fieldset disabled aria-labelledby="{name}-text">
{head}<div class="text" id="{name}-text">{prose.markdown_to_html(exercise.text, link)}</div>
{_answer_fields(exercise, link)}<div class="buttons">{_buttons(exercise)}</div>
</fieldset>
<p role="status"></p>
<div class="reply" tabindex="-1"></div>
{told}
</form>"""


def possible_feedback(exercise: Exercise) -> Iterator[Feedback]:
    """Yield all feedback that an exercise can give, on right, wrong and missing answers."""
    match exercise:
        case ChoiceExercise():
            right = next(answer.text for answer in exercise.answers if answer.is_right)
            yield Feedback(RIGHT, "Yes.", exercise.explanation)
            for number, answer in enumerate(exercise.answers):
                if not answer.is_right:
                    yield Feedback(str(number), "Not quite. Try again.", answer.feedback)
            end = "" if right.endswith((".", "?", "!")) else "."
            yield Feedback(SOLUTION, f"Not quite. The answer: “{right}{end}”", exercise.explanation)
        case NumberExercise():
            value = " ".join((exercise.right_text, exercise.unit)).strip().replace(" %", "%")
            yield Feedback(NOTHING, "Type a number first, such as 0.5.")
            unread = "This cannot be read as a number. Write 0.5, 1/3, 33%, or 1000."
            yield Feedback("unread", unread)
            yield Feedback(RIGHT, f"Yes: {value}.", exercise.explanation)
            for number, wrong in enumerate(exercise.mistakes):
                yield Feedback(str(number), "Not quite.", wrong.feedback)
            for name in ("larger", "smaller"):
                yield Feedback(name, f"Not quite: the answer is {name}.")
            yield Feedback(SOLUTION, f"The answer is {value}.", exercise.explanation)
        case OrderExercise():
            yield Feedback(RIGHT, "Yes, in this order.", exercise.explanation)
            for number, item in enumerate(exercise.items[:-1]):
                right = f"the first {number} are" if number > 1 else "the first one is"
                there = (
                    f"{right} right, but something else comes next"
                    if number
                    else "something else comes first"
                )
                yield Feedback(str(number), f"Not yet: {there}.", item.feedback)
            order = "\n".join(f"1. {item.text}" for item in exercise.items)
            yield Feedback(SOLUTION, "The right order:", f"{order}\n\n{exercise.explanation}")
        case FigureGoal():
            yield Feedback(RIGHT, "Reached.", exercise.explanation)
            yield Feedback(
                "left",
                "You have done this one. The figure has changed since.",
                exercise.explanation,
            )
            way = f"[{SHOWN}](?{_goal_query(exercise)}#figure-{exercise.figure})"
            yield Feedback(SOLUTION, "One solution:", f"{way}\n\n{exercise.explanation}")
        case _:
            raise TypeError(f"an exercise is of a kind that has outcomes, got {exercise!r}")


def _feedback_template(outcome: Feedback, link: Link) -> str:
    return (
        f'<template data-outcome="{outcome.name}"><p>{prose.inline(outcome.verdict, link)}</p>'
        f"<div>{prose.markdown_to_html(outcome.reply, link)}</div></template>"
    )


def _answer_fields(asked: Exercise, link: Link) -> str:
    """Return the HTML of the form fields in which readers answer an exercise."""
    match asked:
        case ChoiceExercise():
            options = "\n".join(
                f'<li><button type="button" value="{RIGHT if answer.is_right else number}">'
                f"{prose.inline(answer.text, link)}</button>"
                '<div class="said" aria-live="polite"></div></li>'
                for number, answer in enumerate(asked.answers)
            )
            return f'<ul class="options">\n{options}\n</ul>\n'
        case NumberExercise():
            values = [asked.right, *(wrong.value for wrong in asked.mistakes)]
            unit = f"<span>{prose.inline(asked.unit, link)}</span>" if asked.unit else ""
            near = f"Answers within {asked.tolerance:g} are accepted." if asked.tolerance else ""
            return (
                f'<label class="number" data-values="{escape(json.dumps(values))}" '
                f'data-tolerance="{asked.tolerance}"><span>Your answer</span>'
                f'<input type="text" inputmode="decimal" autocomplete="off">{unit}</label>\n'
                f"<small>{near}</small>\n"
            )
        case OrderExercise():
            items = "\n".join(_item(asked, number, link) for number in asked.shuffled)
            moved = '<span class="moved" aria-live="polite"></span>'
            return f'<ol class="items">\n{items}\n</ol>\n{moved}\n'
    return ""  # the figure is the input of a goal


def _item(asked: OrderExercise, number: int, link: Link) -> str:
    text = asked.items[number].text
    buttons = "".join(
        f'<button type="button" data-by="{by}" aria-label="Move {word}: {escape(text)}">'
        f"{arrow}</button>"
        for by, word, arrow in ((-1, "up", "↑"), (1, "down", "↓"))
    )
    return f'<li data-place="{number}"><span>{prose.inline(text, link)}</span>{buttons}</li>'


def _buttons(asked: Exercise) -> str:
    solve = '<button type="button" class="solve">Show the solution</button>'
    match asked:
        case ChoiceExercise():  # its options are the buttons
            return AGAIN
        case FigureGoal():
            conditions = escape(json.dumps(asked.conditions))
            return (
                f'<a class="there" href="#figure-{escape(asked.figure)}" '
                f'data-conditions="{conditions}">To the figure</a>{solve}{AGAIN}'
            )
    return f"<button>Check</button>{solve.replace('>', ' hidden>', 1)}{AGAIN}"


def _goal_query(goal: FigureGoal) -> str:
    """Return a URL query that sets the figure of an exercise to a state that reaches the goal."""
    return urlencode(
        {name: _example_value(allowed[0]) for name, allowed in goal.conditions.items()}
    )


def _example_value(allowed: str | Range) -> str:
    return allowed if isinstance(allowed, str) else f"{sum(allowed) / 2:g}"
