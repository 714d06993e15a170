"""Lab experiment: an LSTM that reads images of digits row by row and classifies them."""

from __future__ import annotations

from functools import partial

from torch import nn

from lnviz.topics.lab.digits import CLASSES, data
from lnviz.topics.recurrence.cells import BATCH_GAIN, LSTMCell
from lnviz.topics.recurrence.reader import NetworkKind, SequenceClassifier
from lnviz.training.experiment import Experiment, TrainingSpec

ROWS, UNITS = 8, 32
GAINS = {"none": 1.0, "layer": 1.0, "rms": 1.0, "batch": BATCH_GAIN}
"""Initial gain of each norm."""


def build(norm: str, head: str) -> nn.Module:
    """Return an untrained LSTM with the given norm, which classifies a digit after its last row."""
    kind = NetworkKind("LSTM", LSTMCell, norm, GAINS[norm])
    return SequenceClassifier(kind.build(ROWS, UNITS, ROWS), CLASSES)


SEQUENCES = Experiment(
    name="sequences",
    label="A recurrent network that reads digits",
    norms=tuple(GAINS),
    data=partial(data, (ROWS, ROWS)),
    build=build,
    logits=lambda output: output[:, -1],
    default=TrainingSpec(
        experiment="sequences",
        norms=("none", "batch", "layer"),
        batch_sizes=(32, 4),
        rates=(0.005,),
        seeds=(0, 1, 2, 3, 4),
        steps=1000,
    ),
    min_batch={"batch": 2},
)
