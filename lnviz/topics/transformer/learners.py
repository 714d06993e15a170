"""Language models that learn from Python's documentation: what is measured of them begins so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import torch
from jaxtyping import Int
from torch import Tensor

from lnviz.norms import LAYER, Norm
from lnviz.topics.transformer.block import Shape
from lnviz.topics.transformer.documentation import alphabet, encoded, text
from lnviz.topics.transformer.language import LanguageModel
from lnviz.topics.transformer.placements import PRE, Placement
from lnviz.training import sample_batches

TESTED = 0.1  # share of the text, its end, that is not trained on
PASSAGES = 64  # of it, evenly spaced, that models are measured with
QUICK = {"layers": 2, "width": 8, "heads": 2, "inner": 8, "context": 6, "batch": 3}
"""Sizes of models that learn in a moment."""


@dataclass(frozen=True)
class Learners:
    """What is trained, whatever is compared.

    Args:
        layers: L.
        width: D.
        heads: the number of heads of the attention.
        inner: hidden units of a feed-forward layer, with ReLU.
        context: characters of a passage.
        batch: passages in a batch.
        steps: how many batches each run learns from.
        seeds: the seeds, one a run.

    Raises:
        ValueError: a whole number is less than 1, or there is no seed.
    """

    layers: int = 6
    width: int = 32
    heads: int = 2
    inner: int = 64
    context: int = 16
    batch: int = 8
    steps: int = 500
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, int) and value < 1:
                raise ValueError(f"{field.name} must be 1 or more, got {value}.")
        if not self.seeds:
            raise ValueError("seeds must be 1 or more, got none.")

    def model(self, placement: Placement = PRE, norm: Norm = LAYER) -> LanguageModel:
        """Return a model as it starts, with this norm where the placement has norms."""
        shape = Shape(
            self.width, self.layers, self.heads, self.inner, activation="relu", causal=True
        )
        return LanguageModel(len(alphabet()), self.context, shape, placement, norm)

    def batches(
        self, codes: Int[Tensor, " all"], copies: int = 1
    ) -> Iterator[tuple[Int[Tensor, "R B T"], Int[Tensor, "R B T"]]]:
        """Yield passages for each step, and what follows each character of them.

        Args:
            codes: the text, each character as its place in the alphabet.
            copies: how many times all seeds are trained, side by side; all runs of a seed get the
                same passages.
        """
        along = torch.arange(self.context + 1)
        for begins in sample_batches(
            self.seeds, len(codes) - self.context, steps=self.steps, batch_size=self.batch
        ):
            places = (begins[..., None] + along).to(codes.device)  # R,B,T+1
            drawn = codes[places].repeat(copies, 1, 1)
            yield drawn[..., :-1], drawn[..., 1:]


def halves(on: torch.device) -> tuple[Int[Tensor, " learned"], Int[Tensor, " tested"]]:
    """Return the text that models learn from, and its end, which no model is trained on."""
    codes = encoded(text()).to(on)
    cut = round(len(codes) * (1 - TESTED))
    return codes[:cut], codes[cut:]
