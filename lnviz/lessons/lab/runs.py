"""The stored runs as tensors, in the order in which the figures of this lesson have them."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Readout, Slider
from lnviz.norms import CATALOGUE
from lnviz.results.making import made_with
from lnviz.topics.lab.comparison import Trained, stored
from lnviz.topics.lab.digits import PAPER, PLAIN

SIZES = tuple(sorted(stored().specification.batch_sizes))
NORMS = stored().specification.norms
POINTS = stored().points[1:]  # before the first step nothing has been learned
SEEDS = len(stored().specification.seeds)
HEADS = (PLAIN, PAPER)


def size_slider(address: str) -> Slider:
    """A slider over the batch sizes, with a name of its own in the address."""
    sizes = tuple(float(size) for size in SIZES)
    return Slider("batch size", sizes, sizes[-1], decimals=0, address=address)


def step_slider(address: str, start: int) -> Slider:
    """A slider over the measured steps, with a name of its own in the address."""
    steps = tuple(float(step) for step in POINTS)
    return Slider("step", steps, float(start), decimals=0, walks=True, address=address)


def label(norm: str) -> str:
    """What a norm is called in a sentence, at its beginning or after a colon."""
    return CATALOGUE[norm].label


@cache
def measured(norm: str, attribute: str, head: str = PLAIN) -> Float[Tensor, "sizes *of points"]:
    """What was measured of a norm, by batch size; NaN where there are no runs.

    Shared between callers: do not write into it.
    """
    found = [stored().find(norm, size, head) for size in SIZES]
    tensors = [None if each is None else _tensor(each, attribute) for each in found]
    some = next(each for each in tensors if each is not None)
    blank = torch.full_like(some, math.nan)
    return torch.stack([blank if each is None else each for each in tensors])[..., 1:]


def _tensor(trained: Trained, attribute: str) -> Tensor:
    # NumPy takes what was not measured, None, for NaN.
    return torch.from_numpy(np.array(getattr(trained, attribute), dtype=np.float64))


def specification() -> tuple[Readout, ...]:
    """What was trained, from the result itself."""
    result, s = stored(), stored().specification
    return (
        Readout(
            f"The network: 64 pixels, two hidden layers of 100 units with ReLU, 10 classes; the "
            f"norm stands before ReLU. {result.train:,} images to learn from, {result.validation} "
            f"to choose by, {result.test} to test with in the end. {s.steps:,} steps, the same for "
            f"all; Adam with a learning rate of {s.rates[0]:g} for all, tuned for none; seeds "
            f"{s.seeds[0]} to {s.seeds[-1]}. A seed decides the images of each step, whatever the "
            f"norm. Measured every {s.every} steps."
        ),
        Readout(made_with(result.versions, result.device)),
    )
