"""Titles of figures as plain text."""

from __future__ import annotations

from lnviz.lessons import FigureSpec, Lesson
from lnviz.lessons.citation_marks import strip_marks


def figure_title(lesson: Lesson, figure: FigureSpec) -> str:
    """Return a figure's title; "" if its lesson has no file about the figure.

    >>> from lnviz.book.present.deck import deck
    >>> axes = deck("axes").lesson
    >>> figure_title(axes, axes.figure("grid"))
    'Numbers of a batch, before and after a norm'
    """
    file = lesson.folder / f"{figure.name.replace('-', '_')}.md"
    if not file.exists():
        return ""
    return strip_marks(file.read_text(encoding="utf-8").partition("\n")[0]).removeprefix("# ")
