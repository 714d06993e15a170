"""Pictures in color whose channels are scaled and shifted as controls move."""

from __future__ import annotations

from dataclasses import dataclass, field

from lnviz.explorable.schema import Name, Part, Template, When


@dataclass(frozen=True)
class Photos(Part, kind="photos"):
    """Pictures in color, side by side: what is drawn of a channel is `scale * x + shift`.

    Below 0 a channel is dark, above 1 it is full.

    Args:
        title: A template, as in `Readout`.
        values: The tensor x, `(pictures, 3, height, width)`.
        scale: The tensor of a factor for each channel, `(pictures, 3)`.
        shift: The tensor of what is added to each channel, `(pictures, 3)`.
        labels: Texts below each picture, templates.
        alt: The pictures in words, a template that follows the state.
        when: Where they are shown.
    """

    title: Template
    values: Name
    scale: Name
    shift: Name
    labels: tuple[Template, ...]
    alt: Template
    when: When = field(default_factory=dict)
