"""Setups of experiments with untrained Transformers: their inputs, sizes and initialization."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lnviz.device import device
from lnviz.norms import CATALOGUE
from lnviz.topics.transformer.block import Shape
from lnviz.topics.transformer.documentation import alphabet, encode, text

LIMIT = 4 * 2**30
"""Maximum memory of an experiment, in bytes."""


@dataclass(frozen=True)
class Setup:
    """Inputs, hyperparameters and initialization used in an experiment with untrained Transformers.

    Attributes:
        label: printed name.
        description: a sentence that describes the setup.
        heads: number of attention heads.
        inner: number of hidden units of the feed-forward layer, in multiples of the width.
        activation: the activation of the feed-forward layer.
        causal: whether a position attends only to itself and earlier ones.
        initialization: a key of `INITIALIZATIONS`.
        uses_text: whether inputs are a passage of text instead of random numbers.
    """

    label: str
    description: str
    heads: int
    inner: int
    activation: str
    causal: bool
    initialization: str
    uses_text: bool


SETUPS: Mapping[str, Setup] = {
    "theory": Setup(
        label="theory",
        description="One head, square matrices with Xavier initialization, queries and keys 0, so "
        "that every position attends equally to all; inputs and targets drawn at random.",
        heads=1,
        inner=1,
        activation="relu",
        causal=False,
        initialization="theory",
        uses_text=False,
    ),
    "default": Setup(
        label="PyTorch’s default",
        description="Four heads, a feed-forward layer four times as wide, weights as "
        "nn.TransformerEncoderLayer starts them; inputs and targets drawn at random.",
        heads=4,
        inner=4,
        activation="relu",
        causal=False,
        initialization="pytorch",
        uses_text=False,
    ),
    "text": Setup(
        label="text",
        description="Causal attention with four heads, a feed-forward layer four "
        "times as wide with GELU, "
        "weights after Xavier; inputs are characters of Python's documentation, each the sum of "
        "a character and a position embedding, standard normal; targets are the next characters.",
        heads=4,
        inner=4,
        activation="gelu",
        causal=True,
        initialization="xavier",
        uses_text=True,
    ),
}
"""The setups by key. Biases start at 0 or have no effect worth naming and are left out; gains
are 1."""


@dataclass(frozen=True)
class InitializationExperiment:
    """Settings of an experiment with untrained Transformers, one network per seed.

    Args:
        setup: a key of `SETUPS`.
        width: D.
        cases: T, number of positions; all attend to each other and count in the loss.
        classes: C, number of classes of the random targets; for text, the number of characters.
        seeds: the seeds, one per network.
        sequences: B, number of sequences over which the loss is averaged.
        heads: number of attention heads; None for the setup's number.
        norm: a key of the catalogue, without gain and bias.

    Raises:
        ValueError: a name is unknown, a number is too small, or the number of heads does not divide
            the width.
    """

    setup: str = "theory"
    width: int = 128
    cases: int = 16
    classes: int = 500
    seeds: tuple[int, ...] = tuple(range(8))
    sequences: int = 1
    heads: int | None = None
    norm: str = "layer"

    def __post_init__(self) -> None:
        for name, given, allowed in (
            ("setup", self.setup, SETUPS),
            ("norm", self.norm, CATALOGUE),
        ):
            if given not in allowed:
                raise ValueError(f"A {name} is one of {', '.join(allowed)}; got {given!r}.")
        for name, least in (("cases", 1), ("classes", 2), ("sequences", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be {least} or more, got {getattr(self, name)}.")
        if not self.seeds:
            raise ValueError("seeds must be 1 or more, got none.")
        self.shape(1)

    def shape(self, layers: int) -> Shape:
        """Return the hyperparameters of a network with this many blocks."""
        setup = SETUPS[self.setup]
        return Shape(
            width=self.width,
            layers=layers,
            heads=setup.heads if self.heads is None else self.heads,
            inner=setup.inner * self.width,
            activation=setup.activation,
            causal=setup.causal,
            bias=False,
            affine=False,
        )

    def check_memory(self, layers: int) -> None:
        """Raise an error if a forward and backward pass at this depth needs too much memory."""
        shape, runs = self.shape(layers), len(self.seeds)
        weights = layers * (4 * shape.width**2 + 2 * shape.width * shape.inner)
        positions = self.sequences * self.cases
        kept = layers * positions * (14 * shape.width + 3 * shape.inner)
        kept += layers * positions * 3 * shape.heads * self.cases
        read = self.classes * (2 * self.width + 4 * positions)
        needed = 4 * runs * (3 * weights + 2 * kept + read)
        if needed > LIMIT:
            raise ValueError(
                f"{layers} layers of width {self.width}, {positions} cases, "
                f"{self.classes} classes and {runs} seeds would need {needed / 2**30:,.0f} GiB of "
                f"memory; up to {LIMIT / 2**30:.0f} are allowed. Ask for fewer layers or seeds, or "
                f"less width."
            )


@dataclass(frozen=True, eq=False)
class Inputs:
    """Inputs, targets and unembedding matrices of untrained Transformers, one set per seed.

    Attributes:
        x: the residual stream before the first block.
        targets: a class for each position.
        readout: the fixed unembedding matrix; the output times it gives the logits.
    """

    x: Float[Tensor, "S B T D"]
    targets: Int[Tensor, "S B T"]
    readout: Float[Tensor, "S C D"]

    def loss(self, y: Float[Tensor, "S B T D"]) -> Float[Tensor, " S"]:
        """Return the cross-entropy averaged over all positions, for each seed."""
        scores = y.flatten(1, 2) @ self.readout.mT  # S,BT,C
        targets = self.targets.flatten(1)
        each = nn.functional.cross_entropy(scores.mT, targets, reduction="none")
        return each.mean(-1)


def inputs(experiment: InitializationExperiment) -> Inputs:
    """Draw the inputs, targets and unembedding matrices of an experiment, one set per seed.

    Args:
        experiment: the settings; each seed has its own inputs.

    >>> inputs(InitializationExperiment(width=8, cases=4, seeds=(0, 1))).x.shape
    torch.Size([2, 1, 4, 8])
    """
    drawn = [_input(experiment, torch.Generator().manual_seed(s)) for s in experiment.seeds]
    x, targets, readout = (torch.stack(part).to(device()) for part in zip(*drawn, strict=True))
    return Inputs(x, targets, readout)


def _input(
    e: InitializationExperiment, generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor]:
    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator)

    if SETUPS[e.setup].uses_text:
        classes = len(alphabet())
        begins = torch.randint(len(text()) - e.cases, (e.sequences,), generator=generator)
        passages = [encode(text()[begin : begin + e.cases + 1]) for begin in begins.tolist()]
        codes = torch.stack(passages)
        x, targets = normal(classes, e.width)[codes[:, :-1]], codes[:, 1:]
        x = x + normal(e.cases, e.width)
    else:
        classes = e.classes
        x = normal(e.sequences, e.cases, e.width)
        targets = torch.randint(classes, (e.sequences, e.cases), generator=generator)
    return x, targets, normal(classes, e.width) / math.sqrt(e.width)
