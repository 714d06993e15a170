"""Lab experiment: a small convolutional network that classifies digits."""

from __future__ import annotations

from functools import partial

from torch import nn

from lnviz.topics.images.groups import CHANNELS, network
from lnviz.topics.lab.digits import data
from lnviz.training.experiment import Experiment, TrainingSpec

KEYS = {"none": "none", "batch": "batch", "layer": "1", "group": "4", "instance": str(CHANNELS)}
"""Keys of `lnviz.topics.images.groups`: LayerNorm over channels and positions is one group."""


def build(norm: str, head: str) -> nn.Module:
    """Return an untrained convolutional network with the given norm, for images of digits."""
    return network(KEYS[norm])


IMAGES = Experiment(
    name="images",
    label="A small convolutional network",
    norms=tuple(KEYS),
    data=partial(data, (1, 8, 8)),
    build=build,
    default=TrainingSpec(
        experiment="images",
        norms=("none", "batch", "layer", "group"),
        batch_sizes=(32, 4),
        rates=(0.003,),
        seeds=(0, 1, 2, 3, 4),
        steps=1000,
    ),
)
