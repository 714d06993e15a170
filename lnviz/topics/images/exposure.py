"""Each norm's output when one image changes in brightness and contrast.

A norm scales and shifts all pixels of an image's channel by the same two values, and so does a
change of contrast and brightness. So two values per channel describe the output.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.topics.images.sharing import Sharing

EPS = 1e-5


@dataclass(frozen=True, eq=False)
class ExposedBatch:
    """A normalized batch, expressed as `scale * x + shift` of the original pixels x.

    Attributes:
        scale: the factor of each channel of each image.
        shift: the value added to each channel of each image.
        mean: the mean of each output channel over its positions.
        std: the standard deviation of each output channel over its positions.
    """

    scale: Float[Tensor, "*S N C"]
    shift: Float[Tensor, "*S N C"]
    mean: Float[Tensor, "*S N C"]
    std: Float[Tensor, "*S N C"]


def normalize_exposed(
    images: Float[Tensor, "N C H W"],
    kind: Sharing,
    contrast: Float[Tensor, "*S N C"],
    brightness: Float[Tensor, "*S N C"],
) -> ExposedBatch:
    r"""Normalize a batch after changes of contrast and brightness: `contrast * x + brightness`.

    Args:
        images: the batch before the change.
        kind: a norm that shares its statistics across positions.
        contrast: the contrast of each channel of each image, with any leading dimensions.
        brightness: the brightness of each channel of each image, with any leading dimensions.

    Returns:
        The normalized batch; 0 in constant groups.
    """
    mean, std = images.mean((2, 3)), images.std((2, 3), correction=0)
    center, spread = contrast * mean + brightness, contrast * std
    # Two pixels that have a channel's mean and variance give every group its own.
    pair = torch.stack([center - spread, center + spread], -1)[..., None, :]  # S,N,C,1,2
    standardized = kind.standardized(pair, EPS)
    sigma = (
        (standardized.var + EPS).sqrt()
        if kind.norm.shared_axes
        else torch.ones_like(standardized.var)
    )
    middle, sigma, flat = (
        each.expand_as(pair)[..., 0, 0]
        for each in (standardized.mean, sigma, standardized.constant & bool(kind.norm.shared_axes))
    )
    scale = (contrast / sigma).masked_fill(flat, 0.0)
    shift = ((brightness - middle) / sigma).masked_fill(flat, 0.0)
    return ExposedBatch(scale, shift, scale * mean + shift, scale * std)
