"""Lab experiment: a fully connected network that classifies the examples of an uploaded table."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from lnviz.data.examples import TEST_EVERY
from lnviz.data.uploads.labeled_table import LAYOUT, read_labeled
from lnviz.topics.lab.digits import NORMS, PAPER, PLAIN, network
from lnviz.training.experiment import (
    DataSplit,
    DataSplits,
    Experiment,
    SpecificationError,
    TrainingSpec,
)

LABEL = "A network for a table of your own"
SEED = 0
"""Seed of the splits, which are the same for all runs."""


def read(raw: bytes) -> DataSplits:
    """Return the training, validation and test splits of an uploaded table, standardized.

    For each class, a random fifth of the examples is in the test split, and another fifth in the
    validation split. All splits are standardized with the training split's mean and variance; a
    feature that is constant in the training split is only centered.

    Args:
        raw: content of the file.

    Raises:
        UploadError: the content is not a table with labels.
    """
    table = read_labeled(raw)
    drawn = torch.randperm(len(table.targets), generator=torch.Generator().manual_seed(SEED))
    by_class = drawn[table.targets[drawn].argsort(stable=True)]
    x, targets = table.inputs[by_class].double(), table.targets[by_class]
    ordinal = torch.arange(len(x)) % TEST_EVERY  # five consecutive examples of a class differ
    train = x[ordinal > 1]
    spread, mean = torch.std_mean(train, 0, correction=0)
    x = ((x - mean) / spread.where((train != train[0]).any(0), 1)).float()
    return DataSplits(
        *(DataSplit(x[part], targets[part]) for part in (ordinal > 1, ordinal == 1, ordinal == 0))
    )


def sizes(data: DataSplits) -> Mapping[str, int]:
    """Return the numbers of input features and classes, as keyword arguments for `network`."""
    return {"inputs": data.train.x.shape[1], "classes": int(data.train.targets.max()) + 1}


def data() -> DataSplits:
    """Raise a `SpecificationError`: this experiment has data only after an upload."""
    raise SpecificationError(f"{LABEL} learns from a file that you upload, but got none. {LAYOUT}")


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
