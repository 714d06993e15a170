"""The communication cost of synchronized BatchNorm per training step, for common networks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

BYTES = 4  # of a float32


@dataclass(frozen=True)
class BatchNormLayers:
    """Sizes of a network's BatchNorm layers, which determine the communication cost.

    Attributes:
        label: printed name.
        channels: the channels of each layer, in order.
    """

    label: str
    channels: tuple[int, ...]

    @property
    def sent(self) -> int:
        """The number of values that each worker sends per training step, with two or more workers.

        Forward: a mean and an inverse standard deviation per channel, and a count per layer.
        Backward: two sums per channel.

        Source: `SyncBatchNorm` in PyTorch's torch/nn/modules/_functions.py.
        """
        return sum((2 * channels + 1) + 2 * channels for channels in self.channels)

    @property
    def waits(self) -> int:
        """The number of synchronizations per training step: one per layer and pass."""
        return 2 * len(self.channels)


def residual(
    label: str, blocks: tuple[int, ...], inner: tuple[int, ...], grow: int
) -> BatchNormLayers:
    """Return the sizes of the BatchNorm layers in a ResNet.

    Args:
        label: printed name.
        blocks: number of blocks in each of the four stages.
        inner: width of a block's inner convolutions, in multiples of the stage's width.
        grow: output width of a stage, in multiples of its width. Where a stage's input and
            output widths differ, the shortcut of its first block has a norm.

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
