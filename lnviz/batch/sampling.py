"""What mini-batches say of a data set: thousands of BatchNorm's means and variances in one call."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.batch.statistics import Statistics
from lnviz.norms.arguments import as_values, upcast

ROOM = 2**17
"""Numbers looked at together: as many as stay in a core's cache."""


def estimates(
    x: Float[Tensor, "N D"], batch_size: int, count: int, generator: torch.Generator
) -> Statistics:
    r"""Estimate mean and variance from mini-batches, drawn as a training loop draws them.

    Each epoch shuffles the cases and cuts them into batches; what is left over at its end is left
    out. So no case is twice in a batch, and the mean of B out of N cases scatters by
    $\frac{\sigma}{\sqrt B} \sqrt{\frac{N - B}{N - 1}}$.

    Args:
        x: N cases of D units.
        batch_size: B, cases in a mini-batch, from 1 to N.
        count: how many mini-batches, over as many epochs as that takes.
        generator: draws the order of every epoch.

    Returns:
        Their means and biased variances, `(count, D)`.

    Raises:
        TypeError: `x` is not floating point.
        ValueError: there is no batch of this size, or none asked for.

    Source: Ioffe and Szegedy 2015, algorithm 1.

    >>> x = torch.arange(6.0)[:, None]
    >>> estimates(x, 2, 9, torch.Generator().manual_seed(0)).mean.shape
    torch.Size([9, 1])
    """
    values = upcast(as_values(x))
    cases, units = values.shape
    if not 1 <= batch_size <= cases:
        raise ValueError(
            f"A mini-batch holds from 1 case to all {cases}, got {batch_size}. "
            f"Choose a size in that range."
        )
    if count < 1:
        raise ValueError(f"Estimates take 1 mini-batch or more, got {count}.")
    epochs = -(-count // (cases // batch_size))
    order = shuffled(cases, epochs, generator).to(values.device)
    drawn = cut(order, batch_size, count)  # count,B
    together = max(1, ROOM // (batch_size * units))
    parts = [_biased(values, part) for part in drawn.split(together)]
    return Statistics(
        torch.cat([part.mean for part in parts]), torch.cat([part.var for part in parts])
    )


def shuffled(cases: int, epochs: int, generator: torch.Generator) -> Int[Tensor, "epochs cases"]:
    """Return the order of the cases in each of some epochs.

    >>> shuffled(3, 2, torch.Generator().manual_seed(0)).sort(1).values
    tensor([[0, 1, 2],
            [0, 1, 2]])
    """
    # An epoch at a time, as in training: sorting random numbers takes several times as long.
    orders = [
        torch.randperm(cases, generator=generator, device=generator.device) for _ in range(epochs)
    ]
    return torch.stack(orders)


def cut(order: Int[Tensor, "epochs cases"], batch_size: int, count: int) -> Int[Tensor, "count B"]:
    """Return the first mini-batches of so many cases, epoch by epoch, no rest among them."""
    whole = order.shape[1] // batch_size
    return order[:, : whole * batch_size].reshape(-1, batch_size)[:count]


def _biased(x: Float[Tensor, "N D"], drawn: Int[Tensor, "batches B"]) -> Statistics:
    """Return the mean and the biased variance of some mini-batches, in two passes."""
    cases = x.index_select(0, drawn.flatten()).unflatten(0, drawn.shape)  # batches,B,D
    mean = cases.mean(1, keepdim=True)
    cases -= mean  # in place, as its square: memory is what takes time here
    return Statistics(mean.squeeze(1), cases.square_().mean(1))
