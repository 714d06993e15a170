"""Example for the norm debugger: the first training steps of a small Transformer."""

from __future__ import annotations

from functools import lru_cache

import torch
from torch import nn
from torch.nn import functional as F

from lnviz.diagnostics.hooks import NormWatcher
from lnviz.diagnostics.runs import Run
from lnviz.progress import report_progress
from lnviz.seeding import isolated_rng
from lnviz.topics.transformer import PLACEMENTS, Shape, Transformer

SHAPE = Shape(width=32, layers=12, heads=4, inner=64)
WORDS, EXAMPLES, LENGTH = 16, 4, 12
STEPS, RATE = 20, 0.003
"""Number of Adam steps, and the constant learning rate."""


@lru_cache(maxsize=4)
def example(placement: str) -> Run:
    """Train a small Transformer to reverse sequences for a few steps, and return the recorded run.

    Args:
        placement: the placement of the model's norms, a key of `PLACEMENTS`.
    """
    with isolated_rng():
        torch.manual_seed(0)
        model = Transformer(SHAPE, PLACEMENTS[placement])
        embedding, out = nn.Embedding(WORDS, SHAPE.width), nn.Linear(SHAPE.width, WORDS)
        learned = [p for part in (model, embedding, out) for p in part.parameters()]
        optimizer = torch.optim.Adam(learned, RATE)
        with NormWatcher(model) as watched:
            for step in range(STEPS):
                text = torch.randint(WORDS, (EXAMPLES, LENGTH))
                optimizer.zero_grad()
                guessed = out(model(embedding(text)).y)
                F.cross_entropy(guessed.flatten(0, 1), text.flip(1).flatten()).backward()
                optimizer.step()
                report_progress(step / STEPS)
    return watched.run
