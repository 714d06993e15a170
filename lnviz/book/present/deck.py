"""A lesson split into screens for a lecture, with figures, tables, questions and takeaways.

A deck contains no prose except for a short caption of each figure. The core comes first, then the
exercises, then the optional sections, which are shown only on demand and do not change the numbers
of the other screens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain

from lnviz.book.rendering import render
from lnviz.lessons import (
    LESSONS,
    ComparisonTable,
    Details,
    Exercise,
    FigureGoal,
    FigureSpec,
    Lesson,
    OptionalSection,
    Panel,
    Takeaways,
)
from lnviz.lessons.lesson import PageItem
from lnviz.lessons.markdown import parse_blocks, to_source

MAX_CAPTION_WORDS = 32
"""Maximum length of a figure's caption."""

_CONTINUATION = re.compile(
    r"(?:Also|And|But|Here|It|Next|Now|Other|So|That|Then|These|They|This|We)\b"
)
"""First words of a paragraph that continues the text before it, which a screen does not show."""

_INSTRUCTION = re.compile(r"(?<=[.?!)\]]) (?:Choose|Click|Drag|Move|Press)\b[^.]*\.$")
"""Last sentence of a paragraph that says how to move the figure below it."""

START, REMEMBER = "start", "remember"
"""Names of the first screen, and of the screen with the takeaways."""


@dataclass(frozen=True)
class Screen:
    """One screen of a lesson's presentation, such as a figure with a caption, or a question.

    Attributes:
        name: Its unique name in URLs, such as the name of its exercise or figure.
        heading: Its heading, as Markdown; "" for none.
        caption: A short sentence or a list, as Markdown; "" for none.
        exercise: Its question or exercise.
        figure: Its figure, or the figure of its goal exercise.
        table: Its table.
        section: The title of its optional section; "" for core and exercises.
        notes: Speaker notes, as Markdown: the lesson's text around the content.
    """

    name: str
    heading: str = ""
    caption: str = ""
    exercise: Exercise | None = None
    figure: FigureSpec | None = None
    table: ComparisonTable | None = None
    section: str = ""
    notes: str = ""


@dataclass(frozen=True)
class Deck:
    """A lesson's presentation: its screens in order.

    Attributes:
        lesson: The lesson.
        screens: The screens of the core, of the exercises and of the optional sections.
    """

    lesson: Lesson
    screens: tuple[Screen, ...]

    @property
    def default_count(self) -> int:
        """The number of screens, not counting those of optional sections."""
        return sum(not screen.section for screen in self.screens)

    def position(self, key: str | int) -> int:
        """Return the position (from 1) of the screen with this name or number.

        Args:
            key: The name or the position of the screen; a position may be a string.

        Raises:
            LookupError: The deck has no such screen.
        """
        for place, screen in enumerate(self.screens, 1):
            if str(key) in (screen.name, str(place)):
                return place
        raise LookupError(
            f"The lesson “{self.lesson.title}” has no screen {str(key)!r}. It has screens 1 to "
            f"{len(self.screens)}, and {', '.join(screen.name for screen in self.screens)}."
        )

    def screen(self, key: str | int) -> Screen:
        """Return the screen with this name or number; see `position`."""
        return self.screens[self.position(key) - 1]

    def screen_of_exercise(self, name: str) -> Screen:
        """Return the screen that shows the exercise with this name.

        Args:
            name: The name of the exercise in the lesson.

        Raises:
            KeyError: No screen has this exercise.
        """
        for screen in self.screens:
            if screen.exercise and screen.exercise.name == name:
                return screen
        raise KeyError(f"lesson {self.lesson.slug!r} has no screen for {name!r}")


@cache
def deck(slug: str) -> Deck:
    """Return the presentation of the lesson with this slug.

    Raises:
        LookupError: There is no such lesson.
    """
    for lesson in LESSONS:
        if lesson.slug == slug:
            return Deck(lesson, _screens(lesson))
    raise LookupError(f"There is no lesson {slug!r}.")


