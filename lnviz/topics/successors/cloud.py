"""What goes into and out of a language model's norms: what was trained, and what was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.results import CLOUD
from lnviz.results.making import read

Numbers = tuple[float, ...]
Rows = tuple[Numbers, ...]
Blocks = tuple[Rows, ...]


@dataclass(frozen=True)
class Specification:
    """What is trained, and what of it is written down.

    Args:
        layers: L, blocks of a Pre-LN Transformer.
        width: D.
        heads: of the attention.
        inner: hidden units of a feed-forward layer, with ReLU.
        context: characters of a passage.
        batch: passages in a batch.
        steps: how many batches each run learns from.
        warm_up: over how many of them the learning rate rises.
        rate: Adam's learning rate behind that.
        seeds: one a run.
        passages: of text that was not trained on that go through the norms.
        tokens: whose values are kept, spread evenly over these passages.
        units: of each of these, spread evenly over the width.
        alphas: of tanh, rising.

    Raises:
        ValueError: a number is too small.
    """

    layers: int = 6
    width: int = 64
    heads: int = 4
    inner: int = 256
    context: int = 32
    batch: int = 8
    steps: int = 1000
    warm_up: int = 100
    rate: float = 0.001
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    passages: int = 32
    tokens: int = 48
    units: int = 16
    alphas: tuple[float, ...] = tuple(round(0.01 * 10 ** (i / 32), 4) for i in range(81))

    def __post_init__(self) -> None:
        for name in ("context", "batch", "steps", "warm_up", "passages", "tokens", "units"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more, got {getattr(self, name)}.")

    @property
    def names(self) -> tuple[str, ...]:
        """The norms on the way from text to scores."""
        parts = ("attention", "feed-forward layer")
        blocks = range(1, self.layers + 1)
        return (*(f"block {n}, before the {part}" for n in blocks for part in parts), "the last")


@dataclass(frozen=True)
class Cloud:
    """What goes through the norms of the models, before training or after it.

    Points and tanh are those of the first seed; all seeds have the rest.

    Attributes:
        inputs: norms x tokens x units.
        means: of all units of a token, norms x tokens.
        stds: their standard deviations, norms x tokens.
        heights: that tanh is multiplied by to fit best, norms x alphas.
        shifts: that is added to it, norms x alphas.
        left: share of the outputs' variance that is then not explained, norms x alphas.
        alpha: that fits best, seeds x norms.
        bent: share that is not explained by tanh with it, seeds x norms.
        straight: share that is not explained by the best straight line, seeds x norms.
        spread: the largest standard deviation of a token beside the smallest, seeds x norms.
        loss: on text that was not trained on, in nats a character, by seed.
    """

    inputs: Blocks
    means: Rows
    stds: Rows
    heights: Rows
    shifts: Rows
    left: Rows
    alpha: Rows
    bent: Rows
    straight: Rows
    spread: Rows
    loss: Numbers


@dataclass(frozen=True)
class Clouds:
    """Everything that the command makes.

    Attributes:
        specification: what was done.
        before: training.
        after: it.
        versions: of Python and the packages.
        device: what it ran on.
    """

    specification: Specification
    before: Cloud
    after: Cloud
    versions: Mapping[str, str]
    device: str


@dataclass(frozen=True, eq=False)
class Fit:
    r"""Curves $h \tanh(\alpha x) + s$ through points, each with the h and s that fit best.

    Attributes:
        height: h, by alpha.
        shift: s, by alpha.
        left: share of the points' variance that is not explained, by alpha.
        straight: the share that the best straight line leaves.
    """

    height: Float[Tensor, " A"]
    shift: Float[Tensor, " A"]
    left: Float[Tensor, " A"]
    straight: Float[Tensor, ""]


def fit(
    x: Float[Tensor, " points"], y: Float[Tensor, " points"], alphas: Float[Tensor, " A"]
) -> Fit:
    """Fit tanh to points by least squares, for every alpha, and a straight line.

    >>> x = torch.linspace(-3, 3, 7)
    >>> found = fit(x, 2 * torch.tanh(0.5 * x) + 1, torch.tensor([0.25, 0.5, 1.0]))
    >>> found.left.argmin(), found.height[1].round(decimals=3)
    (tensor(1), tensor(2.))
    """
    bent = torch.tanh(alphas[:, None] * x)  # A,points
    slope, left = _regression(bent, y)
    return Fit(
        slope,
        y.mean() - slope * bent.mean(-1),
        left,
        _regression(x, y)[1],
    )


def _regression(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Slope of the best line, and the share of y's variance that it does not explain."""
    x, y = x - x.mean(-1, keepdim=True), y - y.mean()
    together = (x * y).mean(-1)
    slope = together / x.square().mean(-1)
    return slope, (1 - slope * together / y.square().mean()).clamp(min=0)


def from_json(text: str) -> Clouds:
    """Return the result that `lnviz.results.making` has written.

    Raises:
        ValueError: the text is something else.

    >>> from_json("{}")
    Traceback (most recent call last):
    ValueError: This is no record of what goes through norms. ...
    """
    return read(text, _made, "record of what goes through norms", CLOUD)


def _made(found: dict[str, Any]) -> Clouds:
    return Clouds(
        **found
        | {
            "specification": Specification(**found["specification"]),
            "before": Cloud(**found["before"]),
            "after": Cloud(**found["after"]),
        }
    )


@cache
def stored() -> Clouds:
    """Return the result that the lesson shows.

    >>> len(stored().specification.names)
    13
    """
    return from_json(CLOUD.path.read_text(encoding="utf-8"))
