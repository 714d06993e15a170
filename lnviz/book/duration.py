"""Estimates of how long lessons take to read."""

from __future__ import annotations

import math
from collections.abc import Iterable

from lnviz.lessons import ChoiceExercise, FigureSpec, Lesson, Takeaways
from lnviz.lessons.lesson import PageItem
from lnviz.lessons.sections import format_minutes

WORDS_PER_MINUTE = 200
"""Reading speed on these pages, which have formulas. The mean for silent reading of English is
about 240 words per minute (Brysbaert 2019, over 190 studies)."""

FIGURE_MINUTES = 2
"""Minutes to explore a figure."""

STEPS_MINUTES = 1
"""Minutes to walk through the steps of a core figure."""

QUESTION_MINUTES = 1
"""Minutes to think about a question."""


def core_minutes(lesson: Lesson) -> int:
    """Return the reading time of a lesson's core in minutes, rounded up.

    Optional sections and exercises do not count.
    """
    figures = sum(isinstance(part, FigureSpec) for part in lesson.core)
    return STEPS_MINUTES * figures + reading_minutes(
        part.markdown if isinstance(part, Takeaways) else part for part in lesson.core
    )


def duration_text(lesson: Lesson) -> str:
    """Return the reading times of a lesson's core and of its optional sections, in words."""
    more = sum(part.minutes for part in lesson.optional_sections)
    return format_minutes(core_minutes(lesson)) + (
        f", and {more} more if you go deeper" if more else ""
    )


def reading_minutes(parts: Iterable[PageItem]) -> int:
    """Return the reading time of prose, figures and questions in minutes, rounded up.

    Collapsed details and text inside figures do not count.
    """
    parts = tuple(parts)
    figures = sum(isinstance(part, FigureSpec) for part in parts)
    questions = [part for part in parts if isinstance(part, ChoiceExercise)]
    prose = [part for part in parts if isinstance(part, str)]
    words = _words([*prose, *(text for question in questions for text in _texts(question))])
    return math.ceil(
        words / WORDS_PER_MINUTE + FIGURE_MINUTES * figures + QUESTION_MINUTES * len(questions)
    )


def _texts(question: ChoiceExercise) -> Iterable[str]:
    yield question.text
    yield from (answer.text for answer in question.answers)
    yield question.explanation


def _words(texts: Iterable[str]) -> int:
    return sum(len(text.split()) for text in texts)
