"""Sampling of mini-batches from a data set, epoch by epoch, as in a training loop.

Each epoch shuffles the examples and splits them into batches; incomplete batches are dropped, so no
example occurs twice in a batch.
"""

from __future__ import annotations

import torch
from jaxtyping import Int
from torch import Tensor


def shuffled_epochs(
    cases: int, epochs: int, generator: torch.Generator
) -> Int[Tensor, "epochs cases"]:
    """Return a random permutation of the example indices for each epoch.

    >>> shuffled_epochs(3, 2, torch.Generator().manual_seed(0)).sort(1).values
    tensor([[0, 1, 2],
            [0, 1, 2]])
    """
    # An epoch at a time, as in training: sorting random numbers takes several times as long.
    orders = [
        torch.randperm(cases, generator=generator, device=generator.device) for _ in range(epochs)
    ]
    return torch.stack(orders)


def epoch_batches(
    order: Int[Tensor, "epochs cases"], batch_size: int, count: int
) -> Int[Tensor, "count B"]:
    """Return the example indices of the first mini-batches, without incomplete batches."""
    whole = order.shape[1] // batch_size
    return order[:, : whole * batch_size].reshape(-1, batch_size)[:count]
