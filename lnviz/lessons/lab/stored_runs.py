"""The stored training runs on digits, shared by three figures of /lab."""

from __future__ import annotations

from dataclasses import dataclass

from lnviz.lessons.lab.trainings import load_trainings
from lnviz.topics.lab import EXPERIMENTS
from lnviz.topics.lab.stored import PAPERS, SIZES

DIGITS = EXPERIMENTS["digits"]
RUNS = load_trainings([SIZES.result], DIGITS)
"""The stored runs of every norm, applied in the hidden layers only."""
ALL = load_trainings([SIZES.result, PAPERS.result], DIGITS)
"""The stored runs of every norm, and of BatchNorm placed as in Ba et al. (2016)."""


@dataclass(frozen=True)
class ImageCounts:
    """The number of images in the training, validation and test splits.

    Attributes:
        train: the number of training images.
        validation: the number of validation images.
        test: the number of test images.
    """

    train: int
    validation: int
    test: int


def image_counts() -> ImageCounts:
    """Return the number of images in each split of the digits data set."""
    data = DIGITS.data()
    return ImageCounts(len(data.train.x), len(data.validation.x), len(data.test.x))
