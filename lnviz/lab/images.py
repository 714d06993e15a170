"""Digits named by a small convolutional network."""

from __future__ import annotations

from functools import cache

from torch import nn

from lnviz.data.examples import digit_images
from lnviz.images.groups import CHANNELS, network
from lnviz.lab.digits import parts
from lnviz.training.experiment import Data, Experiment, Part, Specification

KEYS = {"none": "none", "batch": "batch", "layer": "1", "group": "4", "instance": str(CHANNELS)}
"""GroupNorm with one group takes the statistics of LayerNorm over channels and places."""


@cache
def data() -> Data:
    """Return the digits that come with scikit-learn as images of one channel."""
    digits = digit_images()
    images = digits.images.unflatten(1, (1, 8, 8))
    return Data(*(Part(images[p], digits.targets[p]) for p in parts(digits.targets)))


def build(norm: str, head: str) -> nn.Module:
    """Return the network of `lnviz.images.groups`."""
    return network(KEYS[norm])


IMAGES = Experiment(
    name="images",
    label="A small convolutional network",
    norms=tuple(KEYS),
    data=data,
    build=build,
    default=Specification(
        experiment="images",
        norms=("none", "batch", "layer", "group"),
        batch_sizes=(32, 4),
        rates=(0.003,),
        seeds=(0, 1, 2, 3, 4),
        steps=1000,
    ),
)
