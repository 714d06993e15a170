"""The lessons, in reading order."""

from importlib import import_module

from lnviz.lessons.lesson import Figure, Lesson
from lnviz.lessons.text import PANEL_NAMES, Fold, Panel, Question

FOLDERS = (
    "why",
    "axes",
    "gain_bias",
    "batch",
    "images",
    "invariance",
    "geometry",
    "recurrence",
    "placement",
    "rmsnorm",
    "cost",
    "successors",
    "results",
    "lab",
)

LESSONS: tuple[Lesson, ...] = tuple(
    import_module(f"lnviz.lessons.{folder}").LESSON for folder in FOLDERS
)


def find(slug: str) -> Lesson | None:
    """The lesson at an address."""
    return next((lesson for lesson in LESSONS if lesson.slug == slug), None)


def find_figure(slug: str, name: str) -> Figure | None:
    """The figure of this name in the lesson at an address."""
    lesson = find(slug)
    return lesson.figure(name) if lesson else None


__all__ = [
    "LESSONS",
    "PANEL_NAMES",
    "Figure",
    "Fold",
    "Lesson",
    "Panel",
    "Question",
    "find",
    "find_figure",
]
