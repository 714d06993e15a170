"""The list of all lessons, in reading order."""

from importlib import import_module

from lnviz.lessons.exercises import (
    ChoiceExercise,
    Exercise,
    FigureGoal,
    NumberExercise,
    OrderExercise,
)
from lnviz.lessons.lesson import FigureSpec, Lesson
from lnviz.lessons.tables import ComparisonCell, ComparisonTable
from lnviz.lessons.text import PANEL_NAMES, Details, OptionalSection, Panel, Takeaways

FOLDERS = (
    "why",
    "axes",
    "gain_bias",
    "batch",
    "invariance",
    "images",
    "placement",
    "rmsnorm",
    "cost",
    "successors",
    "inside",
    "recurrence",
    "geometry",
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
    "ChoiceExercise",
    "ComparisonCell",
    "ComparisonTable",
    "Details",
    "Exercise",
    "FigureGoal",
    "FigureSpec",
    "Lesson",
    "NumberExercise",
    "OptionalSection",
    "OrderExercise",
    "Panel",
    "Takeaways",
]
