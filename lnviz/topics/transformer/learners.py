"""Settings and data for training language models on Python's documentation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import torch
from jaxtyping import Int
from torch import Tensor

from lnviz.norms import LAYER, Norm
from lnviz.topics.transformer.block import Shape
from lnviz.topics.transformer.documentation import alphabet, encode, text
from lnviz.topics.transformer.language import LanguageModel
from lnviz.topics.transformer.placements import PRE, Placement
from lnviz.training import sample_batches

TESTED = 0.1  # fraction of the text, at its end, that is held out
PASSAGES = 64  # of it, evenly spaced, that models are measured with
QUICK = {"layers": 2, "width": 8, "heads": 2, "inner": 8, "context": 6, "batch": 3}
"""Sizes of models that train in a moment."""


@dataclass(frozen=True)
class Learners:
    """Settings shared by the experiments that train language models: architecture and training.

    Args:
        layers: L.
        width: D.
        heads: number of attention heads.
        inner: number of hidden units of a feed-forward layer, with ReLU.
        context: number of characters in a passage.
        batch: passages in a batch.
        steps: number of training steps.
        seeds: the seeds, one per run.

    Raises:
        ValueError: a number is less than 1, or there is no seed.
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
        """Create an untrained language model with the given norm and placement."""
        shape = Shape(
            self.width, self.layers, self.heads, self.inner, activation="relu", causal=True
        )
        return LanguageModel(len(alphabet()), self.context, shape, placement, norm)

    def batches(
        self, codes: Int[Tensor, " all"], copies: int = 1
    ) -> Iterator[tuple[Int[Tensor, "R B T"], Int[Tensor, "R B T"]]]:
        """Yield a batch of passages for each training step, with the next characters as targets.

        Args:
            codes: the text as character ids.
            copies: number of copies of each seed that are trained together; all copies get the same
                passages.
        """
        along = torch.arange(self.context + 1)
        for begins in sample_batches(
            self.seeds, len(codes) - self.context, steps=self.steps, batch_size=self.batch
        ):
            places = (begins[..., None] + along).to(codes.device)  # R,B,T+1
            drawn = codes[places].repeat(copies, 1, 1)
            yield drawn[..., :-1], drawn[..., 1:]


def halves(on: torch.device) -> tuple[Int[Tensor, " learned"], Int[Tensor, " tested"]]:
    """Return Python's documentation as character ids: the training part and the held-out part."""
    codes = encode(text()).to(on)
    cut = round(len(codes) * (1 - TESTED))
    return codes[:cut], codes[cut:]
