"""Block diagrams: boxes and arrows, drawn as SVG, that a control walks along."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lnviz.explorable.template import When, conditions, names, pieces

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
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
    text: str
    at: tuple[int, ...] = ()
    token: str = ""
    dotted: bool = False
    round: bool = False

    def payload(self) -> dict[str, Any]:
        """`Box` of `payload.d.ts`."""
        return {
            "center": list(self.center),
            "size": list(self.size),
            "text": pieces(self.text),
            "at": list(self.at),
            "token": self.token,
            "dotted": self.dotted,
            "round": self.round,
        }


@dataclass(frozen=True)
class Arrow:
    """A way with a head at its end, where it has one.

    Args:
        way: Its corners.
        at: As of a `Box`.
        head: Whether it ends in a head; without one it goes on in another arrow.
    """

    way: tuple[Point, ...]
    at: tuple[int, ...] = ()
    head: bool = True

    def payload(self) -> dict[str, Any]:
        """`Arrow` of `payload.d.ts`."""
        return {
            "way": [list(corner) for corner in self.way],
            "at": list(self.at),
            "head": self.head,
        }


@dataclass(frozen=True)
class Diagram:
    r"""Boxes and arrows between them. What stands for the control's position stands out.

    Args:
        title: A template, as in `Readout`; `\n` breaks the line.
        control: The slider or choice whose positions boxes and arrows stand for.
        boxes: Over the arrows.
        arrows: In the order in which things flow.
        size: Width and height of the picture, in CSS pixels at its natural size; y is down.
        alt: The picture in words, a template that follows the state.
        note: A template for below the picture; `\n` breaks the line.
        hover: Whether a mouse that rests on a part shows its position, until it leaves; a click
            goes there in any case.
        when: Where it is shown.
    """

    title: str
    control: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    size: Point
    alt: str
    note: str = ""
    hover: bool = False
    when: When = field(default_factory=dict)

    def payload(self) -> dict[str, Any]:
        """`Diagram` of `payload.d.ts`, its conditions by value."""
        return {
            "kind": "diagram",
            "title": pieces(self.title),
            "control": self.control,
            "boxes": [box.payload() for box in self.boxes],
            "arrows": [arrow.payload() for arrow in self.arrows],
            "size": list(self.size),
            "alt": pieces(self.alt),
            "note": pieces(self.note),
            "hover": self.hover,
            "when": conditions(self.when),
        }

    def names(self) -> Iterator[str]:
        """Controls and tensors it refers to."""
        yield from (self.control, *self.when)
        for template in (self.title, self.alt, self.note, *(box.text for box in self.boxes)):
            yield from names(template)
