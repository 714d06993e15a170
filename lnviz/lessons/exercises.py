"""What a text asks, and what is said of each answer: options, a number, an order, a goal.

All have their text first, a list in the middle and the reason at the end. The list differs:

- `::: question name` has options (`- [ ]`, the right one `- [x]`); below each wrong one stands what
  whoever chooses it has mixed up;
- `::: number name` has the right number with its tolerance and unit (`- [x] 1.87 ± 0.01 s`), then
  typical wrong ones (`- [ ] 3.5`), below each what has been mixed up;
- `::: order name` has its items in the right order (`1.`, `2.`), below each but the last why it
  comes there, which is said to whoever has put another one in its place;
- `::: goal name figure` has what must hold of a figure of the page, by the names of its address:
  `- norm=batch`, `- norm=batch|group` or `- gain=1.9..2.1`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from markdown_it.tree import SyntaxTreeNode

from lnviz.lessons.markdown import source

_NUMBER = r"[-−]?\d[\d,]*(?:\.\d+)?"
_RIGHT = re.compile(rf"({_NUMBER}) ± ({_NUMBER})(?: (.+))?")
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})")

Range = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a text asks of its reader.

    Attributes:
        name: the name that tells it apart on its page.
        text: what is asked, as Markdown.
        why: the reason, as Markdown.
        number: the number of an exercise; 0 for a question in the text.
    """

    name: str
    text: str
    why: str
    number: int = 0


@dataclass(frozen=True)
class Answer:
    """One of a question's options, and what is said to whoever has chosen it."""

    text: str
    is_right: bool
    reply: str


@dataclass(frozen=True, kw_only=True)
class Question(Asked):
    """The reader chooses one of several answers."""

    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class Wrong:
    """A number that is typed often, and what has been mixed up then."""

    value: float
    reply: str


@dataclass(frozen=True, kw_only=True)
class Number(Asked):
    """The reader types a number.

    Attributes:
        written: the right number, as the text has it.
        right: the right number.
        tolerance: how far from it an answer may be; so for the wrong ones.
        unit: the unit behind the number; "" where it has none.
        wrong: typical wrong numbers.
    """

    written: str
    right: float
    tolerance: float
    unit: str
    wrong: tuple[Wrong, ...]


@dataclass(frozen=True)
class Item:
    """What has a place in an order, and why it comes there."""

    text: str
    reply: str


@dataclass(frozen=True, kw_only=True)
class Order(Asked):
    """The reader puts items into order; they stand in the right one here."""

    items: tuple[Item, ...]

    @property
    def mixed(self) -> tuple[int, ...]:
        """The items, by their numbers, as the reader gets them: by their letters, or backward."""
        numbers = range(len(self.items))
        mixed = tuple(sorted(numbers, key=lambda number: self.items[number].text))
        return mixed if mixed != tuple(numbers) else mixed[::-1]


@dataclass(frozen=True, kw_only=True)
class Goal(Asked):
    """The reader makes a figure do something.

    Attributes:
        figure: the name of the figure.
        conditions: for each name of the figure's address, the values or ranges of which one must
            be there.
    """

    figure: str
    conditions: Mapping[str, tuple[str | Range, ...]]


def asked(kind: str, name: str, node: SyntaxTreeNode, lines: list[str]) -> Asked:
    """Return what a directive asks.

    Args:
        kind: the kind of the directive, one of `KINDS`.
        name: what stands behind the kind.
        node: the directive.
        lines: the lines of the text it is in.

    Raises:
        ValueError: something is missing, or not written as it must be.
    """
    blocks = node.children
    at = next((i for i, block in enumerate(blocks) if block.type.endswith("_list")), len(blocks))
    entries = [_entry(item, lines) for item in blocks[at].children] if at < len(blocks) else []
    text, why = source(blocks[:at], lines), source(blocks[at + 1 :], lines)
    if not text or not why:
        raise ValueError(f"{kind} {name!r}: needs a text before its list, and a reason after it")
    return KINDS[kind](name, text, why, entries)


def _entry(item: SyntaxTreeNode, lines: list[str]) -> tuple[str, str]:
    """The first line of a list's item, and what stands below it."""
    return item.children[0].children[0].content, source(item.children[1:], lines)


def _marked(what: str, entries: list[tuple[str, str]]) -> list[Answer]:
    """Options: one of them right, and something said of every other."""
    answers = []
    for text, reply in entries:
        mark, text = text[:4], text[4:]
        if mark not in ("[ ] ", "[x] "):
            raise ValueError(f"{what}: an option begins with [ ] or [x], got {text!r}")
        answers.append(Answer(text, mark == "[x] ", reply))
    if len(answers) < 2 or sum(answer.is_right for answer in answers) != 1:
        raise ValueError(f"{what}: needs two options or more, exactly one marked [x]")
    for answer in answers:
        if not answer.is_right and not answer.reply:
            raise ValueError(
                f"{what}: says nothing of {answer.text!r}. Write below it what is mixed up."
            )
    return answers


def _question(name: str, text: str, why: str, entries: list[tuple[str, str]]) -> Question:
    answers = _marked(f"question {name!r}", entries)
    return Question(name=name, text=text, why=why, answers=tuple(answers))


def _number(name: str, text: str, why: str, entries: list[tuple[str, str]]) -> Number:
    answers = _marked(f"number {name!r}", entries)
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
    number = Number(
        name=name,
        text=text,
        why=why,
        written=right[1],
        right=_value(right[1]),
        tolerance=_value(right[2]),
        unit=right[3] or "",
        wrong=tuple(Wrong(_value(each.text), each.reply) for each in wrong),
    )
    values = [number.right, *(each.value for each in number.wrong)]
    for one, other in combinations(values, 2):
        if abs(one - other) <= 2 * number.tolerance:
            raise ValueError(
                f"number {name!r}: within {number.tolerance:g} of {one:g} and of {other:g} lie the "
                "same numbers. Make the tolerance smaller, or leave one out."
            )
    return number


def _order(name: str, text: str, why: str, entries: list[tuple[str, str]]) -> Order:
    items = tuple(Item(*entry) for entry in entries)
    if len(items) < 3 or len({item.text for item in items}) < len(items):
        raise ValueError(f"order {name!r}: needs three items or more, no two the same")
    silent = [item.text for item in items[:-1] if not item.reply]
    if silent:
        raise ValueError(
            f"order {name!r}: says nothing of {silent}. Write below each why it comes there."
        )
    return Order(name=name, text=text, why=why, items=items)


def _goal(name: str, text: str, why: str, entries: list[tuple[str, str]]) -> Goal:
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
        conditions[key] = tuple(_allowed(value) for value in values.split("|"))
    return Goal(name=name, text=text, why=why, figure=figure, conditions=conditions)


def _allowed(value: str) -> str | Range:
    ends = _RANGE.fullmatch(value)
    return (_value(ends[1]), _value(ends[2])) if ends else value


def _value(written: str) -> float:
    return float(written.replace("−", "-").replace(",", ""))


KINDS = {"question": _question, "number": _number, "order": _order, "goal": _goal}
"""What reads what is asked, by the kind of the directive."""
