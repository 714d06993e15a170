"""Data of the grid figure: the visible part of the examples, and each norm's steps on it."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.data.examples import Examples
from lnviz.lessons.data_parameters import to_tensor
from lnviz.norms import BATCH, LAYER, RMS, Norm, group_norm
from lnviz.topics.batch import NormalizationSteps, walk

SHOWN_CASES, SHOWN_UNITS = 16, 6
MOST_TERMS = 16  # of a sum that is written out
EPS = 1e-5
# Arbitrary distinct values, as in `grid_code.py`.
GAINS, BIASES = (1.5, 0.5, 1.0, 2.0), (0.0, 0.5, -0.5)


@dataclass(frozen=True, eq=False)
class Window:
    """The visible part of the data, and each norm's intermediate results on it.

    Attributes:
        source: The data.
        cases: The cases in the window: they are the batch.
        units: The units in the window; there may be more.
        norms: The norms on offer.
        gain: A gain for each unit.
        bias: A bias for each unit.
        walk: The steps of each norm, at every batch size.
    """

    source: Examples
    cases: slice
    units: slice
    norms: tuple[Norm, ...]
    gain: Float[Tensor, " D"]
    bias: Float[Tensor, " D"]
    walk: NormalizationSteps

    @property
    def batch(self) -> Float[Tensor, "N D"]:
        """The examples in the window, with all their features; they are the batch."""
        return self.source.values[self.cases]

    @property
    def shown(self) -> Float[Tensor, "N U"]:
        """The visible values: the window's examples, with the window's features only."""
        return self.batch[:, self.units]

    def size(self, norm: Norm) -> int:
        """Return how many features of one example share their statistics under this norm."""
        return self.batch.shape[1] // (norm.group_count or 1)


def window(source: Examples, case: int, unit: int) -> Window:
    """Return the window that begins at an example and a feature, shifted to fit into the data."""
    n, width = source.values.shape
    cases = _window(case, SHOWN_CASES, n)
    units = _window(unit, SHOWN_UNITS, width)
    index = torch.arange(width)
    gain, bias = to_tensor(GAINS)[index % len(GAINS)], to_tensor(BIASES)[index % len(BIASES)]
    norms = _norms(width)
    steps = walk(norms, source.values[cases], units, gain=gain, bias=bias, eps=EPS, room=MOST_TERMS)
    return Window(source, cases, units, norms, gain, bias, steps)


def _window(first: int, length: int, count: int) -> slice:
    start = min(first - 1, max(0, count - length))
    return slice(start, min(count, start + length))


def _norms(width: int) -> tuple[Norm, ...]:
    """Return the norms that the grid figure offers; GroupNorm needs a non-prime feature count."""
    count = next((n for n in range(2, isqrt(width) + 1) if width % n == 0), None)
    return (BATCH, LAYER, *((group_norm(count),) if count else ()), RMS)
