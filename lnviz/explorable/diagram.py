"""Block diagrams: boxes and arrows, drawn as SVG, that a control walks along."""

from __future__ import annotations

from dataclasses import dataclass, field

from lnviz.explorable.part import Name, Part, Template, When

Point = tuple[float, float]


@dataclass(frozen=True)
class Box(Part):
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
    """

    center: Point
    size: Point
    text: Template
    at: tuple[int, ...] = ()
    token: str = ""
    dotted: bool = False
    round: bool = False


@dataclass(frozen=True)
class Arrow(Part):
    """A way with a head at its end, where it has one.

    Args:
        way: Its corners.
        at: Positions of the diagram's control at which it stands out, as of a `Box`.
        head: Whether it ends in a head; without one it goes on in another arrow.
    """

    way: tuple[Point, ...]
    at: tuple[int, ...] = ()
    head: bool = True


@dataclass(frozen=True)
class Diagram(Part, kind="diagram"):
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
        when: Where it is shown.
    """

    title: Template
    control: Name
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    size: Point
    alt: Template
    note: Template = ""
    hover: bool = False
    when: When = field(default_factory=dict)
