"""Handwritten digits as pixel sequences, optionally followed by empty time steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.data.examples import TEST_EVERY, digit_images

CLASSES = 10
READINGS = ("rows", "pixels")


@dataclass(frozen=True, eq=False)
class Sequences:
    """Digit sequences and their labels. Callers share the tensors: do not modify them.

    Attributes:
        x: examples x steps x inputs, pixels from 0 to 1.
        labels: the digit of each example.
    """

    x: Float[Tensor, "N T I"]
    labels: Int[Tensor, " N"]


@dataclass(frozen=True, eq=False)
class SequenceSplit:
    """The training set and the test set of the digit sequences."""

    train: Sequences
    test: Sequences


@lru_cache(maxsize=2)
def digit_sequences(reading: str = "rows") -> SequenceSplit:
    """Return scikit-learn's `load_digits` images as sequences of rows or of single pixels.

    For each digit, every fifth image is in the test set: 355 of 1,797.

    Args:
        reading: `"rows"`, 8 steps of 8 pixels, or `"pixels"`, 64 steps of one pixel.

    Returns:
        Sequences of shapes (1442, T, I) and (355, T, I).

    Raises:
        ValueError: the reading is unknown.

    Source: E. Alpaydin and C. Kaynak 1998, Optical Recognition of Handwritten Digits, UCI Machine
        Learning Repository.

    >>> digit_sequences("pixels").test.x.shape
    torch.Size([355, 64, 1])
    """
    if reading not in READINGS:
        raise ValueError(f"A digit is read by {' or '.join(READINGS)}, got {reading!r}.")
    digits = digit_images()
    x = digits.images.view(-1, 8, 8) if reading == "rows" else digits.images[..., None]
    labels = digits.targets
    kept = digits.ordinal % TEST_EVERY == 0
    return SequenceSplit(Sequences(x[~kept], labels[~kept]), Sequences(x[kept], labels[kept]))


def append_empty_steps(
    x: Float[Tensor, "*cases T I"], steps: int
) -> Float[Tensor, "*cases more I"]:
    """Append zeros to sequences, so that a network has to remember what it has read.

    Args:
        x: sequences.
        steps: number of empty steps, 0 or more.

    Raises:
        ValueError: the number of steps is negative.

    >>> append_empty_steps(torch.ones(1, 2, 1), 3).flatten()
    tensor([1., 1., 0., 0., 0.])
    """
    if steps < 0:
        raise ValueError(f"Waiting takes 0 steps or more, got {steps}.")
    return torch.nn.functional.pad(x, (0, 0, 0, steps))
