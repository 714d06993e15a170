"""BatchNorm's running averages of mean and variance, which it uses at inference."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.norms.arguments import as_float_tensor, upcast
from lnviz.topics.batch.statistics import MeanAndVariance


def running_statistics(
    x: Float[Tensor, "batches N D"], momentum: float | Float[Tensor, "*sweep"] = 0.1
) -> MeanAndVariance:
    r"""Compute the running mean and variance after each batch, as `nn.BatchNorm1d` does.

    $$r \leftarrow (1 - m)\, r + m\, s$$

    with $s$ the mean or the *unbiased* variance of the batch just seen. The mean starts from 0,
    the variance from 1.

    Args:
        x: batches of N examples of D features, in training order.
        momentum: m, the weight of the *new* value, from 0 to 1. A tensor gives several values.

    Returns:
        The module's `running_mean` and `running_var` after each batch, `(*sweep, batches, D)`.

    Raises:
        TypeError: `x` is not floating point.
        ValueError: the momentum lies outside [0, 1], or a batch has a single example, for which
            PyTorch raises an error in training.

    Source: the documentation of `torch.nn.BatchNorm1d`.

    >>> x = torch.tensor([[[1.0], [3.0]], [[5.0], [7.0]]])
    >>> running_statistics(x, momentum=0.5).mean
    tensor([[1.0000],
            [3.5000]])
    """
    values = upcast(as_float_tensor(x))
    weight = torch.as_tensor(momentum, dtype=values.dtype, device=values.device)[..., None]
    if not bool(((weight >= 0) & (weight <= 1)).all()):
        outside = weight[~((weight >= 0) & (weight <= 1))]
        raise ValueError(
            f"momentum is the weight of the new value, from 0 to 1, got {outside[0].item():g}. "
            f"PyTorch's default is 0.1."
        )
    if values.shape[1] < 2:
        raise ValueError(
            f"An unbiased variance needs 2 cases or more in a batch, got x of shape "
            f"{tuple(values.shape)}. PyTorch refuses such a batch in training, too: use a larger "
            f"one, or drop the last."
        )
    seen = torch.stack([values.mean(1), values.var(1)])  # 2,batches,D
    units = values.shape[2]
    kept = torch.tensor([0, 1]).to(values)[:, None].expand(2, units)  # mean 0, variance 1
    after = []
    for batch in seen.unbind(1):
        kept = (1 - weight[..., None, :]) * kept + weight[..., None, :] * batch  # *sweep,2,D
        after.append(kept)
    mean, var = torch.stack(after, -2).unbind(-3)
    return MeanAndVariance(mean, var)
