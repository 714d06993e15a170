"""Pictures in color whose channels are scaled and shifted as controls move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lnviz.explorable.controls import Control
from lnviz.explorable.schema import Name, Template, When
from lnviz.explorable.swept import SweptTensor
from lnviz.explorable.view_base import BaseView


@dataclass(frozen=True)
class PhotoGallery(BaseView, kind="photos"):
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

    def check(self, tensors: Mapping[str, SweptTensor], controls: Mapping[str, Control]) -> None:
        """Check that values, scale and shift have three channels for each labeled picture."""
        channels = (len(self.labels), 3)
        for name, length in ((self.values, 4), (self.scale, 2), (self.shift, 2)):
            shape = tensors[name].slice_shape
            if len(shape) != length or shape[:2] != channels:
                raise ValueError(
                    f"tensor {name!r}: photos begin with {channels}, pictures by the view's labels "
                    f"and channels, and have {length} dimensions, received {shape}"
                )
