"""Lab experiment: the paper's fully connected network for MNIST, trained on an uploaded file."""

from __future__ import annotations

from collections import OrderedDict

import torch
from jaxtyping import Float, UInt8
from torch import Tensor, nn

from lnviz.data.uploads.mnist import LAYOUT, read_mnist
from lnviz.topics.lab import digits
from lnviz.topics.lab.digits import NORMS, PAPER, PLAIN
from lnviz.training.experiment import (
    DataSplit,
    DataSplits,
    Experiment,
    SpecificationError,
    TrainingSpec,
)

LABEL = "A fully connected network for MNIST"
PIXELS, UNITS = 784, 1000
VALIDATE_EVERY = 12
"""Every twelfth training image is in the validation split: 5,000 of 60,000, as in the paper."""


class Pixels(nn.Module):
    """Layer that converts pixels from uint8, which saves memory, to values from 0 to 1.

    >>> Pixels()(torch.tensor([[0, 255]], dtype=torch.uint8))
    tensor([[0., 1.]])
    """

    def forward(self, x: UInt8[Tensor, "*N D"]) -> Float[Tensor, "*N D"]:
        """Convert pixels from 0 to 255 to values from 0 to 1."""
        return x.float() / 255


def network(norm: str, head: str = PLAIN) -> nn.Sequential:
    """Return the paper's network for MNIST: two hidden layers of 1,000 units.

    Args:
        norm: a key of `NORMS`.
        head: as in `lnviz.topics.lab.digits.network`.

    Source: Ba, Kiros and Hinton 2016, section 6.6.

    >>> network("layer")[-1]
    Linear(in_features=1000, out_features=10, bias=True)
    """
    layers = digits.network(norm, head, inputs=PIXELS, units=UNITS).named_children()
    return nn.Sequential(OrderedDict([("pixels", Pixels()), *layers]))


def read(raw: bytes) -> DataSplits:
    """Return the training, validation and test splits of an uploaded `mnist.npz`.

    The validation split has the first training image and every twelfth after it.

    Args:
        raw: content of the file.

    Raises:
        UploadError: the content is not that of `mnist.npz`.
    """
    mnist = read_mnist(raw)
    chosen = torch.arange(len(mnist.train.targets)) % VALIDATE_EVERY == 0
    images = mnist.train.images.flatten(1)
    train, validation = (
        DataSplit(images[part], mnist.train.targets[part]) for part in (~chosen, chosen)
    )
    return DataSplits(
        train, validation, DataSplit(mnist.test.images.flatten(1), mnist.test.targets)
    )


def data() -> DataSplits:
    """Raise a `SpecificationError`: this experiment has data only after an upload."""
    raise SpecificationError(f"{LABEL} learns from a file that you upload, but got none. {LAYOUT}")


MNIST = Experiment(
    name="mnist",
    label=LABEL,
    norms=tuple(NORMS),
    data=data,
    build=network,
    default=TrainingSpec(
        experiment="mnist",
        norms=("batch", "layer"),
        batch_sizes=(128, 4),
        rates=(0.001,),
        seeds=(0, 1),
        steps=2000,
        every=100,  # evaluating 5,000 examples takes as long as 20 steps
    ),
    heads=(PLAIN, PAPER),
    min_batch={"batch": 2},
    load_file=read,
)
