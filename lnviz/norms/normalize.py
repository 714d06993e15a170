"""Normalization over any dimensions, with all intermediate values in the result."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.norms.arguments import (
    Epsilon,
    Values,
    are_broadcastable,
    as_float_tensor,
    canonical_dims,
    check_eps,
    checked_statistics,
    to_broadcastable,
    upcast,
)
from lnviz.norms.kernels import Statistics, fused, is_fusable


@dataclass(frozen=True, eq=False)
class Normalized:
    """The result of normalizing: mean, variance, normalized values and output.

    The shapes broadcast against each other: `mean` and `var` keep the shared dimensions with size
    1. Without gain and bias, `y` is `x_hat`. If the gain or bias has extra leading dimensions, so
    has `y`.

    Attributes:
        mean: mean of each group; zeros without centering. It is float32 for half-precision input,
            since the variance of values beyond 256 would overflow float16.
        var: biased variance of each group, in the dtype of `mean`; without centering, the mean
            square.
        x_hat: the normalized values, in the dtype of the input.
        y: `x_hat * gain + bias`, in the dtype of the input.
    """

    mean: Float[Tensor, "*#shape"]
    var: Float[Tensor, "*#shape"]
    x_hat: Float[Tensor, "*#shape"]
    y: Float[Tensor, "*#shape"]


def normalize(
    x: Values,
    over: int | Sequence[int],
    *,
    center: bool = True,
    gain: Values | None = None,
    bias: Values | None = None,
    eps: Epsilon = 1e-5,
    mean: Values | None = None,
    var: Values | None = None,
) -> Normalized:
    r"""Normalize `x` with statistics over the dimensions `over`, then apply gain and bias.

    $$\hat x = \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}}, \quad y = \gamma \hat x + \beta, \quad
    \mu = \frac1n \sum x, \quad \sigma^2 = \frac1n \sum (x - \mu)^2$$

    The sums run over the dimensions `over`; all other dimensions index independent groups.
    `reference` computes the same step by step. PyTorch's LayerNorm kernel is used for centering
    over trailing dimensions (at most 4096 values per group) unless derivatives are taken,
    statistics are given, or `eps` is a tensor or nearly 0; its results may differ in the last
    digits. Half precision is computed in float32 and rounded once, at the end.

    Args:
        x: values of any shape, a floating-point tensor or array.
        over: the dimensions that share statistics; negative ones count from the end.
        center: False for RMSNorm: `mean` is 0 and `var` is the mean square.
        gain: gamma, in any shape that broadcasts against `x`: `(D,)` for examples x features, `(C,
            1, 1)` for images. Extra leading dimensions, for several gains at once, are added to `y`
            but not to `x_hat`.
        bias: beta, with shapes as for `gain`.
        eps: added to the variance, 0 or more; a tensor of several values must broadcast against
            `x`.
        mean: means to use instead of the groups' means (BatchNorm at inference), in any shape that
            broadcasts against `x` with size 1 along `over`. Requires `var`.
        var: variances to use, with shapes as for `mean`. Requires `mean` unless `center=False`.

    Returns:
        `Normalized(mean, var, x_hat, y)`. All four are differentiable.

    Raises:
        TypeError: `x` is not floating point.
        ValueError: `over` is empty or has invalid or repeated dimensions, groups are empty, `eps`
            is negative, shapes do not broadcast, or only one of `mean` and `var` is given.

    Source: Ba, Kiros and Hinton 2016, equations 2 and 3, with epsilon as in PyTorch's modules;
    Zhang and Sennrich 2019 for `center=False`.

    >>> result = normalize(torch.tensor([[1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0]]), over=-1)
    >>> result.mean.flatten(), result.var.flatten()
    (tensor([ 2.5000, 25.0000]), tensor([  1.2500, 125.0000]))
    >>> result.y
    tensor([[-1.3416, -0.4472,  0.4472,  1.3416],
            [-1.3416, -0.4472,  0.4472,  1.3416]])
    """
    values = as_float_tensor(x)
    dims = canonical_dims(over, values.shape)
    check_eps(eps)
    wide = upcast(values)
    centers = center and mean is None and var is None
    if centers and not isinstance(eps, Tensor) and is_fusable(wide, dims, eps):
        statistics = fused(wide, dims, eps)
    else:
        statistics = reference_statistics(wide, dims, center, eps, mean, var)
    return apply_affine(values.dtype, *statistics, gain, bias)


def reference(
    x: Values,
    over: int | Sequence[int],
    *,
    center: bool = True,
    gain: Values | None = None,
    bias: Values | None = None,
    eps: Epsilon = 1e-5,
    mean: Values | None = None,
    var: Values | None = None,
) -> Normalized:
    """Compute the same as `normalize`, with one line of code per step of the formula.

    Formula, arguments, result and errors are those of `normalize`.

    >>> reference(torch.tensor([1.0, 2.0, 3.0, 4.0]), over=0).var
    tensor([1.2500])
    """
    values = as_float_tensor(x)
    dims = canonical_dims(over, values.shape)
    check_eps(eps)
    statistics = reference_statistics(upcast(values), dims, center, eps, mean, var)
    return apply_affine(values.dtype, *statistics, gain, bias)


def reference_statistics(
    x: Tensor,
    dims: tuple[int, ...],
    center: bool,
    eps: Epsilon,
    mean: Values | None,
    var: Values | None,
) -> Statistics:
    """Compute mean, variance and normalized values, with one line of code per step."""
    if mean is not None or var is not None:
        mean, var = checked_statistics(x, dims, center, mean, var)
        centered = x - mean
    elif center:
        mean = x.mean(dims, keepdim=True)
        centered = x - mean
        var = centered.square().mean(dims, keepdim=True)
    else:
        centered = x
        var = x.square().mean(dims, keepdim=True)
        mean = torch.zeros_like(var)
    return mean, var, centered / (var + eps).sqrt()


def one_pass_variance(x: Values, over: int | Sequence[int]) -> Float[Tensor, "..."]:
    r"""Compute the variance as $E[x^2] - E[x]^2$, to demonstrate how inaccurate this is.

    Mathematically, the formula is exact. In floating point, it may subtract two large, nearly equal
    values; the result is then mostly rounding error and may be negative.

    Args:
        x: floating-point values of any shape.
        over: the dimensions that share statistics.

    Returns:
        The difference; the shared dimensions have size 1.

    Raises:
        TypeError, ValueError: as `normalize`.

    >>> one_pass_variance(torch.tensor([1.0, 2.0, 3.0, 4.0]) + 1e4, over=0)
    tensor([-8.])
    """
    values = as_float_tensor(x)
    dims = canonical_dims(over, values.shape)
    return values.square().mean(dims, keepdim=True) - values.mean(dims, keepdim=True).square()


def apply_affine(
    dtype: torch.dtype,
    mean: Tensor,
    var: Tensor,
    x_hat: Tensor,
    gain: Values | None,
    bias: Values | None,
) -> Normalized:
    """Multiply by the gain, add the bias, and round to the dtype of the input."""
    y = x_hat
    if gain is not None:
        gain = to_broadcastable("gain", gain, x_hat)
    if bias is not None:
        bias = to_broadcastable("bias", bias, x_hat)
    if gain is not None and bias is not None:
        if not are_broadcastable(gain.shape, bias.shape):
            raise ValueError(
                "gain and bias must broadcast against each other, but got shapes "
                f"{tuple(gain.shape)} and {tuple(bias.shape)}. Give each sweep a dimension of its "
                "own."
            )
        y = torch.addcmul(bias, x_hat, gain)
    elif gain is not None:
        y = x_hat * gain
    elif bias is not None:
        y = x_hat + bias
    rounded = x_hat if x_hat.dtype == dtype else x_hat.to(dtype)
    return Normalized(mean, var, rounded, rounded if y is x_hat else y.to(dtype))
