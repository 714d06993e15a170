"""What a screen asks of a room, as plain data and as HTML."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lnviz.book.present.deck import Screen, deck
from lnviz.lessons import Asked, Goal, Number, Order, Question, prose, url_state
from lnviz.lessons.exercise_html import Link
from lnviz.rooms.schema import Asking

LETTERS = "ABCDEFGH"
"""The signs of options, wherever they are shown."""

ORDER_PROMPT = "Which of these comes first?"
"""How a room is asked for an order: it votes for one thing."""


def find_question(lesson: str, screen: str | int) -> Asking | None:
    """Return what a screen asks, or None where it asks nothing.

    A figure asks for a setting, whatever is said about it in the room.

    Args:
        lesson: the address of the lesson.
        screen: the name or the place of the screen.

    Raises:
        LookupError: there is no such lesson, or no such screen.

    >>> find_question("axes", "shared").labels
    ('A', 'B', 'C', 'D')
    """
    shown = deck(lesson).screen(screen)
    asks = question_of(shown)
    if asks is None or asks.kind != "setting" or shown.figure is None:
        return asks
    return replace(asks, controls=url_state.settings(lesson, shown.figure))


def question_of(screen: Screen) -> Asking | None:
    """Return what a screen asks; see `find_question`."""
    match screen.exercise:
        case Question() | Order():
            options = _options(screen.exercise)
            right = next(place for place, (_, is_right) in enumerate(options) if is_right)
            return Asking("choice", tuple(LETTERS[: len(options)]), right)
        case Number():
            return Asking("number")
        case Goal():
            return Asking("setting")
    return Asking("setting") if screen.figure else None


def question_document(screen: Screen, link: Link) -> dict[str, Any] | None:
    """Return what a screen asks in words, as HTML; None where it asks nothing by itself.

    Its text, its labels and its reason are HTML; a number says its unit, what is right, and how far
    from it an answer may be.

    Args:
        screen: the screen.
        link: turns an address in the words into the one that is written.
    """
    asked, data = screen.exercise, question_of(screen)
    if asked is None or data is None:
        return None
    options = _options(asked)
    written: dict[str, Any] = {
        "kind": data.kind,
        "text": prose.html(prompt(asked), link),
        "labels": [prose.inline(label, link) for label, _ in options],
        "right": data.right,
        "why": prose.html(explanation(asked), link),
    }
    if isinstance(asked, Number):
        unit = prose.inline(asked.unit, link)
        written |= {"unit": unit, "value": asked.right, "tolerance": asked.tolerance}
    return written


def prompt(asked: Asked) -> str:
    """Return what a room is asked, as Markdown."""
    return f"{asked.text}\n\n{ORDER_PROMPT}" if isinstance(asked, Order) else asked.text


def explanation(asked: Asked) -> str:
    """Return what is told with the answer, as Markdown."""
    if not isinstance(asked, Order):
        return asked.why
    order = "\n".join(f"{place}. {item.text}" for place, item in enumerate(asked.items, 1))
    return f"{order}\n\n{asked.why}"


def correct_answer(asked: Asked) -> str:
    """Return the right answer as Markdown; "" for a goal, which has many."""
    match asked:
        case Question():
            return next(each.text for each in asked.answers if each.is_right)
        case Number():
            return " ".join((asked.written, asked.unit)).strip()
        case Order():
            return asked.items[0].text
    return ""


def common_mistakes(asked: Asked) -> list[tuple[str, str]]:
    """Return wrong answers, and what whoever gives one has mixed up, as Markdown."""
    match asked:
        case Question():
            return [(each.text, each.reply) for each in asked.answers if not each.is_right]
        case Number():
            return [(f"{wrong.value:g}", wrong.reply) for wrong in asked.wrong]
    return []


def _options(asked: Asked) -> list[tuple[str, bool]]:
    """What can be chosen, as Markdown, and whether it is right."""
    match asked:
        case Question():
            return [(answer.text, answer.is_right) for answer in asked.answers]
        case Order():
            return [(asked.items[number].text, number == 0) for number in asked.mixed]
    return []
