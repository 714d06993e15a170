"""One batch on several workers: whose statistics BatchNorm takes, and what sharing them costs."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from lnviz.norms.arguments import as_values
from lnviz.topics.batch.statistics import Statistics, masked_statistics


@dataclass(frozen=True, eq=False)
class Split:
    """A batch cut into shares, one a worker, neighbors together.

    Attributes:
        worker: the worker that a case goes to.
        shares: the cases of each worker, 0 behind the last.
        mask: whether there is a case.
    """

    worker: Int[Tensor, " N"]
    shares: Float[Tensor, "K L D"]
    mask: Bool[Tensor, "K L"]

    @property
    def count(self) -> Int[Tensor, " K"]:
        """How many cases each worker has."""
        return self.mask.sum(1)


def split(x: Float[Tensor, "N D"], workers: int) -> Split:
    """Cut a batch into shares that differ by one case at most, the larger ones first.

    Args:
        x: N cases of D units.
        workers: K, from 1 to N.

    Returns:
        The shares, as `torch.tensor_split` makes them, side by side in one tensor.

    Raises:
        TypeError: `x` is not floating point.
        ValueError: there is no worker, or one without a case.

    >>> split(torch.arange(3.0)[:, None], 2).shares.squeeze(-1)
    tensor([[0., 1.],
            [2., 0.]])
    """
    values = as_values(x)
    cases = len(values)
    if not 1 <= workers <= cases:
        raise ValueError(
            f"Every worker needs one case or more, got {cases} cases for {workers} workers. "
            f"Use from 1 to {cases} workers."
        )
    worker = _owners(cases, torch.tensor([workers], device=values.device))[0]
    count = worker.bincount(minlength=workers)  # K
    begin = count.cumsum(0) - count
    place = torch.arange(-(-cases // workers), device=values.device)
    mask = place < count[:, None]  # K,L
    at = (begin[:, None] + place).clamp(max=cases - 1)
    return Split(worker, torch.where(mask[..., None], values[at], 0), mask)


def _owners(cases: int, workers: Int[Tensor, " P"]) -> Int[Tensor, "P N"]:
    """Return which worker each case goes to, for several numbers of workers."""
    small, larger = (cases // workers)[:, None], (cases % workers)[:, None]  # P,1
    case = torch.arange(cases, device=workers.device)
    behind = larger + (case - larger * (small + 1)).clamp(min=0) // small
    return torch.where(case < larger * (small + 1), case // (small + 1), behind)


def own_statistics(x: Float[Tensor, "N D"], workers: Int[Tensor, " P"]) -> Statistics:
    """Return for every case what its worker takes by itself, for several numbers of workers.

    Args:
        x: N cases of D units, split as by `split`.
        workers: the numbers of workers, each from 1 to N.

    Returns:
        Means and biased variances, `(P, N, D)`: a row for each case.

    >>> own_statistics(torch.tensor([[1.0], [3.0]]), torch.tensor([1, 2])).mean.squeeze(-1)
    tensor([[2., 2.],
            [1., 3.]])
    """
    owner = _owners(len(x), workers)
    together = (owner[:, :, None] == owner[:, None]).to(x)  # P,N,N
    share = together / together.sum(-1, keepdim=True)
    mean = share @ x  # P,N,D
    return Statistics(mean, share @ (x - mean).square())


def local_statistics(split: Split) -> Statistics:
    """Return the mean and the biased variance that each worker takes by itself, `(K, D)`."""
    return masked_statistics(split.shares[:, None], split.mask[:, None])


def synchronized(local: Statistics, count: Int[Tensor, "*sweep K"]) -> Statistics:
    r"""Return the statistics of the whole batch from those of its shares.

    $$\mu = \frac1N \sum_k n_k \mu_k, \quad
    \sigma^2 = \frac1N \sum_k n_k \left(\sigma_k^2 + (\mu_k - \mu)^2\right), \quad N = \sum_k n_k$$

    Args:
        local: mean and biased variance of each share, `(*sweep, K, D)`.
        count: how many cases each share has.

    Returns:
        Mean and biased variance over all, `(*sweep, D)`.

    Source: what PyTorch's `SyncBatchNorm` computes from gathered means, standard deviations and
        counts (torch/nn/modules/_functions.py).

    >>> shares = split(torch.tensor([[1.0], [2.0], [6.0]]), 2)
    >>> synchronized(local_statistics(shares), shares.count).mean
    tensor([3.])
    """
    share = (count / count.sum(-1, keepdim=True))[..., None]  # ...,K,1
    mean = (share * local.mean).sum(-2, keepdim=True)  # ...,1,D
    var = (share * (local.var + (local.mean - mean).square())).sum(-2)
    return Statistics(mean.squeeze(-2), var)
