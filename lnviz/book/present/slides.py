"""A sequence of screens as HTML: a lesson's deck, or what a plan shows of several lessons."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from lnviz.book.present import questions
from lnviz.book.present.deck import Deck, Screen
from lnviz.book.rendering import HtmlRenderer
from lnviz.lessons import Goal, Lesson, prose
from lnviz.lessons.citation_marks import unmarked


@dataclass(frozen=True)
class Slide:
    """A screen in a sequence.

    Attributes:
        lesson: the lesson that it is of.
        screen: what it shows.
        name: its name in the sequence, unlike all others.
        state: what its figure stands at, as the query of an address; "" for its start.
        note: what the teacher reads beside it, as Markdown.
        apart: whether its figure is its own, and stands as it says, whatever others show.
        task: what the class is to do, as plain text, where that is no screen of the lesson.
    """

    lesson: Lesson
    screen: Screen
    name: str
    state: str = ""
    note: str = ""
    has_own_figure: bool = False
    task: str = ""


def deck_slides(deck: Deck) -> tuple[Slide, ...]:
    """Return all screens of a lesson."""
    return tuple(
        Slide(deck.lesson, screen, screen.name, note=speaker_note(screen))
        for screen in deck.screens
    )


def speaker_note(screen: Screen) -> str:
    r"""Return what a teacher reads beside a screen, as Markdown: the answer, and the lesson's text.

    >>> from lnviz.book.present.deck import deck
    >>> speaker_note(deck("axes").screen("shared")).partition("\n\n")[0]
    '**Answer: its row**'
    """
    told: list[str] = []
    if screen.exercise:
        right = questions.correct_answer(screen.exercise)
        mistakes = questions.common_mistakes(screen.exercise)
        wrong = "\n".join(f"- *{said}:* {' '.join(reply.split())}" for said, reply in mistakes)
        told = [
            f"**Answer: {right}**" if right else "",
            questions.explanation(screen.exercise),
            wrong,
        ]
    return "\n\n".join(filter(None, (*told, screen.notes)))


def slide_html(number: int, slide: Slide, renderer: HtmlRenderer, *, borrowed: bool = False) -> str:
    """Return a slide as HTML; all but the first are hidden.

    Args:
        number: its place, from 1.
        slide: the slide.
        renderer: A renderer of its parts.
        borrowed: whether its figure has its place on another slide, from where it is lent.
    """
    screen, link = slide.screen, renderer.link
    inside = []
    if screen.heading and not screen.exercise:
        inside.append(f'<h2 class="heading">{prose.inline(screen.heading, link)}</h2>')
    if screen.caption:
        inside.append(renderer.prose(screen.caption, "prose words"))
    if screen.exercise:
        inside.append(renderer.exercise(screen.exercise))
    if screen.figure:
        lent = f'<div class="lent" data-of="{escape(screen.figure.name)}"></div>'
        inside.append(lent if borrowed else renderer.figure(screen.figure))
    if screen.table:
        inside.append(renderer.table(screen.table))
    if slide.note:
        inside.append(f'<template class="note">{prose.html(slide.note, link)}</template>')
    called, asks = slide_title(slide), questions.question_of(screen)
    data = {
        "name": slide.name,
        "lesson": slide.lesson.slug,
        "screen": screen.name,
        "title": slide.lesson.title,
        "called": called,
        "part": screen.section,
        "state": slide.state,
        "task": slide.task,
        "asks": asks.kind if asks else "",
        "right": "" if asks is None or asks.right is None else str(asks.right),
    }
    attributes = " ".join(f'data-{key}="{escape(value)}"' for key, value in data.items() if value)
    return (
        f'<section class="screen {layout_class(screen)}" tabindex="-1" '
        f'aria-label="Screen {number}: {escape(called)}" {attributes}'
        f"{'' if number == 1 else ' hidden'}>\n" + "\n".join(inside) + "\n</section>"
    )


def layout_class(screen: Screen) -> str:
    """Return what a screen is laid out as."""
    if isinstance(screen.exercise, Goal):
        return "goal"
    if screen.exercise:
        return "asks"
    return "shows" if screen.figure or screen.table else "says"


def slide_title(slide: Slide) -> str:
    """Return what a slide is called in lists, as plain text.

    A figure that comes several times, each time in another state, is called by what it is to show.
    """
    screen = slide.screen
    if screen.exercise:
        return prose.plain(screen.exercise.text)
    if screen.heading:
        return prose.plain(screen.heading)
    if screen.figure and not slide.has_own_figure:
        file = slide.lesson.folder / f"{screen.figure.name.replace('-', '_')}.md"
        if file.exists():
            return unmarked(file.read_text(encoding="utf-8").partition("\n")[0]).removeprefix("# ")
        return screen.figure.name.replace("-", " ").capitalize()
    return prose.plain(screen.caption)
