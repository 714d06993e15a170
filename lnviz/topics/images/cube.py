"""A small tensor of convolution activations (N, C, H, W), and its statistics under each norm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from lnviz.data.examples import digit_images
from lnviz.topics.images.filters import Bank, gabor, responses
from lnviz.topics.images.sharing import KINDS, group_sharing

IMAGES, CHANNELS = 2, 6
NORMS = ("batch", "layer", "place", "instance", "group")
EPS = 1e-5


def bank() -> Bank:
    """Return the filters that produce the channels of the small example tensor."""
    return gabor(CHANNELS)


def activations() -> Float[Tensor, "N C H W"]:
    """Return pre-activations of 6 filters on images of the digits 0 and 1, average-pooled 2 x 2.

    The convolution has no padding. Every value is exact in float32.

    >>> activations().shape
    torch.Size([2, 6, 3, 3])
    """
    images = digit_images().images[:IMAGES].unflatten(1, (1, 8, 8))
    return F.avg_pool2d(responses(images, bank())[..., 1:-1, 1:-1], 2)


@dataclass(frozen=True, eq=False)
class SharedStatistics:
    """Statistics of a small tensor under each of `NORMS`, by GroupNorm's number of groups.

    Attributes:
        groups: group id of every cell; cells with the same id share a mean and a variance.
        size: number of cells in a cell's group.
        mean: the mean of a cell's group.
        var: the variance of a cell's group.
        x_hat: the standardized cells.
    """

    groups: Int[Tensor, "norms counts N C H W"]
    size: Int[Tensor, "norms counts N C H W"]
    mean: Float[Tensor, "norms counts N C H W"]
    var: Float[Tensor, "norms counts N C H W"]
    x_hat: Float[Tensor, "norms counts N C H W"]


def shared_statistics(x: Float[Tensor, "N C H W"], counts: Sequence[int]) -> SharedStatistics:
    """Apply each norm to a small tensor of activations, and return the statistics of its groups.

    Args:
        x: the tensor.
        counts: numbers of groups, each of which divides the number of channels.

    Raises:
        ValueError: a number of groups does not divide the number of channels.
    """
    kinds = [
        [group_sharing(count) if key == "group" else KINDS[key] for count in counts]
        for key in NORMS
    ]
    standardized = [[kind.standardized(x, EPS) for kind in row] for row in kinds]
    groups = torch.stack([torch.stack([kind.groups(x.shape) for kind in row]) for row in kinds])
    sizes = torch.stack([ids.flatten().bincount()[ids] for ids in groups.flatten(0, 1)])

    def each(name: str) -> Float[Tensor, "norms counts N C H W"]:
        rows = [[getattr(one, name).expand_as(x) for one in row] for row in standardized]
        return torch.stack([torch.stack(row) for row in rows])

    return SharedStatistics(groups, sizes.view_as(groups), each("mean"), each("var"), each("x_hat"))
