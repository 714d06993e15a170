"""How long a lesson takes, by a rule."""

from __future__ import annotations

import math
from collections.abc import Iterable

from lnviz.lessons import Figure, Lesson, Question

WORDS_A_MINUTE = 200
"""Words that a reader of these pages reads in a minute. Silent readers of English manage about 240
(Brysbaert 2019, a mean over 190 studies); these pages have formulas."""

FIGURE_MINUTES = 2
"""Minutes to move each control of a figure and look."""

QUESTION_MINUTES = 1
"""Minutes to think before choosing an answer."""


def minutes(lesson: Lesson) -> int:
    """Return the minutes that a lesson's words, figures and questions take, rounded up.

    Folds and exercises are for some readers and do not count; what stands inside figures counts
    as theirs.
    """
    figures = sum(isinstance(part, Figure) for part in lesson.parts)
    asked = [part for part in lesson.parts if isinstance(part, Question)]
    questions = [question for question in asked if question not in lesson.exercises]
    prose = [part for part in lesson.parts if isinstance(part, str)]
    words = _words([*prose, *(text for question in questions for text in _texts(question))])
    return math.ceil(
        words / WORDS_A_MINUTE + FIGURE_MINUTES * figures + QUESTION_MINUTES * len(questions)
    )


def _texts(question: Question) -> Iterable[str]:
    yield question.text
    yield from (answer.text for answer in question.answers)
    yield question.why


def _words(texts: Iterable[str]) -> int:
    return sum(len(text.split()) for text in texts)
