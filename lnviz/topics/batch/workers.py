"""BatchNorm on several workers, with local or synchronized statistics."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.topics.batch.statistics import MeanAndVariance


def _owners(cases: int, workers: Int[Tensor, " P"]) -> Int[Tensor, "P N"]:
    """Return the index of the worker that holds each example, for several numbers of workers."""
    small, larger = (cases // workers)[:, None], (cases % workers)[:, None]  # P,1
    case = torch.arange(cases, device=workers.device)
    behind = larger + (case - larger * (small + 1)).clamp(min=0) // small
    return torch.where(case < larger * (small + 1), case // (small + 1), behind)


def local_statistics(x: Float[Tensor, "N D"], workers: Int[Tensor, " P"]) -> MeanAndVariance:
    """Return, for each example, the batch statistics of its worker, for several numbers of workers.

    Args:
        x: N examples of D features; `torch.tensor_split` splits them among the workers.
        workers: the numbers of workers, each from 1 to N.

    Returns:
        Means and biased variances, `(P, N, D)`: a row for each example.

    >>> local_statistics(torch.tensor([[1.0], [3.0]]), torch.tensor([1, 2])).mean.squeeze(-1)
    tensor([[2., 2.],
            [1., 3.]])
    """
    owner = _owners(len(x), workers)
    together = (owner[:, :, None] == owner[:, None]).to(x)  # P,N,N
    share = together / together.sum(-1, keepdim=True)
    mean = share @ x  # P,N,D
    return MeanAndVariance(mean, share @ (x - mean).square())


def combine_statistics(local: MeanAndVariance, count: Int[Tensor, "*sweep K"]) -> MeanAndVariance:
    r"""Combine the statistics of several chunks of a batch into the whole batch's statistics.

    $$\mu = \frac1N \sum_k n_k \mu_k, \quad
    \sigma^2 = \frac1N \sum_k n_k \left(\sigma_k^2 + (\mu_k - \mu)^2\right), \quad N = \sum_k n_k$$

    Args:
        local: mean and biased variance of each chunk, `(*leading, K, D)`.
        count: number of examples of each chunk.

    Returns:
        Mean and biased variance over all chunks, `(*sweep, D)`.

    Source: PyTorch's `SyncBatchNorm`, which combines means, standard deviations and counts in this
        way (torch/nn/modules/_functions.py).

    >>> local = MeanAndVariance(torch.tensor([[1.5], [6.0]]), torch.tensor([[0.25], [0.0]]))
    >>> combine_statistics(local, torch.tensor([2, 1])).mean
    tensor([3.])
    """
    share = (count / count.sum(-1, keepdim=True))[..., None]  # ...,K,1
    mean = (share * local.mean).sum(-2, keepdim=True)  # ...,1,D
    var = (share * (local.var + (local.mean - mean).square())).sum(-2)
    return MeanAndVariance(mean.squeeze(-2), var)
