"""Slides of a presentation as HTML: the screens of one lesson, or of a lesson plan."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from lnviz.book.present import questions
from lnviz.book.present.deck import Deck, Screen
from lnviz.book.present.titles import figure_title
from lnviz.book.rendering import HtmlRenderer
from lnviz.lessons import FigureGoal, Lesson, prose


@dataclass(frozen=True)
class Slide:
    """A slide of a presentation: a screen of a lesson or a task for the class, with notes.

    Attributes:
        lesson: The lesson of the screen.
        screen: The screen.
        name: Its unique name in the presentation.
        state: The state of its figure, as a URL query; "" for the initial state.
        note: Speaker notes, as Markdown.
        has_own_figure: Whether it has its own copy of the figure, in the state given here.
        task: The task, as plain text, if the slide is one; `screen` is then the figure's.
        control: The slug of the figure's control that the class is to move; "" for any.
    """

    lesson: Lesson
    screen: Screen
    name: str
    state: str = ""
    note: str = ""
    has_own_figure: bool = False
    task: str = ""
    control: str = ""


def deck_slides(deck: Deck) -> tuple[Slide, ...]:
    """Return the slides of one lesson's presentation."""
    return tuple(
        Slide(deck.lesson, screen, screen.name, note=speaker_note(screen))
        for screen in deck.screens
    )


def speaker_note(screen: Screen) -> str:
    r"""Return a screen's speaker notes as Markdown: the right answer, and the lesson's text.

    >>> from lnviz.book.present.deck import deck
    >>> speaker_note(deck("axes").screen("shared")).partition("\n\n")[0]
    '**Answer: its row**'
    """
    notes: list[str] = []
    if screen.exercise:
        right = questions.correct_answer(screen.exercise)
        mistakes = questions.common_mistakes(screen.exercise)
        wrong = "\n".join(f"- *{said}:* {' '.join(reply.split())}" for said, reply in mistakes)
        notes = [
            f"**Answer: {right}**" if right else "",
            questions.explanation(screen.exercise),
            wrong,
        ]
    return "\n\n".join(filter(None, (*notes, screen.notes)))


def slide_html(number: int, slide: Slide, renderer: HtmlRenderer, *, borrowed: bool = False) -> str:
    """Return a slide as HTML; all but the first slide of a presentation are hidden.

    Args:
        number: The slide's position, from 1.
        slide: The slide.
        renderer: A renderer of the slide's content.
        borrowed: Whether the figure is mounted on another slide, from which a script moves it.
    """
    screen, link = slide.screen, renderer.link
    inside = []
    if screen.heading and not screen.exercise:
        inside.append(f'<h2 class="heading">{prose.inline(screen.heading, link)}</h2>')
    # A figure that a plan shows in a state says itself what it shows, also once it is moved.
    if screen.caption and not slide.has_own_figure:
        inside.append(renderer.prose(screen.caption, "prose words"))
    if screen.exercise:
        inside.append(renderer.exercise(screen.exercise))
    if screen.figure:
        lent = f'<div class="lent" data-of="{escape(screen.figure.name)}"></div>'
        inside.append(lent if borrowed else renderer.figure(screen.figure))
    if screen.table:
        inside.append(renderer.table(screen.table))
    if slide.note:
        inside.append(
            f'<template class="note">{prose.markdown_to_html(slide.note, link)}</template>'
        )
    called, asks = slide_title(slide), questions.question_of(screen)
    data = {
        "name": slide.name,
        "lesson": slide.lesson.slug,
        "screen": screen.name,
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
    """Return the CSS class for a screen's layout."""
    if isinstance(screen.exercise, FigureGoal):
        return "goal"
    if screen.exercise:
        return "asks"
    return "shows" if screen.figure or screen.table else "says"


def slide_title(slide: Slide) -> str:
    """Return a slide's title as plain text, for lists of slides.

    The title of a slide with its own figure is its caption, since a plan may show the same figure
    on several slides, each time in a different state.
    """
    screen = slide.screen
    if screen.exercise:
        return prose.plain_text(screen.exercise.text)
    if screen.heading:
        return prose.plain_text(screen.heading)
    if screen.figure and not slide.has_own_figure:
        return figure_title(slide.lesson, screen.figure) or f"Figure: {screen.section}"
    return prose.plain_text(screen.caption)
