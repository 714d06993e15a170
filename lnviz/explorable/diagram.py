"""Block diagrams as SVG, whose boxes and arrows are highlighted at positions of a control."""

from __future__ import annotations

from dataclasses import dataclass, field

from lnviz.explorable.schema import Name, NameOrNone, Serializable, Template, When
from lnviz.explorable.view_base import BaseView

Point = tuple[float, float]


@dataclass(frozen=True)
class DiagramBox(Serializable):
    r"""A box with text in a block diagram.

    Args:
        center: The position of its center.
        size: Width and height.
        text: A template, as in `Readout`; `\n` breaks the line.
        at: Positions of the diagram's control at which it is highlighted; clicking the box selects
            the first one.
        token: The theme color of the edge and the text; by default, the page's text color.
        dotted: Whether the edge is dotted, for inputs and other values from outside.
        round: Whether its corners are round.
        filled: Whether it is filled with its color.
    """

    center: Point
    size: Point
    text: Template
    at: tuple[int, ...] = ()
    token: str = ""
    dotted: bool = False
    round: bool = False
    filled: bool = False


@dataclass(frozen=True)
class DiagramArrow(Serializable):
    """A polyline in a block diagram, usually with an arrowhead at its end.

    Args:
        corners: The points of the line.
        at: Positions of the diagram's control at which it is highlighted, as in `DiagramBox`.
        head: Whether it ends in an arrowhead; without one, another arrow continues it.
        width: The tensor of its width, in the diagram's unit; "" draws a thin line.
        token: The theme color; by default, a pale color.
    """

    corners: tuple[Point, ...]
    at: tuple[int, ...] = ()
    head: bool = True
    width: NameOrNone = ""
    token: str = ""


@dataclass(frozen=True)
class DiagramBar(Serializable):
    """A horizontal bar that fills a fraction of a track, with a label and a number above it.

    Args:
        corner: The upper left corner of the track.
        size: Length and thickness of the track.
        fraction: The tensor of the filled fraction, from 0 to 1.
        label: The label, above the beginning of the track, a template.
        number: The number, above the end of the track, a template.
        token: The theme color; by default, a pale color.
    """

    corner: Point
    size: Point
    fraction: Name
    label: Template
    number: Template
    token: str = ""


@dataclass(frozen=True)
class Profile(Serializable):
    """A vertical path through a network's layers, the first layer at the top, with a bar per layer.

    Args:
        headings: The headings of the path and of the bars, templates.
        road: The tensor of the path's widths at evenly spaced points, in the diagram's unit; every
            layer has the same number of points; NaN after the last layer.
        bars: The tensor of the bars' lengths, one for each layer; NaN after the last layer.
        full_length: The value of a bar of full length.
        ends: The texts beside the first and the last bar, templates.
        size: Width and height, as in `Diagram`.
        token: The theme color of path and bars; by default, a pale color.
        mark: The theme color of the norm's mark in each layer.
        across: Whether the marks lie across the path or beside it.
    """

    headings: tuple[Template, Template]
    road: Name
    bars: Name
    full_length: float
    ends: tuple[Template, Template]
    size: Point
    token: str = ""
    mark: str = "accent"
    across: bool = False


@dataclass(frozen=True)
class Diagram(BaseView, kind="diagram"):
    r"""A block diagram whose boxes and arrows are highlighted at positions of a control.

    Args:
        title: A template, as in `Readout`; `\n` breaks the line.
        control: The slider or choice whose positions boxes and arrows refer to.
        boxes: The boxes, drawn over the arrows.
        arrows: The arrows, in the order of the data flow.
        size: Width and height in CSS pixels; y is down.
        alt: The alternative text, a template.
        note: The text below the diagram, a template; `\n` breaks the line.
        hover: Whether hovering a box or arrow shows its position until the pointer leaves; a click
            always selects it.
        scale: The unit of the widths of arrows, in CSS pixels.
        bars: Bars in the diagram.
        profile: A profile beside the diagram, or below it on narrow screens.
        when: The control values at which it is shown.
    """

    title: Template
    control: Name
    boxes: tuple[DiagramBox, ...]
    arrows: tuple[DiagramArrow, ...]
    size: Point
    alt: Template
    note: Template = ""
    hover: bool = False
    scale: float = 1.0
    bars: tuple[DiagramBar, ...] = ()
    profile: Profile | None = None
    when: When = field(default_factory=dict)
