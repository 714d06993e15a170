"""Pictures in color whose channels are scaled and shifted as controls move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lnviz.explorable.template import When, conditions, names, pieces


@dataclass(frozen=True)
class Photos:
    """Pictures in color, side by side: what is drawn of a channel is `scale * x + shift`.

    Below 0 a channel is dark, above 1 it is full.

    Args:
        title: A template, as in `Readout`.
        values: The tensor x, `(pictures, 3, height, width)`.
        scale: The tensor of a factor for each channel, `(pictures, 3)`.
        shift: The tensor of what is added to each channel, `(pictures, 3)`.
        labels: Below each picture, templates.
        alt: The pictures in words, a template that follows the state.
        when: Where they are shown.
    """

    title: str
    values: str
    scale: str
    shift: str
    labels: tuple[str, ...]
    alt: str
    when: When = field(default_factory=dict)

    def payload(self) -> dict[str, Any]:
        """`Photos` of `payload.d.ts`, its conditions by value."""
        return {
            "kind": "photos",
            "title": pieces(self.title),
            "values": self.values,
            "scale": self.scale,
            "shift": self.shift,
            "labels": [pieces(label) for label in self.labels],
            "alt": pieces(self.alt),
            "when": conditions(self.when),
        }

    def names(self) -> Iterator[str]:
        """Controls and tensors it refers to."""
        yield from (self.values, self.scale, self.shift, *self.when)
        for template in (self.title, self.alt, *self.labels):
            yield from names(template)
