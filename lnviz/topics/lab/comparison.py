"""Digits trained under the lab's norms in batches of four sizes: what was done, what came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from lnviz.results import LAB
from lnviz.results.making import read
from lnviz.topics.lab.digits import NORMS, PAPER, PLAIN
from lnviz.training.experiment import Specification

Numbers = tuple[float | None, ...]  # None: not finite, or none yet
Runs = tuple[Numbers, ...]  # of each seed, one number a point

SPECIFICATION = Specification(
    experiment="digits",
    norms=tuple(NORMS),
    batch_sizes=(128, 32, 4, 1),
    rates=(0.001,),
    seeds=(0, 1, 2, 3, 4),
    steps=2000,
    head=PLAIN,
)
"""What the command trains."""


def as_in_the_paper(specification: Specification) -> Specification:
    """Return what else it trains: BatchNorm as the paper has it, before the softmax, too."""
    return replace(specification, norms=("batch",), head=PAPER)


@dataclass(frozen=True)
class Trained:
    """The runs of one norm at one batch size, one a seed.

    Attributes:
        norm: its key.
        batch_size: cases that one step learned from.
        head: "plain", or "paper" where a norm stands before the softmax, too.
        seconds: of training all seeds at once, at every point.
        loss: on the batches since the point before, in nats: seeds x points; None at the first.
        validation_loss: in nats, seeds x points.
        validation_error: share named wrong, seeds x points.
        test_loss: in nats at the end, of each seed.
        test_error: share named wrong at the end, of each seed.
        activations: root mean square of what each linear layer returns, mean over the seeds: layers
            x points.
        gradients: root mean square of each weight's gradient at the last batch, likewise; 0 at the
            first point.
        gains: mean over the units of each norm, mean over the seeds: norms x points.
        gain_spreads: their standard deviation over the units, likewise.
    """

    norm: str
    batch_size: int
    head: str
    seconds: Numbers
    loss: Runs
    validation_loss: Runs
    validation_error: Runs
    test_loss: Numbers
    test_error: Numbers
    activations: Runs
    gradients: Runs
    gains: Runs
    gain_spreads: Runs


@dataclass(frozen=True)
class Comparison:
    """Everything that the command makes.

    Attributes:
        specification: what was done, all but BatchNorm as in the paper.
        points: after how many steps something was measured.
        trained: every group of runs.
        train: images to learn from.
        validation: images to choose by.
        test: images to test with.
        versions: of Python and the packages.
        device: what it ran on.
    """

    specification: Specification
    points: tuple[int, ...]
    trained: tuple[Trained, ...]
    train: int
    validation: int
    test: int
    versions: Mapping[str, str]
    device: str

    def find(self, norm: str, batch_size: int, head: str = PLAIN) -> Trained | None:
        """Return the runs of a norm at a batch size, if there are any."""
        wanted = (norm, batch_size, head)
        found = (t for t in self.trained if (t.norm, t.batch_size, t.head) == wanted)
        return next(found, None)


def from_json(text: str) -> Comparison:
    """Return the comparison that `lnviz.results.making` has written.

    Raises:
        ValueError: the text is something else.

    >>> from_json("{}")
    Traceback (most recent call last):
    ValueError: This is no comparison of norms. ...
    """
    return read(text, _made, "comparison of norms", LAB)


def _made(found: dict[str, Any]) -> Comparison:
    specification = Specification(**found["specification"])
    trained = tuple(Trained(**each) for each in found["trained"])
    return Comparison(**found | {"specification": specification, "trained": trained})


@cache
def stored() -> Comparison:
    """Return the comparison that the lesson shows.

    >>> stored().specification.batch_sizes
    (128, 32, 4, 1)
    """
    return from_json(LAB.path.read_text(encoding="utf-8"))
