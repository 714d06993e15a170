"""A reader's own table: the small network of the digits, of the sizes that the table asks for."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from lnviz.data.examples import TEST_EVERY
from lnviz.data.uploads.labeled_table import LAYOUT, read_labeled
from lnviz.topics.lab.digits import NORMS, PAPER, PLAIN, network
from lnviz.training.experiment import (
    DataSplits,
    Experiment,
    SpecificationError,
    Split,
    TrainingSpec,
)

LABEL = "A network for a table of your own"
SEED = 0
"""Draws the examples that are held out: the same ones for all runs, which are to be compared."""


def read(raw: bytes) -> DataSplits:
    """Return the examples of a table; each feature has mean 0 and variance 1 where it is learned.

    Of each class a fifth is for testing and a fifth for choosing, drawn. What the learned examples
    have for mean and variance standardizes the others, too; a feature that is constant in them is
    only centered.

    Args:
        raw: the file's content.

    Raises:
        UploadError: it is something else.
    """
    table = read_labeled(raw)
    drawn = torch.randperm(len(table.targets), generator=torch.Generator().manual_seed(SEED))
    by_class = drawn[table.targets[drawn].argsort(stable=True)]
    x, targets = table.inputs[by_class].double(), table.targets[by_class]
    turn = torch.arange(len(x)) % TEST_EVERY  # of 5 examples of a class each has another one
    learned = x[turn > 1]
    spread, mean = torch.std_mean(learned, 0, correction=0)
    x = ((x - mean) / spread.where((learned != learned[0]).any(0), 1)).float()
    return DataSplits(*(Split(x[part], targets[part]) for part in (turn > 1, turn == 1, turn == 0)))


def sizes(data: DataSplits) -> Mapping[str, int]:
    """Return how many features and classes a table has."""
    return {"inputs": data.train.x.shape[1], "classes": int(data.train.targets.max()) + 1}


def data() -> DataSplits:
    """Ask for a file."""
    raise SpecificationError(f"{LABEL} learns from a file that you bring, got none. {LAYOUT}")


TABLE = Experiment(
    name="table",
    label=LABEL,
    norms=tuple(NORMS),
    data=data,
    build=network,
    default=TrainingSpec(
        experiment="table",
        norms=("none", "batch", "layer", "rms"),
        batch_sizes=(32, 4),
        rates=(0.001,),
        seeds=(0, 1, 2, 3, 4),
        steps=1000,
    ),
    heads=(PLAIN, PAPER),
    min_batch={"batch": 2},
    load_file=read,
    model_sizes=sizes,
)
