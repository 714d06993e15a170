"""The stored runs of digits that three figures of this lesson show."""

from __future__ import annotations

from dataclasses import dataclass

from lnviz.lessons.lab.trainings import load_trainings
from lnviz.topics.lab import EXPERIMENTS
from lnviz.topics.lab.stored import PAPERS, SIZES

DIGITS = EXPERIMENTS["digits"]
RUNS = load_trainings([SIZES.result], DIGITS)
"""The runs of every norm in the hidden layers."""
ALL = load_trainings([SIZES.result, PAPERS.result], DIGITS)
"""The runs of every norm, and of BatchNorm as in the paper."""


@dataclass(frozen=True)
class ImageCounts:
    """The number of images of each split.

    Attributes:
        train: the number of training images.
        validation: the number of validation images.
        test: the number of test images.
    """

    train: int
    validation: int
    test: int


def image_counts() -> ImageCounts:
    """Return the number of images of each split."""
    data = DIGITS.data()
    return ImageCounts(len(data.train.x), len(data.validation.x), len(data.test.x))
