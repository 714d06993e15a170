"""Digits read row by row by a recurrent network."""

from __future__ import annotations

from functools import cache

from torch import nn

from lnviz.data.examples import digit_images
from lnviz.lab.digits import CLASSES, parts
from lnviz.recurrence.cells import BATCH_GAIN, LSTMCell
from lnviz.recurrence.reader import Kind, Reader
from lnviz.training.experiment import Data, Experiment, Part, Specification

ROWS, UNITS = 8, 32
GAINS = {"none": 1.0, "layer": 1.0, "rms": 1.0, "batch": BATCH_GAIN}
"""What the gains of each norm start from."""


@cache
def data() -> Data:
    """Return the digits that come with scikit-learn as sequences of 8 rows of 8 pixels."""
    digits = digit_images()
    rows = digits.images.unflatten(1, (ROWS, -1))
    return Data(*(Part(rows[p], digits.targets[p]) for p in parts(digits.targets)))


def build(norm: str, head: str) -> nn.Module:
    """Return an LSTM that names a digit when it has read all rows."""
    kind = Kind("LSTM", LSTMCell, norm, GAINS[norm])
    return Reader(kind.build(ROWS, UNITS, ROWS), CLASSES)


SEQUENCES = Experiment(
    name="sequences",
    label="A recurrent network that reads digits",
    norms=tuple(GAINS),
    data=data,
    build=build,
    scores=lambda output: output[:, -1],
    default=Specification(
        experiment="sequences",
        norms=("none", "batch", "layer"),
        batch_sizes=(32, 4),
        rates=(0.005,),
        seeds=(0, 1, 2, 3, 4),
        steps=1000,
    ),
    fewest={"batch": 2},
)
