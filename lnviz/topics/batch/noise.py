"""The variance of BatchNorm's statistics across mini-batches, and its effect on one example."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.topics.batch.statistics import MeanAndVariance


def epoch_orders(
    groups: Int[Tensor, " N"], epochs: int, generator: torch.Generator
) -> Int[Tensor, "epochs N"]:
    """Return a random order of the examples for each epoch that keeps the groups together.

    Every epoch has its own order of the groups. With a single group, it is a plain shuffle.

    Args:
        groups: the group of each example, counted from 0.
        epochs: number of epochs.
        generator: random generator.

    >>> epoch_orders(torch.tensor([0, 1, 0]), 4, torch.Generator().manual_seed(0))[:, 1].tolist()
    [0, 2, 0, 0]
    """
    drawn = torch.rand(epochs, len(groups), generator=generator)
    turn = torch.rand(epochs, int(groups.max()) + 1, generator=generator).argsort(1)
    return (turn[:, groups] + drawn).argsort(1)


def orders_from_example(
    groups: Int[Tensor, " N"], case: int, batches: int, generator: torch.Generator
) -> Int[Tensor, "batches N"]:
    """Return random orders of all examples, each beginning with the same given example.

    The other examples of the same group follow, then the other groups, one after the other. Within
    each group, examples are shuffled.

    Args:
        groups: the group of each example, counted from 0.
        case: index of the first example.
        batches: number of orders.
        generator: random generator.

    >>> orders_from_example(torch.tensor([0, 1, 0]), 2, 1, torch.Generator().manual_seed(0))
    tensor([[2, 0, 1]])
    """
    drawn = torch.rand(batches, len(groups), generator=generator)
    away = (groups - groups[case]) % (groups.max() + 1)
    keys = away + drawn
    keys[:, case] = -1
    return keys.argsort(1)


def estimate_by_batch_size(
    x: Float[Tensor, "epochs N"], sizes: tuple[int, ...], count: int
) -> MeanAndVariance:
    """Compute a feature's mean and variance in the first mini-batches, for every batch size.

    Batches of all sizes are slices of the same order, so each sum is a difference of two cumulative
    sums. These are computed in float64 and relative to the overall mean, which is exact enough for
    a chart.

    Args:
        x: a feature's values in the order of each epoch.
        sizes: batch sizes.
        count: number of mini-batches; the epochs must hold that many of the largest size.

    Returns:
        Means and biased variances, sizes x count.
    """
    cases = x.shape[1]
    size = torch.tensor(sizes, device=x.device)[:, None]  # S,1
    batch = torch.arange(count, device=x.device)
    epoch, place = batch // (cases // size), batch % (cases // size)  # S,count
    offset = x[0].double().mean()
    centered = x.double() - offset
    sums = torch.stack([centered, centered.square()]).cumsum(2)  # 2,epochs,N
    sums = torch.nn.functional.pad(sums, (1, 0))
    ends = [epoch * (cases + 1) + (place + more) * size for more in (0, 1)]
    begin, end = (sums.flatten(1)[:, at] for at in ends)  # 2,S,count
    mean, square = (end - begin) / size
    var = (square - mean.square()).clamp(min=0)
    return MeanAndVariance((mean + offset).to(x), var.to(x))


def outputs(
    x: Float[Tensor, "batches N D"], sizes: tuple[int, ...], eps: float
) -> Float[Tensor, "sizes batches D"]:
    """Return BatchNorm's output for the first example as examples are added to its batch.

    Args:
        x: examples in the order in which they are added to the batch, the first example first.
        sizes: batch sizes.
        eps: added to the variance.
    """
    first = x[:, :1].double()
    apart = x[:, : max(sizes)].double() - first
    at = torch.tensor(sizes, device=x.device)
    mean, square = (v.cumsum(1)[:, at - 1] / at[:, None] for v in (apart, apart.square()))
    var = (square - mean.square()).clamp(min=0)  # batches,sizes,D
    return (-mean / (var + eps).sqrt()).movedim(1, 0).to(x)
