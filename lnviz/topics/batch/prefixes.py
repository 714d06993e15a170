"""BatchNorm's mean and variance over the first B examples, for every B from 1 to N."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor


@dataclass(frozen=True)
class Prefixes:
    """BatchNorm's statistics of the first B examples of a batch, for every B from 1 to N.

    Attributes:
        mean: Shape (N, 1, D); index B - 1 holds the mean over the first B examples.
        var: The biased variance, in the same shape.
        inside: Shape (N, N, 1); whether an example is among the first B.
    """

    mean: Float[Tensor, "N 1 D"]
    var: Float[Tensor, "N 1 D"]
    inside: Bool[Tensor, "N N 1"]


def prefixes(x: Float[Tensor, "N D"]) -> Prefixes:
    r"""Compute each feature's mean and variance over the first B examples, for every B from 1 to N.

    $$\mu_B = \frac1B \sum_{n \le B} x_n, \quad
    \sigma_B^2 = \frac1B \sum_{n \le B} (x_n - \mu_B)^2$$

    Args:
        x: N examples of D features.

    Returns:
        The statistics, with the batch size as leading dimension. They broadcast against `x`.

    Source: Ioffe and Szegedy 2015, algorithm 1, applied to every prefix of the batch.

    >>> prefixes(torch.tensor([[1.0], [3.0]])).mean.flatten()
    tensor([1., 2.])
    """
    count = x.shape[0]
    inside = torch.ones(count, count, dtype=torch.bool, device=x.device).tril()[:, :, None]  # B,N,1
    return Prefixes(*moments(x, inside), inside)


def moments(
    x: Float[Tensor, "*N N D"], inside: Bool[Tensor, "N N 1"]
) -> tuple[Float[Tensor, "N 1 D"], Float[Tensor, "N 1 D"]]:
    """Compute each feature's mean and biased variance over the examples that a mask selects.

    Args:
        x: The examples, the same for every batch size unless there is a leading dimension.
        inside: Whether an example is in the batch; the first axis is the batch size.
    """
    size = inside.sum(1, keepdim=True)  # B,1,1
    # Selected, not multiplied by zero: values outside may be infinite.
    mean = torch.where(inside, x, 0).sum(1, keepdim=True) / size  # B,1,D
    var = torch.where(inside, x - mean, 0).square().sum(1, keepdim=True) / size  # B,1,D
    return mean, var
