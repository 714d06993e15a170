"""A small convolutional network with GroupNorm, BatchNorm or no norm."""

from __future__ import annotations

from collections.abc import Callable

from torch import nn

from lnviz.topics.images.filters import SIZE

CHANNELS = 16
COUNTS = tuple(count for count in range(1, CHANNELS + 1) if CHANNELS % count == 0)
"""Numbers of groups: all divisors of the number of channels."""
CLASSES = 10


class ConvNet(nn.Sequential):
    """Convolutional network: three layers of 16 filters with norm and ReLU, and a linear layer.

    Args:
        norm: returns a norm module for a number of channels; None for convolutions with biases and
            no norm.

    >>> ConvNet(nn.BatchNorm2d)[1].num_features
    16
    """

    def __init__(self, norm: Callable[[int], nn.Module] | None) -> None:
        def layer(channels: int) -> list[nn.Module]:
            convolution = nn.Conv2d(channels, CHANNELS, SIZE, padding=1, bias=norm is None)
            return [convolution, *([norm(CHANNELS)] if norm else []), nn.ReLU()]

        super().__init__(
            *layer(1),
            nn.MaxPool2d(2),
            *layer(CHANNELS),
            *layer(CHANNELS),
            nn.AvgPool2d(2),
            nn.Flatten(),
            nn.Linear(4 * CHANNELS, CLASSES),
        )


def network(key: str) -> ConvNet:
    """Return a convolutional network for a norm: `"none"`, `"batch"`, or a number of groups.

    >>> network("4")[1].num_groups
    4
    """
    if key == "none":
        return ConvNet(None)
    if key == "batch":
        return ConvNet(nn.BatchNorm2d)
    return ConvNet(lambda channels: nn.GroupNorm(int(key), channels))


KEYS = (*map(str, COUNTS), "batch", "none")
