"""How large the mean is in language models as they train, and whether they need it taken out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from lnviz.results import CENTERING
from lnviz.results.making import read

PASSAGES = 64  # of text that is not trained on, evenly spaced, that models are measured with

Runs = tuple[float, ...]  # one number a seed
Places = tuple[Runs, ...]  # of each seed, one number for every norm that the stream meets


@dataclass(frozen=True)
class Specification:
    """What is trained, with LayerNorm and with RMSNorm alike.

    Args:
        layers: L.
        width: D.
        heads: of the attention.
        inner: hidden units of a feed-forward layer, with ReLU.
        context: characters of a passage.
        batch: passages in a batch.
        steps: how many batches each run learns from.
        every: after how many of them a run is measured.
        rate: Adam's learning rate.
        seeds: one a run.

    Raises:
        ValueError: a number is too small, or `every` does not divide `steps`.
    """

    layers: int = 6
    width: int = 32
    heads: int = 2
    inner: int = 64
    context: int = 16
    batch: int = 8
    steps: int = 500
    every: int = 20
    rate: float = 0.003
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)

    def __post_init__(self) -> None:
        for name in ("context", "batch", "steps", "every"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more, got {getattr(self, name)}.")
        if not self.seeds:
            raise ValueError("seeds must be 1 or more, got none.")
        if self.steps % self.every:
            raise ValueError(
                f"Runs are measured after every {self.every} batches, to the end; got "
                f"{self.steps} steps. Use a divisor."
            )

    @property
    def points(self) -> tuple[int, ...]:
        """After how many batches the runs are measured."""
        return tuple(range(0, self.steps + 1, self.every))

    @property
    def norms(self) -> tuple[str, ...]:
        """What the residual stream meets on its way, by the sublayer behind it."""
        pairs = [(f"attention {n}", f"feed-forward {n}") for n in range(1, self.layers + 1)]
        return (*(name for pair in pairs for name in pair), "read-out")


@dataclass(frozen=True)
class Outcome:
    """Models with one norm, at every point.

    Attributes:
        offset: mean beside root mean square of what comes to each norm, on average over text that
            was not trained on: points x seeds x norms.
        size: root mean square there, likewise.
        loss: on that text, in nats a character: points x seeds.
    """

    offset: tuple[Places, ...]
    size: tuple[Places, ...]
    loss: tuple[Runs, ...]


@dataclass(frozen=True)
class Rewritten:
    """The models with LayerNorm again, their LayerNorms replaced by RMSNorms, at every point.

    Attributes:
        difference: the largest change of a score of any character: points x seeds.
        exact: the same, in numbers of 64 bits.
        loss: in nats a character: points x seeds.
    """

    difference: tuple[Runs, ...]
    exact: tuple[Runs, ...]
    loss: tuple[Runs, ...]


@dataclass(frozen=True)
class Means:
    """What became of all models.

    Attributes:
        specification: what was done.
        norms: models with each norm, by its key in the catalogue.
        centered: means taken out of the weights first.
        replaced: nothing else changed.
        versions: of Python and the packages.
        device: what it ran on.
    """

    specification: Specification
    norms: Mapping[str, Outcome]
    centered: Rewritten
    replaced: Rewritten
    versions: Mapping[str, str]
    device: str


def at_random(width: int) -> float:
    r"""How large the mean is beside the root mean square of a direction drawn at random.

    It is the size of one coordinate of a random unit vector, on average:

    $$\frac{\Gamma(D / 2)}{\sqrt\pi\, \Gamma((D + 1) / 2)}$$

    Args:
        width: D, how many components there are.

    >>> round(at_random(48), 4)
    0.1158
    """
    return math.exp(math.lgamma(width / 2) - math.lgamma((width + 1) / 2)) / math.sqrt(math.pi)


def from_json(text: str) -> Means:
    """Return what `python -m lnviz.topics.transformer.centering` has written.

    Raises:
        ValueError: the text is something else.

    >>> from_json("{}")
    Traceback (most recent call last):
    ValueError: This is no measurement of means. ...
    """
    return read(text, _made, "measurement of means", CENTERING)


def _made(found: dict[str, Any]) -> Means:
    return Means(
        **found
        | {
            "specification": Specification(**found["specification"]),
            "norms": {key: Outcome(**each) for key, each in found["norms"].items()},
            "centered": Rewritten(**found["centered"]),
            "replaced": Rewritten(**found["replaced"]),
        }
    )


@cache
def stored() -> Means:
    """Return the measurement that the lesson shows.

    >>> list(stored().norms)
    ['layer', 'rms']
    """
    return from_json(CENTERING.path.read_text(encoding="utf-8"))
