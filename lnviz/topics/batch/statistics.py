"""BatchNorm's mean and variance of each feature, with masking of padded positions."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lnviz.norms.arguments import as_float_tensor, upcast


@dataclass(frozen=True, eq=False)
class MeanAndVariance:
    """BatchNorm's mean and variance of each feature.

    Attributes:
        mean: the mean of each feature, with any leading dimensions.
        var: the variance in the same shape; the function that returns it says whether it is biased.
    """

    mean: Float[Tensor, "*sweep D"]
    var: Float[Tensor, "*sweep D"]


def masked_statistics(
    x: Float[Tensor, "... N T D"], mask: Bool[Tensor, "... rows places"]
) -> MeanAndVariance:
    r"""Compute BatchNorm's statistics of a padded batch over its unpadded positions only.

    $$\mu_d = \frac1M \sum_{nt} m_{nt} x_{ntd}, \quad
    \sigma_d^2 = \frac1M \sum_{nt} m_{nt} (x_{ntd} - \mu_d)^2, \quad M = \sum_{nt} m_{nt}$$

    Args:
        x: N sequences of T positions and D features. Padding may have any values, even infinite
            ones.
        mask: True at real positions. Its leading dimensions and those of `x` broadcast.

    Returns:
        Mean and biased variance, `(*sweep, D)`.

    Raises:
        TypeError: `x` is not floating point.
        ValueError: the mask's shape does not match `x`, or a sequence is all padding.

    >>> x = torch.tensor([[[1.0], [3.0]], [[8.0], [0.0]]])
    >>> masked_statistics(x, torch.tensor([[True, True], [True, False]])).mean
    tensor([4.])
    """
    values = upcast(as_float_tensor(x))
    if mask.shape[-2:] != values.shape[-3:-1]:
        raise ValueError(
            f"The mask tells real positions from padding, got shape {tuple(mask.shape)} for "
            f"x of shape {tuple(values.shape)}. Give it x's shape without the units."
        )
    empty = (~mask.any(-1)).nonzero()
    if len(empty):
        raise ValueError(
            f"Every sequence needs one real place or more, got none in sequence "
            f"{int(empty[0, -1])} (counted from 0). Leave such sequences out of the batch."
        )
    real = mask[..., None]
    size = real.sum((-3, -2), keepdim=True)
    # Chosen, not multiplied by zero: padding may be infinite.
    mean = torch.where(real, values, 0).sum((-3, -2), keepdim=True) / size  # ...,1,1,D
    var = torch.where(real, values - mean, 0).square().sum((-3, -2)) / size[..., 0, 0, :]  # ...,D
    return MeanAndVariance(mean[..., 0, 0, :], var)
