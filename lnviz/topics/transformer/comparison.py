"""Language models with and without warm-up, compared: what was done, and what came out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from lnviz.results import WARMUP
from lnviz.results.making import read

Number = float | None  # None where it is not finite
Runs = tuple[Number, ...]  # one number a seed
Curves = tuple[Runs, ...]  # of each seed, one number a point
MARGIN = 0.1
"""By how many nats a model has to be better than the characters' frequencies."""


@dataclass(frozen=True)
class Specification:
    """What is trained, the same for both placements, with and without warm-up.

    The learning rate of Adam is constant; with warm-up it gets there in a straight line.

    Args:
        layers: L.
        width: D.
        heads: of the attention.
        inner: hidden units of a feed-forward layer, with ReLU.
        context: characters of a passage.
        batch: passages in a batch.
        steps: how many batches each run learns from.
        warm_up: over how many of them the learning rate rises.
        every: over how many batches a training loss is averaged.
        rates: learning rates, rising.
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
    steps: int = 600
    warm_up: int = 200
    every: int = 20
    rates: tuple[float, ...] = (0.0003, 0.001, 0.002, 0.003, 0.005, 0.01)
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)

    def __post_init__(self) -> None:
        for name in ("context", "batch", "steps", "warm_up", "every"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more, got {getattr(self, name)}.")
        if self.steps % self.every:
            raise ValueError(
                f"A loss is averaged over every {self.every} batches, to the end; got "
                f"{self.steps} steps. Use a divisor."
            )


@dataclass(frozen=True)
class Outcome:
    """What became of the models of one placement, with or without warm-up, by learning rate.

    Attributes:
        curve: loss in training, the mean over each `every` batches: rates x seeds x points.
        loss: on text that was not trained on, in nats a character: rates x seeds.
        offset: mean beside root mean square in the residual stream, before the first block and
            behind each, on average over that text: rates x seeds x points.
    """

    curve: tuple[Curves, ...]
    loss: tuple[Runs, ...]
    offset: tuple[Curves, ...]


@dataclass(frozen=True)
class Comparison:
    """Language models of two placements, trained alike.

    Attributes:
        specification: what was done.
        frequencies: loss of a model that knows how frequent each character is, and nothing else, on
            the same text: in nats a character.
        without: without warm-up, by the key of the placement.
        warmed: with warm-up, by the key of the placement.
        versions: of Python and the packages.
        device: what it ran on.
    """

    specification: Specification
    frequencies: float
    without: Mapping[str, Outcome]
    warmed: Mapping[str, Outcome]
    versions: Mapping[str, str]
    device: str

    @property
    def points(self) -> tuple[int, ...]:
        """After how many batches the training losses stand."""
        s = self.specification
        return tuple(range(s.every, s.steps + 1, s.every))

    def failed(self, outcome: Outcome) -> tuple[tuple[bool, ...], ...]:
        """Say of each run whether it diverged or learned little more than frequencies.

        Args:
            outcome: one of this comparison's.

        Returns:
            Rates x seeds: whether the loss is not finite, or not `MARGIN` below `frequencies`.
        """
        most = self.frequencies - MARGIN
        return tuple(tuple(loss is None or loss > most for loss in runs) for runs in outcome.loss)

    def to_json(self) -> str:
        """Return all of it as JSON; `from_json` reads it."""
        return json.dumps(asdict(self), separators=(",", ":"), allow_nan=False) + "\n"


def from_json(text: str) -> Comparison:
    """Return the comparison that `Comparison.to_json` has written.

    Raises:
        ValueError: the text is something else.

    >>> from_json("{}")
    Traceback (most recent call last):
    ValueError: This is no comparison of language models. ...
    """
    return read(text, _made, "comparison of language models", WARMUP)


def _made(found: dict[str, Any]) -> Comparison:
    def outcomes(by_placement: dict[str, Any]) -> dict[str, Outcome]:
        return {key: Outcome(**each) for key, each in by_placement.items()}

    return Comparison(
        **found
        | {
            "specification": Specification(**found["specification"]),
            "without": outcomes(found["without"]),
            "warmed": outcomes(found["warmed"]),
        }
    )


@cache
def stored() -> Comparison:
    """Return the comparison that the lesson shows.

    >>> list(stored().without)
    ['post', 'pre']
    """
    return from_json(WARMUP.path.read_text(encoding="utf-8"))
