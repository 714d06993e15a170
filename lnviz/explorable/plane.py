"""A scatter plot of two classes, over a classifier's decision map."""

from __future__ import annotations

from dataclasses import dataclass, field

from lnviz.explorable.schema import Name, NameOrNone, Template, When
from lnviz.explorable.view_base import BaseView


@dataclass(frozen=True)
class ScatterPlane(BaseView, kind="plane"):
    """A scatter plot of points in two classes, over a color map of a classifier's outputs.

    Args:
        title: A template, as in `Readout`.
        points: The tensor of the points' coordinates, `(points, 2)`.
        classes: The tensor of the points' classes, 0 or 1.
        labels: The names of the two classes.
        extent: The largest coordinate shown, in every direction from the origin.
        axes: The names of the horizontal and the vertical axis, templates.
        alt: The alternative text, a template.
        score: The tensor of the classifier's outputs, `(height, width)` from the upper left, from
            -1 for class 0 to 1 for class 1.
        paint: The parameter that encodes points drawn by a reader; "" if readers cannot draw.
        prefix: The prefix of the parameter's value. It is followed by the points of class 0, a dot,
            and the points of class 1. A point is two letters, its horizontal and vertical position.
        letters: The letters of positions, from one edge to the other.
        fewest: The least number of points.
        most: The greatest number of points.
        when: The control values at which it is shown.
    """

    title: Template
    points: Name
    classes: Name
    labels: tuple[str, str]
    extent: float
    axes: tuple[Template, Template]
    alt: Template
    score: NameOrNone = ""
    paint: str = ""
    prefix: str = ""
    letters: str = ""
    fewest: int = 0
    most: int = 0
    when: When = field(default_factory=dict)
