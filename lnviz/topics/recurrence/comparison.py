"""Recurrent networks compared on digits: what was done, and what came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from lnviz.results import RECURRENCE
from lnviz.results.making import read

Numbers = tuple[float, ...]


@dataclass(frozen=True)
class Specification:
    """What is trained, the same for every kind of network.

    A network reads a digit and then waits for some empty steps; asked at the end, it names the
    digit. In training each batch waits for a time of its own, drawn from 0 to `longest_wait`.

    Args:
        reading: `"rows"`, 8 steps of 8 pixels, or `"pixels"`, 64 steps of one.
        units: H, of the state.
        batch: cases in a batch; 8 as in the handwriting experiment of Ba, Kiros and Hinton 2016.
        steps: how many batches each run learns from.
        rate: Adam's learning rate, the same for all, chosen for none of them.
        longest_wait: in training, in empty steps.
        waits: after which the trained networks are asked, in empty steps, rising.
        every: after how many batches the test images are asked about.
        seeds: one a run.

    Raises:
        ValueError: a number is too small, or `every` does not divide `steps`.
    """

    reading: str = "rows"
    units: int = 32
    batch: int = 8
    steps: int = 1000
    rate: float = 0.01
    longest_wait: int = 8
    waits: tuple[int, ...] = (0, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
    every: int = 25
    seeds: tuple[int, ...] = tuple(range(8))

    def __post_init__(self) -> None:
        for name, least in (("units", 2), ("batch", 2), ("steps", 1), ("longest_wait", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be {least} or more, got {getattr(self, name)}.")
        if self.every < 1 or self.steps % self.every:
            raise ValueError(
                f"The test images are asked about after every so many batches and at the end, got "
                f"every={self.every} for {self.steps} steps. Use a divisor."
            )


@dataclass(frozen=True)
class Outcome:
    """What became of one kind of network. Lists over the runs come first.

    Attributes:
        label: as printed.
        parameters: how many numbers one network learns.
        loss: in training, the mean over each `every` batches: runs x points.
        test_loss: over the test images after the longest wait of training: runs x points.
        accuracy: share of test images named right, then: runs x points.
        accuracy_after: share named right at the end of training, after each of the specification's
            waits: runs x waits.
    """

    label: str
    parameters: int
    loss: tuple[Numbers, ...]
    test_loss: tuple[Numbers, ...]
    accuracy: tuple[Numbers, ...]
    accuracy_after: tuple[Numbers, ...]


@dataclass(frozen=True)
class Remembered:
    """What a recurrent BatchNorm remembers after training: steps x units, of the first seed.

    Attributes:
        mean: running means.
        var: running variances.
    """

    mean: tuple[Numbers, ...]
    var: tuple[Numbers, ...]


@dataclass(frozen=True)
class Comparison:
    """Every kind of network, trained alike.

    Attributes:
        specification: what was done.
        read: steps it takes to read a digit.
        train: images to train on.
        test: images to test with.
        points: after how many batches the losses and accuracies stand.
        kinds: by the key of the kind.
        remembered: of the first kind with BatchNorm, by the name of the norm: `norm_ih`,
            `norm_hh` and `norm_cell`.
        versions: of Python and the packages.
        device: what it ran on.
    """

    specification: Specification
    read: int
    train: int
    test: int
    points: tuple[int, ...]
    kinds: Mapping[str, Outcome]
    remembered: Mapping[str, Remembered]
    versions: Mapping[str, str]
    device: str

    @property
    def longest(self) -> int:
        """Steps of the longest sequence in training."""
        return self.read + self.specification.longest_wait

    @property
    def lengths(self) -> tuple[int, ...]:
        """Steps of the sequences after each wait, in all."""
        return tuple(self.read + wait for wait in self.specification.waits)


def from_json(text: str) -> Comparison:
    """Return the comparison that `lnviz.results.making` has written.

    Args:
        text: JSON.

    Raises:
        ValueError: the text is something else.

    >>> from_json("{}")
    Traceback (most recent call last):
    ValueError: This is no comparison of recurrent networks. ...
    """
    return read(text, _made, "comparison of recurrent networks", RECURRENCE)


def _made(found: dict[str, Any]) -> Comparison:
    return Comparison(
        **found
        | {
            "specification": Specification(**found["specification"]),
            "kinds": {key: Outcome(**kind) for key, kind in found["kinds"].items()},
            "remembered": {key: Remembered(**n) for key, n in found["remembered"].items()},
        }
    )


@cache
def stored() -> Comparison:
    """Return the comparison that the lesson shows.

    >>> stored().lengths[0]
    8
    """
    return from_json(RECURRENCE.path.read_text(encoding="utf-8"))
