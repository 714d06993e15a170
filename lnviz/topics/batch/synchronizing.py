"""What synchronized BatchNorm sends: numbers a layer and a step, for networks people train."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

BYTES = 4  # of a float32


@dataclass(frozen=True)
class BatchNormLayers:
    """The BatchNorm layers of a network.

    Attributes:
        label: the label as it is printed.
        channels: the channels of each layer, in order.
    """

    label: str
    channels: tuple[int, ...]

    @property
    def sent(self) -> int:
        """Numbers that each worker sends in one step of training, if there are two or more.

        Forward a mean and an inverse standard deviation a channel and a count a layer, backward
        two sums a channel. Source: `SyncBatchNorm` in PyTorch's torch/nn/modules/_functions.py.
        """
        return sum((2 * channels + 1) + 2 * channels for channels in self.channels)

    @property
    def waits(self) -> int:
        """How often a worker waits for the others in a step: forward and backward, every layer."""
        return 2 * len(self.channels)


def residual(
    label: str, blocks: tuple[int, ...], inner: tuple[int, ...], grow: int
) -> BatchNormLayers:
    """Return a ResNet's BatchNorm layers.

    Args:
        label: the label as it is printed.
        blocks: how many blocks each of the four stages has.
        inner: how many times a stage's width each convolution of a block has.
        grow: how many times a stage's width goes out of it; where that changes the width, the
            shortcut of its first block has a norm.

    Source: He, Zhang, Ren and Sun 2016 (arXiv 1512.03385), table 1.

    >>> len(residual("ResNet-18", (2, 2, 2, 2), (1, 1), 1).channels)
    20
    """
    channels = [64]
    before = 64
    for stage, count in enumerate(blocks):
        width = 64 * 2**stage
        for block in range(count):
            channels += [width * times for times in inner]
            if block == 0 and before != width * grow:
                channels.append(width * grow)
        before = width * grow
    return BatchNormLayers(label, tuple(channels))


NETWORKS: Mapping[str, BatchNormLayers] = {
    "layer": BatchNormLayers("the layer below", (64,)),
    "resnet18": residual("ResNet-18", (2, 2, 2, 2), (1, 1), 1),
    "resnet50": residual("ResNet-50", (3, 4, 6, 3), (1, 1, 4), 4),
    # Simonyan and Zisserman 2014 (arXiv 1409.1556), table 1, column D, a norm a convolution.
    "vgg16": BatchNormLayers("VGG-16", (64,) * 2 + (128,) * 2 + (256,) * 3 + (512,) * 6),
}
"""The networks by key."""
