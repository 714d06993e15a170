"""What mini-batches say of a data set: thousands of BatchNorm's means and variances in one call."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import embedding_bag

from lnviz.norms.arguments import as_values, upcast
from lnviz.topics.batch.statistics import Statistics


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
    cases = len(values)
    if not 1 <= batch_size <= cases:
        raise ValueError(
            f"A mini-batch holds from 1 case to all {cases}, got {batch_size}. "
            f"Choose a size in that range."
        )
    if count < 1:
        raise ValueError(f"Estimates take 1 mini-batch or more, got {count}.")
    epochs = -(-count // (cases // batch_size))
    order = shuffled(cases, epochs, generator).to(values.device)
    return _biased(values, cut(order, batch_size, count))


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


def _biased(x: Float[Tensor, "N D"], drawn: Int[Tensor, "count B"]) -> Statistics:
    """Return the mean and the biased variance of some mini-batches, without a copy of each.

    The mean square less the squared mean cancels where a batch is far from 0 for its spread, so
    distances are taken from the median of all cases: batches lie around it, wherever the data are,
    outliers do not move it, and of a unit that hardly ever differs from it the variance is exact.
    """
    middle = x.median(0).values  # D
    z = x - middle
    sums = embedding_bag(drawn, torch.cat([z, z.square()], 1), mode="sum")  # count,2D
    mean, square = (sums / drawn.shape[1]).chunk(2, 1)  # count,D each
    return Statistics(middle + mean, (square - mean.square()).clamp_(min=0))
