"""Exercises in a lesson: multiple choice, a number, an order, or a goal to reach in a figure.

Each consists of a question, a list and an explanation. The kinds have different lists:

- `::: question name` has options (`- [ ]`; the right option `- [x]`). Each wrong option is followed
  by the feedback on the misconception behind it.
- `::: number name` has the right number with its tolerance and unit (`- [x] 1.87 ± 0.01 s`), then
  common mistakes (`- [ ] 3.5`), each followed by its feedback.
- `::: order name` has items in the right order (`1.`, `2.`). Each but the last is followed by the
  feedback for readers who put another item in its position.
- `::: goal name figure` has conditions on a figure of the page, by the names in its URL:
  `- norm=batch`, `- norm=batch|group` or `- gain=1.9..2.1`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from markdown_it.tree import SyntaxTreeNode

from lnviz.lessons.markdown import to_source

_NUMBER = r"[-−]?\d[\d,]*(?:\.\d+)?"
_RIGHT = re.compile(rf"({_NUMBER}) ± ({_NUMBER})(?: (.+))?")
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})")

Range = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """Base class of exercises: a question, and the explanation of its answer.

    Attributes:
        name: the name, unique on the page.
        text: the question, as Markdown.
        explanation: the explanation of the answer, as Markdown.
        number: its number among the exercises at the end of a page; 0 for exercises in the text.
    """

    kind: ClassVar[str]

    name: str
    text: str
    explanation: str
    number: int = 0


@dataclass(frozen=True)
class AnswerOption:
    """An option of a multiple-choice exercise, with the feedback on choosing it."""

    text: str
    is_right: bool
    feedback: str


@dataclass(frozen=True, kw_only=True)
class ChoiceExercise(Exercise):
    """A multiple-choice exercise with exactly one right answer."""

    kind = "question"

    answers: tuple[AnswerOption, ...]


@dataclass(frozen=True)
class CommonMistake:
    """A wrong number that readers often type, with the feedback on the mistake behind it."""

    value: float
    feedback: str


@dataclass(frozen=True, kw_only=True)
class NumberExercise(Exercise):
    """An exercise whose answer is a number that readers type.

    Attributes:
        right_text: the right number as written in the text.
        right: the right number.
        tolerance: the largest accepted difference from the right number or a common mistake.
        unit: the unit after the number; "" for none.
        mistakes: common wrong numbers.
    """

    kind = "number"

    right_text: str
    right: float
    tolerance: float
    unit: str
    mistakes: tuple[CommonMistake, ...]


@dataclass(frozen=True)
class OrderItem:
    """An item of an ordering exercise, with the feedback if another item is put in its position."""

    text: str
    feedback: str


@dataclass(frozen=True, kw_only=True)
class OrderExercise(Exercise):
    """An exercise in which readers sort items; `items` holds them in the right order."""

    kind = "order"

    items: tuple[OrderItem, ...]

    @property
    def shuffled(self) -> tuple[int, ...]:
        """The initial order, as indices of `items`: alphabetical, or reversed if that is right."""
        numbers = range(len(self.items))
        mixed = tuple(sorted(numbers, key=lambda number: self.items[number].text))
        return mixed if mixed != tuple(numbers) else mixed[::-1]


@dataclass(frozen=True, kw_only=True)
class FigureGoal(Exercise):
    """An exercise in which readers set a figure's controls so that given conditions hold.

    Attributes:
        figure: the name of the figure.
        conditions: the allowed values or ranges, by the control's name in the URL.
    """

    kind = "goal"

    figure: str
    conditions: Mapping[str, tuple[str | Range, ...]]


def parse_exercise(kind: str, name: str, node: SyntaxTreeNode, lines: list[str]) -> Exercise:
    """Parse an exercise directive (`::: question ...`) of a lesson's text.

    Args:
        kind: the kind of the directive, a key of `PARSERS`.
        name: the rest of the directive's first line.
        node: the directive.
        lines: all lines of the lesson's text.

    Raises:
        ValueError: a part is missing or malformed.
    """
    blocks = node.children
    at = next((i for i, block in enumerate(blocks) if block.type.endswith("_list")), len(blocks))
    entries = (
        [_split_list_item(item, lines) for item in blocks[at].children] if at < len(blocks) else []
    )
    text, why = to_source(blocks[:at], lines), to_source(blocks[at + 1 :], lines)
    if not text or not why:
        raise ValueError(f"{kind} {name!r}: needs a text before its list, and a reason after it")
    return PARSERS[kind](name, text, why, entries)


def _split_list_item(item: SyntaxTreeNode, lines: list[str]) -> tuple[str, str]:
    """Split a list item into its first line and the Markdown below that line."""
    return item.children[0].children[0].content, to_source(item.children[1:], lines)


def _parse_options(what: str, entries: list[tuple[str, str]]) -> list[AnswerOption]:
    """Parse answer options, of which exactly one is right and the others have feedback."""
    answers = []
    for text, reply in entries:
        mark, text = text[:4], text[4:]
        if mark not in ("[ ] ", "[x] "):
            raise ValueError(f"{what}: an option begins with [ ] or [x], got {text!r}")
        answers.append(AnswerOption(text, mark == "[x] ", reply))
    if len(answers) < 2 or sum(answer.is_right for answer in answers) != 1:
        raise ValueError(f"{what}: needs two options or more, exactly one marked [x]")
    for answer in answers:
        if not answer.is_right and not answer.feedback:
            raise ValueError(
                f"{what}: says nothing of {answer.text!r}. Write below it what is mixed up."
            )
    return answers


def _parse_choice(name: str, text: str, why: str, entries: list[tuple[str, str]]) -> ChoiceExercise:
    answers = _parse_options(f"question {name!r}", entries)
    return ChoiceExercise(name=name, text=text, explanation=why, answers=tuple(answers))


def _parse_number(name: str, text: str, why: str, entries: list[tuple[str, str]]) -> NumberExercise:
    answers = _parse_options(f"number {name!r}", entries)
    written = next(answer.text for answer in answers if answer.is_right)
    right = _RIGHT.fullmatch(written)
    if not right:
        raise ValueError(
            f"number {name!r}: the right one is written as 1.87 ± 0.01, with a unit behind it or "
            f"none, got {written!r}"
        )
    wrong = [answer for answer in answers if not answer.is_right]
    strange = [each.text for each in wrong if not re.fullmatch(_NUMBER, each.text)]
    if strange:
        raise ValueError(f"number {name!r}: a wrong one is a number alone, got {strange}")
    number = NumberExercise(
        name=name,
        text=text,
        explanation=why,
        right_text=right[1],
        right=_to_float(right[1]),
        tolerance=_to_float(right[2]),
        unit=right[3] or "",
        mistakes=tuple(CommonMistake(_to_float(each.text), each.feedback) for each in wrong),
    )
    values = [number.right, *(each.value for each in number.mistakes)]
    for one, other in combinations(values, 2):
        if abs(one - other) <= 2 * number.tolerance:
            raise ValueError(
                f"number {name!r}: within {number.tolerance:g} of {one:g} and of {other:g} lie the "
                "same numbers. Make the tolerance smaller, or leave one out."
            )
    return number


def _parse_order(name: str, text: str, why: str, entries: list[tuple[str, str]]) -> OrderExercise:
    items = tuple(OrderItem(*entry) for entry in entries)
    if len(items) < 3 or len({item.text for item in items}) < len(items):
        raise ValueError(f"order {name!r}: needs three items or more, no two the same")
    silent = [item.text for item in items[:-1] if not item.feedback]
    if silent:
        raise ValueError(
            f"order {name!r}: says nothing of {silent}. Write below each why it comes there."
        )
    return OrderExercise(name=name, text=text, explanation=why, items=items)


def _parse_goal(name: str, text: str, why: str, entries: list[tuple[str, str]]) -> FigureGoal:
    name, _, figure = name.partition(" ")
    if not figure or not entries:
        raise ValueError(
            f"goal {name!r}: needs a figure behind its name, and a list of what must hold of it, "
            "such as norm=batch or gain=1.9..2.1"
        )
    conditions = {}
    for entry, _ in entries:
        key, equals, values = entry.partition("=")
        if not (key and equals and values):
            raise ValueError(
                f"goal {name!r}: a condition is written as norm=batch, norm=batch|group or "
                f"gain=1.9..2.1, got {entry!r}"
            )
        conditions[key] = tuple(_parse_allowed(value) for value in values.split("|"))
    return FigureGoal(name=name, text=text, explanation=why, figure=figure, conditions=conditions)


def _parse_allowed(value: str) -> str | Range:
    ends = _RANGE.fullmatch(value)
    return (_to_float(ends[1]), _to_float(ends[2])) if ends else value


def _to_float(written: str) -> float:
    return float(written.replace("−", "-").replace(",", ""))


PARSERS = {
    "question": _parse_choice,
    "number": _parse_number,
    "order": _parse_order,
    "goal": _parse_goal,
}
"""The parser of each kind of directive."""
