"""One screen of a lesson as JSON data, for example for phones in a classroom."""

from __future__ import annotations

from typing import Any

from lnviz.book.present import questions, slides
from lnviz.book.present.deck import deck
from lnviz.lessons import FigureGoal, prose, tables
from lnviz.lessons.exercise_html import Link


def screen_document(lesson: str, key: str | int, *, link: Link, explorables: str) -> dict[str, Any]:
    """Return one screen of a lesson as JSON data, in which all texts except the title are HTML.

    Args:
        lesson: The slug of the lesson.
        key: The name or the position of the screen.
        link: Returns the `href` for a link in the texts.
        explorables: The URL of the lesson's figures, ending with a slash.

    Raises:
        LookupError: There is no such lesson or no such screen.
    """
    shown = deck(lesson)
    place = shown.position(key)
    screen = shown.screens[place - 1]
    called = slides.slide_title(slides.Slide(shown.lesson, screen, screen.name))
    # A caption is a sentence of the lesson's text; on a phone, which has little room, the figure
    # says itself what it shows.
    is_figure = screen.figure is not None and screen.exercise is None
    words = prose.markdown_to_html(screen.caption, link) if screen.caption and not is_figure else ""
    if screen.table:
        words += tables.table_html(screen.table, link)
    written: dict[str, Any] = {
        "lesson": lesson,
        "title": shown.lesson.title,
        "place": place,
        "count": len(shown.screens) if screen.section else shown.default_count,
        "name": screen.name,
        "called": called,
        "part": screen.section,
        "heading": prose.inline(screen.heading, link),
        "html": words,
        "asked": questions.question_document(screen, link),
        "figure": None,
    }
    if screen.figure:
        written["figure"] = {
            "name": screen.figure.name,
            "source": f"{explorables}{screen.figure.name}.json",
            "parameters": [parameter.name for parameter in screen.figure.parameters],
            "goal": None,
        }
        if isinstance(screen.exercise, FigureGoal):
            written["figure"]["goal"] = {
                "text": prose.markdown_to_html(screen.exercise.text, link),
                "conditions": screen.exercise.conditions,
            }
    return written
