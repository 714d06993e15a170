"""The stored runs of digits that three figures of this lesson show."""

from __future__ import annotations

from dataclasses import dataclass

from lnviz.lessons.lab.trainings import trainings
from lnviz.topics.lab import EXPERIMENTS
from lnviz.topics.lab.stored import PAPERS, SIZES

DIGITS = EXPERIMENTS["digits"]
RUNS = trainings([SIZES.result], DIGITS)
"""The runs of every norm where the others are."""
ALL = trainings([SIZES.result, PAPERS.result], DIGITS)
"""The runs of every norm, and of BatchNorm as the paper has it."""


@dataclass(frozen=True)
class Images:
    """How many images each part has.

    Attributes:
        train: how many images there are to learn from.
        validation: how many there are to choose by.
        test: how many there are to test with.
    """

    train: int
    validation: int
    test: int


def images() -> Images:
    """Return how many images were learned from, and asked about."""
    data = DIGITS.data()
    return Images(len(data.train.x), len(data.validation.x), len(data.test.x))
