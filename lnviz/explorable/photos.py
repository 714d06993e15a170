"""A gallery of color images whose channels are scaled and shifted by controls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lnviz.explorable.controls import Control
from lnviz.explorable.schema import Name, Template, When
from lnviz.explorable.swept import SweptTensor
from lnviz.explorable.view_base import BaseView


@dataclass(frozen=True)
class PhotoGallery(BaseView, kind="photos"):
    """Color images side by side; the value of each channel is `scale * x + shift`.

    Values are clipped to the range from 0 (dark) to 1 (full intensity).

    Args:
        title: A template, as in `Readout`.
        values: The tensor x, `(images, 3, height, width)`.
        scale: The tensor of each channel's scale, `(images, 3)`.
        shift: The tensor of each channel's shift, `(images, 3)`.
        labels: The texts below the images, templates.
        alt: The alternative text, a template.
        when: The control values at which they are shown.
    """

    title: Template
    values: Name
    scale: Name
    shift: Name
    labels: tuple[Template, ...]
    alt: Template
    when: When = field(default_factory=dict)

    def check(self, tensors: Mapping[str, SweptTensor], controls: Mapping[str, Control]) -> None:
        """Check that values, scale and shift have three channels for each labeled image."""
        channels = (len(self.labels), 3)
        for name, length in ((self.values, 4), (self.scale, 2), (self.shift, 2)):
            shape = tensors[name].slice_shape
            if len(shape) != length or shape[:2] != channels:
                raise ValueError(
                    f"tensor {name!r}: photos begin with {channels}, pictures by the view's labels "
                    f"and channels, and have {length} dimensions, received {shape}"
                )
