"""Points of two classes in a plane, over the picture of what a network says at each place of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from lnviz.explorable.schema import Name, NameOrNone, Template, When
from lnviz.explorable.view_base import BaseView


@dataclass(frozen=True)
class ScatterPlane(BaseView, kind="plane"):
    """Points of two classes in a plane; behind them, a score of each place as its color.

    Args:
        title: A template, as in `Readout`.
        points: The tensor of the points, `(points, 2)`: to the right and up.
        classes: The tensor of their classes, 0 or 1, one for each point.
        labels: What the two classes are called.
        reach: The plane ends here, to every side of the middle.
        axes: What lies to the right and what lies up, templates.
        alt: The plane in words, a template that follows the state.
        score: The tensor of the score, `(height, width)` places from the upper left one on, from -1
            for class 0 to 1 for class 1.
        paint: The parameter that a reader's own points are the value of, if they can be painted.
        before: How such a value begins; then come the points of class 0, a dot and those of class
            1, each of them two letters: its place to the right and its place up.
        letters: The letters of places, from one edge to the other.
        fewest: How many points there have to be.
        most: How many points can be painted.
        when: Where it is shown.
    """

    title: Template
    points: Name
    classes: Name
    labels: tuple[str, str]
    reach: float
    axes: tuple[Template, Template]
    alt: Template
    score: NameOrNone = ""
    paint: str = ""
    before: str = ""
    letters: str = ""
    fewest: int = 0
    most: int = 0
    when: When = field(default_factory=dict)
