"""What a page asks, as an HTML form that `questions/exercises.js` brings to life."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from urllib.parse import urlencode

from lnviz.lessons import prose
from lnviz.lessons.exercises import Asked, Goal, Number, Order, Question, Range

Link = Callable[[str], str]

RIGHT, NOTHING, SOLUTION = "right", "nothing", "solution"
"""Outcomes that are none of the wrong ones, which are named by their numbers."""

AGAIN = '<button type="button" class="again" hidden>Answer again</button>'
"""Forgets what was answered."""

SHOWN = "Show it in the figure"
"""The link to a figure where a goal is reached."""


@dataclass(frozen=True)
class Outcome:
    """What is said of an answer, as Markdown.

    Attributes:
        name: the name of the outcome: a number, or one of the words above; `larger` and `smaller`
            for a number that is none of the typical wrong ones, `unread` for what is no number,
            `left` for a goal that was reached and is not now.
        verdict: a line, which a screen reader says at once.
        reply: what follows the verdict.
    """

    name: str
    verdict: str
    reply: str = ""


def _as_written(address: str) -> str:
    return address


def html(asked: Asked, link: Link = _as_written) -> str:
    """Return a question or an exercise as HTML, everything in it escaped.

    Args:
        asked: what is to be written.
        link: turns an address in its text into the one that is written.

    Returns:
        A form. It takes answers once the script is there: what a browser alone would do with it
        leads nowhere.
    """
    name = f"ask-{escape(asked.name)}"
    head = f"<h3>Exercise {asked.number}</h3>\n" if asked.number else ""
    told = "\n".join(_outcome(outcome, link) for outcome in outcomes(asked))
    return f"""<form class="ln-ask" id="{name}" data-kind="{type(asked).__name__.lower()}">
<fieldset disabled aria-labelledby="{name}-text">
{head}<div class="text" id="{name}-text">{prose.html(asked.text, link)}</div>
{_fields(asked, link)}<div class="buttons">{_buttons(asked)}</div>
</fieldset>
<p role="status"></p>
<div class="reply" tabindex="-1"></div>
{told}
</form>"""


def outcomes(asked: Asked) -> Iterator[Outcome]:
    """Return everything that can become of an answer, and what is said then."""
    match asked:
        case Question():
            right = next(answer.text for answer in asked.answers if answer.is_right)
            yield Outcome(RIGHT, "Yes.", asked.why)
            for number, answer in enumerate(asked.answers):
                if not answer.is_right:
                    yield Outcome(str(number), "Not quite. Try again.", answer.reply)
            yield Outcome(SOLUTION, f"Not quite. The answer is “{right}”.", asked.why)
        case Number():
            value = " ".join((asked.written, asked.unit)).strip()
            yield Outcome(NOTHING, "Type a number first, such as 0.5.")
            unread = "This is not read as a number. Write it like 0.5 or −0.5, 1000 with no comma."
            yield Outcome("unread", unread)
            yield Outcome(RIGHT, f"Yes: {value}.", asked.why)
            for number, wrong in enumerate(asked.wrong):
                yield Outcome(str(number), "Not quite.", wrong.reply)
            for name in ("larger", "smaller"):
                yield Outcome(name, f"Not quite: the answer is {name}.")
            yield Outcome(SOLUTION, f"The answer is {value}.", asked.why)
        case Order():
            yield Outcome(RIGHT, "Yes, in this order.", asked.why)
            for number, item in enumerate(asked.items[:-1]):
                then = f"it is right up to place {number}, then another one comes"
                there = then if number else "another one comes first"
                yield Outcome(str(number), f"Not yet: {there}.", item.reply)
            order = "\n".join(f"1. {item.text}" for item in asked.items)
            yield Outcome(SOLUTION, "This is the order:", f"{order}\n\n{asked.why}")
        case Goal():
            yield Outcome(RIGHT, "Reached.", asked.why)
            yield Outcome("left", "Reached before. The figure shows something else now.", asked.why)
            way = f"[{SHOWN}](?{_way(asked)}#figure-{asked.figure})"
            yield Outcome(SOLUTION, "One way there:", f"{way}\n\n{asked.why}")
        case _:
            raise TypeError(f"an exercise is of a kind that has outcomes, got {asked!r}")


def _outcome(outcome: Outcome, link: Link) -> str:
    return (
        f'<template data-outcome="{outcome.name}"><p>{prose.inline(outcome.verdict, link)}</p>'
        f"<div>{prose.html(outcome.reply, link)}</div></template>"
    )


def _fields(asked: Asked, link: Link) -> str:
    """What the reader answers with."""
    match asked:
        case Question():
            options = "\n".join(
                f'<li><button type="button" value="{RIGHT if answer.is_right else number}">'
                f"{prose.inline(answer.text, link)}</button>"
                '<div class="said" aria-live="polite"></div></li>'
                for number, answer in enumerate(asked.answers)
            )
            return f'<ul class="options">\n{options}\n</ul>\n'
        case Number():
            values = [asked.right, *(wrong.value for wrong in asked.wrong)]
            unit = f"<span>{prose.inline(asked.unit, link)}</span>" if asked.unit else ""
            near = f"Within {asked.tolerance:g} of it counts." if asked.tolerance else ""
            return (
                f'<label class="number" data-values="{escape(json.dumps(values))}" '
                f'data-tolerance="{asked.tolerance}"><span>Your answer</span>'
                f'<input type="text" inputmode="decimal" autocomplete="off">{unit}</label>\n'
                f"<small>{near}</small>\n"
            )
        case Order():
            items = "\n".join(_item(asked, number, link) for number in asked.mixed)
            moved = '<span class="moved" aria-live="polite"></span>'
            return f'<ol class="items">\n{items}\n</ol>\n{moved}\n'
    return ""  # a goal's figure is what one answers with


def _item(asked: Order, number: int, link: Link) -> str:
    text = asked.items[number].text
    buttons = "".join(
        f'<button type="button" data-by="{by}" aria-label="Move {word}: {escape(text)}">'
        f"{arrow}</button>"
        for by, word, arrow in ((-1, "up", "↑"), (1, "down", "↓"))
    )
    return f'<li data-place="{number}"><span>{prose.inline(text, link)}</span>{buttons}</li>'


def _buttons(asked: Asked) -> str:
    solve = '<button type="button" class="solve">Show the solution</button>'
    match asked:
        case Question():  # its options are what is pressed
            return AGAIN
        case Goal():
            conditions = escape(json.dumps(asked.conditions))
            return (
                f'<a class="there" href="#figure-{escape(asked.figure)}" '
                f'data-conditions="{conditions}">To the figure</a>{solve}{AGAIN}'
            )
    return f"<button>Check</button>{solve.replace('>', ' hidden>', 1)}{AGAIN}"


def _way(goal: Goal) -> str:
    """A query at which the goal is reached."""
    return urlencode({name: _one(allowed[0]) for name, allowed in goal.conditions.items()})


def _one(allowed: str | Range) -> str:
    return allowed if isinstance(allowed, str) else f"{sum(allowed) / 2:g}"
