"""Statistics of a convolution's activations over many images, by channel and position."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lnviz.data.examples import digit_images
from lnviz.topics.images.filters import Bank, responses
from lnviz.topics.images.sharing import Sharing

ROUNDING = 1e-5
"""The value up to which a unit is not above 0: a constant response is 0 but for rounding."""


@dataclass(frozen=True, eq=False)
class UnitStatistics:
    """Statistics over many images of every unit, that is, of each channel at each position.

    Attributes:
        mean: mean over the images.
        std: standard deviation over the images.
        on: fraction of the images for which the unit is above 0 by more than rounding, so that ReLU
            passes it on.
    """

    mean: Float[Tensor, "C H W"]
    std: Float[Tensor, "C H W"]
    on: Float[Tensor, "C H W"]


def units(values: Float[Tensor, "N C H W"]) -> UnitStatistics:
    """Compute each unit's mean, standard deviation and active fraction over images.

    Args:
        values: the value of each unit, for each image.

    >>> units(torch.tensor([-1.0, 1.0, 3.0, 1.0]).view(4, 1, 1, 1)).on.item()
    0.75
    """
    return UnitStatistics(
        values.mean(0), values.std(0, correction=0), (values > ROUNDING).float().mean(0)
    )


def digit_units(bank: Bank, kind: Sharing) -> UnitStatistics:
    """Apply a norm to a first convolution on all digits, and return the statistics of its units.

    BatchNorm's batch consists of all 1,797 digits.

    Args:
        bank: the filters.
        kind: the norm.
    """
    images = digit_images().images.unflatten(1, (1, 8, 8))
    return units(kind.standardized(responses(images, bank)).x_hat)


def border(height: int, width: int) -> Bool[Tensor, "H W"]:
    """Return a mask of the border positions, where a 3 x 3 filter extends beyond the image."""
    inside = torch.zeros(height, width, dtype=torch.bool)
    inside[1:-1, 1:-1] = True
    return ~inside
