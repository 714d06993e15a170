"""Deep networks with and without a norm, compared on digits: what was done, and what came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from lnviz.results import DEPTH
from lnviz.results.making import read

Runs = tuple[float, ...]  # one number a seed
Curves = tuple[Runs, ...]  # of each seed, one number a point


@dataclass(frozen=True)
class Specification:
    """What is trained, the same with every norm.

    Args:
        layers: L, square ones with ReLU, before one that names the digit.
        scales: of the weights at the start, rising; at 1 they are drawn after He et al. 2015.
        seeds: one a run.
        batch: cases in a batch.
        steps: how many batches each run learns from.
        every: over how many batches a training loss is averaged.
        rate: Adam's learning rate; PyTorch's own for all, tuned for none.

    Raises:
        ValueError: a number is too small, or `every` does not divide `steps`.
    """

    layers: int = 20
    scales: tuple[float, ...] = tuple(round(2 ** (i / 6), 3) for i in range(-6, 7))
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    batch: int = 32
    steps: int = 400
    every: int = 20
    rate: float = 0.001

    def __post_init__(self) -> None:
        for name in ("layers", "batch", "steps", "every"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more, got {getattr(self, name)}.")
        if self.steps % self.every:
            raise ValueError(
                f"A loss is averaged over every {self.every} batches, to the end; got "
                f"{self.steps} steps. Use a divisor."
            )


SPECIFICATIONS = (Specification(), Specification(layers=50, scales=(1.0,)))
"""What the command trains: all weight scales, and at one of them a deeper network."""


@dataclass(frozen=True)
class Outcome:
    """What became of the networks with one norm, by weight scale.

    Attributes:
        loss: in training, the mean over each `every` batches: scales x seeds x points.
        accuracy: share of test images named right at the end: scales x seeds.
    """

    loss: tuple[Curves, ...]
    accuracy: tuple[Runs, ...]


@dataclass(frozen=True)
class Comparison:
    """Networks with every norm, trained alike.

    Attributes:
        specification: what was done.
        train: images to train on.
        test: images to test with.
        norms: by the key of the norm.
    """

    specification: Specification
    train: int
    test: int
    norms: Mapping[str, Outcome]

    @property
    def points(self) -> tuple[int, ...]:
        """After how many batches the losses stand."""
        s = self.specification
        return tuple(range(s.every, s.steps + 1, s.every))


@dataclass(frozen=True)
class Result:
    """Everything that the command makes.

    Attributes:
        comparisons: one for each specification.
        versions: of Python and the packages.
        device: what it ran on.
    """

    comparisons: tuple[Comparison, ...]
    versions: Mapping[str, str]
    device: str


def from_json(text: str) -> Result:
    """Return the result that `lnviz.results.making` has written.

    Raises:
        ValueError: the text is something else.

    >>> from_json("{}")
    Traceback (most recent call last):
    ValueError: This is no comparison of deep networks. ...
    """
    return read(text, _made, "comparison of deep networks", DEPTH)


def _made(found: dict[str, Any]) -> Result:
    comparisons = tuple(
        Comparison(
            **each
            | {
                "specification": Specification(**each["specification"]),
                "norms": {key: Outcome(**norm) for key, norm in each["norms"].items()},
            }
        )
        for each in found["comparisons"]
    )
    return Result(**found | {"comparisons": comparisons})


@cache
def stored() -> Result:
    """Return the result that the lesson shows.

    >>> stored().comparisons[0].specification.layers
    20
    """
    return from_json(DEPTH.path.read_text(encoding="utf-8"))
