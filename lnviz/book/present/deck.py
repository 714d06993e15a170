"""A lesson as a deck for a lecture: figures, what is asked, and what is to be remembered.

The prose of a lesson is for readers, so a deck leaves it out: of what stands around a figure it
keeps one short sentence. What a deck has comes in an order that numbers can count on: the core, the
exercises, and then the parts for some, which are shown only if they are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from lnviz.lessons import LESSONS, Asked, Deeper, Figure, Goal, Lesson, Remember, Table
from lnviz.lessons.lesson import Part
from lnviz.lessons.markdown import blocks, source
from lnviz.lessons.text import anchor

MAX_CAPTION_WORDS = 32
"""Words that a sentence beside a figure may have."""

START, REMEMBER = "start", "remember"
"""The names of the first screen and of the one that ends the core."""


@dataclass(frozen=True)
class Screen:
    """What is shown at one time.

    Attributes:
        name: in addresses: the name of what is asked or of the figure, unlike all others.
        heading: as Markdown; "" for none.
        words: a short sentence, or a list, as Markdown; "" for none.
        asked: the question or the exercise.
        figure: the figure, also the one in which a goal is to be reached.
        table: the table.
        part: the title of the part for some that it is in; "" in the core and for exercises.
        aside: what the lesson says before it and after it and a room does not read, as Markdown.
    """

    name: str
    heading: str = ""
    caption: str = ""
    exercise: Asked | None = None
    figure: Figure | None = None
    table: Table | None = None
    section: str = ""
    notes: str = ""


@dataclass(frozen=True)
class Deck:
    """All screens of a lesson.

    Attributes:
        lesson: the lesson.
        screens: the core, the exercises, the parts for some.
    """

    lesson: Lesson
    screens: tuple[Screen, ...]

    @property
    def default_count(self) -> int:
        """How many screens are shown if nobody asks for more."""
        return sum(not screen.section for screen in self.screens)

    def position(self, key: str | int) -> int:
        """Return the place of a screen, counted from 1.

        Args:
            key: The name or the position of the screen; a position may be a string.

        Raises:
            LookupError: the deck has no such screen.
        """
        for place, screen in enumerate(self.screens, 1):
            if str(key) in (screen.name, str(place)):
                return place
        raise LookupError(
            f"The lesson “{self.lesson.title}” has no screen {str(key)!r}. It has screens 1 to "
            f"{len(self.screens)}, and {', '.join(screen.name for screen in self.screens)}."
        )

    def screen(self, named: str | int) -> Screen:
        """Return the screen of a name or a place; see `place`."""
        return self.screens[self.position(named) - 1]

    def asks(self, name: str) -> Screen:
        """Return the screen that asks what has this name in the lesson.

        Raises:
            KeyError: no screen asks it.
        """
        for screen in self.screens:
            if screen.exercise and screen.exercise.name == name:
                return screen
        raise KeyError(f"lesson {self.lesson.slug!r} has no screen for {name!r}")


@cache
def deck(slug: str) -> Deck:
    """Return the deck of a lesson.

    Raises:
        LookupError: there is no such lesson.
    """
    for lesson in LESSONS:
        if lesson.slug == slug:
            return Deck(lesson, _screens(lesson))
    raise LookupError(f"There is no lesson {slug!r}.")


def _screens(lesson: Lesson) -> tuple[Screen, ...]:
    lead, *core = _pieces(lesson.core)
    start = Screen(START, lesson.title, lead if isinstance(lead, str) else "")
    if not isinstance(lead, str):
        core = [lead, *core]
    figures = {figure.name: figure for figure in lesson.figures}
    screens = [start, *_shown(core), *(_asked(each, figures) for each in lesson.exercises)]
    for part in lesson.deeper:
        screens += _deeper(part)
    taken = {screen.name for screen in screens if screen.figure and not screen.exercise}
    return tuple(_with_unique_name(screen, taken) for screen in screens)


def _with_unique_name(screen: Screen, taken: set[str]) -> Screen:
    """The screen under another name, if what it asks is called as a figure is."""
    if screen.exercise and screen.name in taken:
        return replace(screen, name=f"ask-{screen.name}")
    return screen


def _deeper(part: Deeper[Part]) -> Iterator[Screen]:
    """The screens of a part for some: what is found there is on a screen of its own."""
    about = Screen(f"about-{anchor(part.title)}", part.title, part.finding)
    for screen in (about, *_shown(_pieces(part.parts))):
        yield replace(screen, section=part.title)


def _shown(pieces: Iterable[Part | Remember]) -> Iterator[Screen]:
    """A screen for each thing but prose, which gives a figure its sentence, and teachers notes."""
    aside: list[str] = []
    for piece in pieces:
        match piece:
            case str():
                aside.append(piece)
                continue
            case Figure():
                words = _caption(aside[-1]) if aside else ""
                screen = Screen(piece.name, caption=words, figure=piece)
                aside = aside[: len(aside) - bool(words)]
            case Asked():
                screen = _asked(piece, {})
            case Table():
                screen = Screen(piece.name, table=piece)
            case Remember():
                heading, _, sentences = piece.prose.partition("\n\n")
                screen = Screen(REMEMBER, heading.removeprefix("## "), sentences)
            case _:
                continue
        yield replace(screen, notes="\n\n".join(aside))
        aside = []


def _asked(asked: Asked, figures: dict[str, Figure]) -> Screen:
    heading = f"Exercise {asked.number}" if asked.number else ""
    figure = figures[asked.figure] if isinstance(asked, Goal) and asked.figure in figures else None
    return Screen(asked.name, heading, exercise=asked, figure=figure)


def _pieces(parts: Iterable[Part | Remember]) -> list[Part | Remember]:
    """The parts, prose cut into its paragraphs; headings are left out."""
    pieces: list[Part | Remember] = []
    for part in parts:
        if not isinstance(part, str):
            pieces.append(part)
            continue
        lines = part.splitlines()
        written = (source([node], lines) for node in blocks(part))
        pieces += [block for block in written if not block.startswith("#")]
    return pieces


def _caption(block: str) -> str:
    """A paragraph that is short enough to stand beside a figure, or nothing."""
    words = re.sub(r"\$+[^$]+\$+", "formula", block).split()
    return block if len(words) <= MAX_CAPTION_WORDS and not block.startswith("$$") else ""
