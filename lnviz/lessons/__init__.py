"""The lessons, in reading order."""

from importlib import import_module

from lnviz.lessons.exercises import Asked, Goal, Number, Order, Question
from lnviz.lessons.lesson import Figure, Lesson
from lnviz.lessons.tables import Cell, Table
from lnviz.lessons.text import PANEL_NAMES, Deeper, Fold, Panel, Remember

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
    "inside",
    "playground",
    "results",
    "lab",
)

LESSONS: tuple[Lesson, ...] = tuple(
    import_module(f"lnviz.lessons.{folder}").LESSON for folder in FOLDERS
)

__all__ = [
    "LESSONS",
    "PANEL_NAMES",
    "Asked",
    "Cell",
    "Deeper",
    "Figure",
    "Fold",
    "Goal",
    "Lesson",
    "Number",
    "Order",
    "Panel",
    "Question",
    "Remember",
    "Table",
]