class DeckRenderer:
    """Renderer of a lesson's content as screens of a presentation.

    Prose has no screen. If the last paragraph before a figure is short and can be understood on its
    own, it becomes the figure's caption; all other prose goes to the notes of the next screen.

    Args:
        notes: Paragraphs for the notes of the first screen, as Markdown.
    """

    def __init__(self, notes: Iterable[str] = ()) -> None:
        self._notes = [*notes]

    def prose(self, text: str) -> list[Screen]:
        """Return no screen; keep the text for the notes or the caption of the next screen."""
        self._notes += _paragraphs(text)
        return []

    def figure(self, figure: FigureSpec) -> list[Screen]:
        """Return a screen with the figure; a short paragraph before it becomes the caption."""
        caption = _caption(self._notes[-1]) if self._notes else ""
        if caption:
            self._notes.pop()
        return self._with_notes(Screen(figure.name, caption=caption, figure=figure))

    def table(self, table: ComparisonTable) -> list[Screen]:
        """Return a screen with the table."""
        return self._with_notes(Screen(table.name, table=table))

    def exercise(self, exercise: Exercise) -> list[Screen]:
        """Return a screen with the question."""
        return self._with_notes(_exercise_screen(exercise, {}))

    def panel(self, panel: Panel) -> list[Screen]:
        """Return no screen: panels are for readers."""
        return []

    def details(self, details: Details) -> list[Screen]:
        """Return no screen: collapsed prose is for readers."""
        return []

    def takeaways(self, takeaways: Takeaways) -> list[Screen]:
        """Return a screen with the lesson's takeaways."""
        heading, _, sentences = takeaways.markdown.partition("\n\n")
        return self._with_notes(Screen(REMEMBER, heading.removeprefix("## "), sentences))

    def optional_section(self, section: OptionalSection[PageItem]) -> list[Screen]:
        """Return a screen with the section's main finding, then the screens of its content."""
        about = Screen(f"about-{section.name}", section.title, section.finding)
        screens = [about, *chain.from_iterable(render(section.parts, DeckRenderer()))]
        return [replace(screen, section=section.title) for screen in screens]

    def _with_notes(self, screen: Screen) -> list[Screen]:
        notes, self._notes = "\n\n".join(self._notes), []
        return [replace(screen, notes=notes)]


def _screens(lesson: Lesson) -> tuple[Screen, ...]:
    first, *others = lesson.core
    lead, *notes = _paragraphs(first) if isinstance(first, str) else [""]
    lead, todo = _split_instruction(lead)
    core = others if isinstance(first, str) else lesson.core
    figures = {figure.name: figure for figure in lesson.figures}
    screens = (
        Screen(START, lesson.title, lead, notes=todo),
        *chain.from_iterable(render(core, DeckRenderer(notes))),
        *(_exercise_screen(exercise, figures) for exercise in lesson.exercises),
        *chain.from_iterable(render(lesson.optional_sections, DeckRenderer())),
    )
    figure_screens = {screen.name for screen in screens if screen.figure and not screen.exercise}
    return tuple(_with_unique_name(screen, figure_screens) for screen in screens)


def _with_unique_name(screen: Screen, figure_screens: set[str]) -> Screen:
    """Return an exercise's screen with a new name if a figure's screen has the same name."""
    if screen.exercise and screen.name in figure_screens:
        return replace(screen, name=f"ask-{screen.name}")
    return screen


def _exercise_screen(exercise: Exercise, figures: Mapping[str, FigureSpec]) -> Screen:
    heading = f"Exercise {exercise.number}" if exercise.number else ""
    figure = figures.get(exercise.figure) if isinstance(exercise, FigureGoal) else None
    return Screen(exercise.name, heading, exercise=exercise, figure=figure)


def _paragraphs(text: str) -> list[str]:
    """Return the blocks of a Markdown text, without its headings."""
    lines = text.splitlines()
    written = (to_source([node], lines) for node in parse_blocks(text))
    return [block for block in written if not block.startswith("#")]


def _split_instruction(paragraph: str) -> tuple[str, str]:
    """Split off the last sentence if it tells readers what to do with the first figure.

    >>> _split_instruction("Norms divide. Drag *size*.")
    ('Norms divide.', 'Drag *size*.')
    """
    found = _INSTRUCTION.search(paragraph)
    return (paragraph[: found.start()], found[0].strip()) if found else (paragraph, "")


def _caption(block: str) -> str:
    """Return the paragraph if it is short and makes sense as a figure's caption, otherwise ""."""
    words = re.sub(r"\$+[^$]+\$+", "formula", block).split()
    is_caption = not block.startswith("$$") and not _CONTINUATION.match(block)
    return block if is_caption and len(words) <= MAX_CAPTION_WORDS else ""
