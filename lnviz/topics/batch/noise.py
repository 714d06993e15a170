"""How BatchNorm's estimates scatter with the batch size, and what that does to one case."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.topics.batch.statistics import MeanAndVariance


def epoch_orders(
    groups: Int[Tensor, " N"], epochs: int, generator: torch.Generator
) -> Int[Tensor, "epochs N"]:
    """Return the order of the cases in each epoch: group by group, shuffled within.

    The groups come in another order in every epoch. With one group it is a plain shuffle.

    Args:
        groups: the group of each case, counted from 0.
        epochs: how many orders.
        generator: draws them.

    >>> epoch_orders(torch.tensor([0, 1, 0]), 4, torch.Generator().manual_seed(0))[:, 1].tolist()
    [0, 2, 0, 0]
    """
    drawn = torch.rand(epochs, len(groups), generator=generator)
    turn = torch.rand(epochs, int(groups.max()) + 1, generator=generator).argsort(1)
    return (turn[:, groups] + drawn).argsort(1)


def orders_from_example(
    groups: Int[Tensor, " N"], case: int, batches: int, generator: torch.Generator
) -> Int[Tensor, "batches N"]:
    """Return one case and behind it all others, in the order in which batches take them in.

    Those of its own group come first, then the next group's, shuffled within.

    Args:
        groups: the group of each case, counted from 0.
        case: the one.
        batches: how many orders.
        generator: draws them.

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
    """Estimate mean and variance from the first mini-batches of every size.

    All sizes are cut from one order of cases: sums up to every place say the sum of any batch.
    Beginning at the mean of all, in float64, the difference of two of them is exact enough for a
    picture.

    Args:
        x: a unit's values in the order of each epoch.
        sizes: cases in a mini-batch.
        count: how many mini-batches; the epochs have to hold as many of the largest size.

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
    """Return what BatchNorm makes of the first case, in batches of the first so many.

    Args:
        x: cases in the order in which batches take them in, the one looked at first.
        sizes: cases in a batch.
        eps: added to the variance.
    """
    first = x[:, :1].double()
    apart = x[:, : max(sizes)].double() - first
    at = torch.tensor(sizes, device=x.device)
    mean, square = (v.cumsum(1)[:, at - 1] / at[:, None] for v in (apart, apart.square()))
    var = (square - mean.square()).clamp(min=0)  # batches,sizes,D
    return (-mean / (var + eps).sqrt()).movedim(1, 0).to(x)
