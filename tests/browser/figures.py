"""Every figure of every lesson, for tests that hold for all of them."""

from dataclasses import dataclass
from typing import Any

from lnviz.book import PAGES
from lnviz.explorable import Chart, Explorable
from lnviz.lessons import FigureSpec, Lesson
from tests.lessons.running import built, control


@dataclass(frozen=True)
class Place:
    """A figure and where it is found: in its lesson, and on a page of its own."""

    lesson: Lesson
    figure: FigureSpec

    @property
    def number(self) -> int:
        """Which of its lesson's figures it is, in reading order, counted from 0."""
        figures = [part for part in self.lesson.parts if isinstance(part, FigureSpec)]
        return figures.index(self.figure)

    @property
    def page(self) -> str:
        return f"/{self.lesson.url_path}"

    @property
    def standalone(self) -> str:
        return f"/explorables/{self.lesson.slug}/{self.figure.name}.html"

    @property
    def has_chart(self) -> bool:
        return any(isinstance(view, Chart) for row in self.explorable().views for view in row)

    def explorable(self, **parameters: str) -> Explorable:
        return built(self.lesson.slug, self.figure.name, *sorted(parameters.items()))

    def control(self, name: str) -> Any:
        return control(self.explorable(), name)

    def __str__(self) -> str:
        return f"{self.lesson.slug}-{self.figure.name}"


def place(lesson: str, name: str) -> Place:
    (found,) = (p for p in PLACES if (p.lesson.slug, p.figure.name) == (lesson, name))
    return found


PLACES = [Place(lesson, figure) for lesson in PAGES for figure in lesson.figures]
GRID, LINE = place("axes", "grid"), place("gain-bias", "line")
EXAMPLES = place("gain-bias", "examples")
CASE_SCALE, FACTOR = place("invariance", "case-scale"), place("recurrence", "factor")
DEPTH, NETWORKS = place("why", "depth"), place("playground", "networks")
KINDS = [GRID, LINE, CASE_SCALE, FACTOR]
"""Grids side by side; one case and its chart; grids in two rows; a chart alone. What holds for
these holds for the other figures: the script that draws them is the same."""
