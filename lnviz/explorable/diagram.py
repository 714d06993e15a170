"""Block diagrams: boxes and arrows, drawn as SVG, that a control walks along."""

from __future__ import annotations

from dataclasses import dataclass, field

from lnviz.explorable.schema import Name, NameOrNone, Serializable, Template, When
from lnviz.explorable.view_base import BaseView

Point = tuple[float, float]


@dataclass(frozen=True)
class DiagramBox(Serializable):
    r"""A box with words.

    Args:
        center: Where its middle lies.
        size: Width and height.
        text: A template, as in `Readout`; `\n` breaks the line.
        at: Positions of the diagram's control at which it stands out; pointing at the box goes to
            the first one.
        token: The color of the edge and the words; without it, that of the page.
        dotted: Whether the edge is dotted: what is given, or lies outside.
        round: Whether its ends are round.
        filled: Whether its ground has the color, and its words that of what stands on it.
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
    """A way with a head at its end, where it has one.

    Args:
        corners: Its corners.
        at: Positions of the diagram's control at which it stands out, as of a `Box`.
        head: Whether it ends in a head; without one it goes on in another arrow.
        width: The tensor of its width, in the diagram's unit; without it, it is a thin line.
        token: The color; without it, a pale one.
    """

    corners: tuple[Point, ...]
    at: tuple[int, ...] = ()
    head: bool = True
    width: NameOrNone = ""
    token: str = ""


@dataclass(frozen=True)
class DiagramBar(Serializable):
    """A bar on a track that shows how long it could be, with words above.

    Args:
        corner: The upper left corner of the track.
        size: Length and thickness of the track.
        fraction: The tensor of how much of the track the bar takes, from 0 to 1.
        label: What it is, above its beginning, a template.
        number: What is said above the track's end, a template.
        token: The color; without it, a pale one.
    """

    corner: Point
    size: Point
    fraction: Name
    label: Template
    number: Template
    token: str = ""


@dataclass(frozen=True)
class Profile(Serializable):
    """A road through all layers, from the first at the top to the last, with a bar beside each.

    Args:
        heads: What the road is and what the bars are, templates.
        road: The tensor of its widths in the diagram's unit, for each layer as many as there are
            evenly from its beginning to its end; NaN behind the last layer.
        bars: The tensor of the bars' lengths, one for each layer; NaN behind the last layer.
        reach: The length of a bar that takes all the room.
        ends: Beside the first bar and beside the last, templates.
        size: Width and height of the picture, as of the diagram.
        token: The color of road and bars; without it, a pale one.
        mark: The color of a norm's mark in each layer.
        across: Whether the mark lies across the road; otherwise it is beside it.
    """

    heads: tuple[Template, Template]
    road: Name
    bars: Name
    reach: float
    ends: tuple[Template, Template]
    size: Point
    token: str = ""
    mark: str = "accent"
    across: bool = False


@dataclass(frozen=True)
class Diagram(BaseView, kind="diagram"):
    r"""Boxes and arrows between them. What stands for the control's position stands out.

    Args:
        title: A template, as in `Readout`; `\n` breaks the line.
        control: The slider or choice whose positions boxes and arrows stand for.
        boxes: The boxes, drawn over the arrows.
        arrows: The arrows, in the order in which things flow.
        size: Width and height of the picture, in CSS pixels at its natural size; y is down.
        alt: The picture in words, a template that follows the state.
        note: The text below the picture, a template; `\n` breaks the line.
        hover: Whether a mouse that rests on a part shows its position, until it leaves; a click
            goes there in any case.
        scale: The unit of widths that are bound to tensors, in CSS pixels at the natural size.
        bars: Bars in the picture.
        profile: What stands beside the picture, or below it where there is no room.
        when: Where it is shown.
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
