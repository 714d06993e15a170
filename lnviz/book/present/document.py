"""One screen of a lesson as a document, for whoever shows it elsewhere: a phone, say."""

from __future__ import annotations

from typing import Any

from lnviz.book.present import questions, slides
from lnviz.book.present.deck import deck
from lnviz.book.rendering import Rendering
from lnviz.lessons import Goal, prose
from lnviz.lessons.exercise_html import Link


def document(lesson: str, named: str | int, *, link: Link, explorables: str) -> dict[str, Any]:
    """Return a screen as a JSON document; all words in it are HTML, but for what it is called.

    Args:
        lesson: the address of the lesson.
        named: the name or the place of the screen.
        link: turns an address in the words into the one that is written.
        explorables: the address of the lesson's figures, with a slash at its end.

    Raises:
        LookupError: there is no such lesson, or no such screen.
    """
    shown = deck(lesson)
    place = shown.place(named)
    screen = shown.screens[place - 1]
    words = prose.html(screen.words, link) if screen.words else ""
    if screen.table:
        words += Rendering(link, lambda _: "").html(screen.table)
    written: dict[str, Any] = {
        "lesson": lesson,
        "title": shown.lesson.title,
        "place": place,
        "count": len(shown.screens) if screen.part else shown.usual,
        "name": screen.name,
        "called": slides.title(slides.Slide(shown.lesson, screen, screen.name)),
        "part": screen.part,
        "heading": prose.inline(screen.heading, link),
        "html": words,
        "asked": questions.document(screen, link),
        "figure": None,
    }
    if screen.figure:
        written["figure"] = {
            "name": screen.figure.name,
            "source": f"{explorables}{screen.figure.name}.json",
            "parameters": [parameter.name for parameter in screen.figure.parameters],
            "goal": None,
        }
        if isinstance(screen.asked, Goal):
            written["figure"]["goal"] = {
                "text": prose.html(screen.asked.text, link),
                "conditions": screen.asked.conditions,
            }
    return written
