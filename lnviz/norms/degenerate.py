"""Normalization that returns 0 for constant groups, for which the formula gives 0/0."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lnviz.norms.arguments import Epsilon
from lnviz.norms.norm import Norm
from lnviz.norms.normalize import Normalized

# A mean is off by a few roundings, so that equal values seem to vary by that much.
ROUNDINGS = 16


@dataclass(frozen=True, eq=False)
class Standardized:
    """Normalized values before gain and bias, with 0 in constant groups.

    Attributes:
        mean: the subtracted mean, one per group; 0 without centering.
        var: sigma squared, without epsilon; 1 for replacements, which do not divide.
        x_hat: the normalized values; 0 in constant groups.
        constant: whether a group is constant, so that the formula gives 0/0.
    """

    mean: Float[Tensor, "*#shape"]
    var: Float[Tensor, "*#shape"]
    x_hat: Float[Tensor, "*shape"]
    constant: Bool[Tensor, "*#shape"]

    @property
    def sigma(self) -> Float[Tensor, "*#shape"]:
        """The standard deviation, which is the divisor if epsilon is 0."""
        return self.var.sqrt()


def normalize_degenerate(
    norm: Norm,
    x: Float[Tensor, "*values"],
    layout: str,
    *,
    eps: Epsilon = 0.0,
    weight: Float[Tensor, "*rows H I"] | None = None,
) -> Standardized:
    r"""Apply a norm to values, but return 0 in constant groups, for which the formula gives 0/0.

    $$\hat x = \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}}, \quad
    \hat x = 0 \text{ where } \sigma = 0$$

    Args:
        norm: any norm of the catalogue; a replacement applies its function.
        x: as in `Norm.apply`.
        layout: as in `Norm.apply`.
        eps: added to the variance; a tensor that broadcasts against `x` gives several values.
        weight: W, one row per unit, leading dimensions allowed; used by WeightNorm only.

    Returns:
        Statistics, normalized values, and a mask of the constant groups.

    Raises:
        TypeError, ValueError: as `Norm.apply`.

    >>> from lnviz.norms import LAYER
    >>> normalize_degenerate(LAYER, torch.tensor([[1.0, 3.0], [5.0, 5.0]]), "ND").x_hat
    tensor([[-1.,  1.],
            [ 0.,  0.]])
    """
    result = norm.apply(x, layout, eps=eps, weight=weight)
    flat = is_constant(result)
    return Standardized(result.mean, result.var, result.x_hat.masked_fill(flat, 0.0), flat)


def is_constant(result: Normalized) -> Bool[Tensor, "*#shape"]:
    r"""Return a mask of the groups whose values are all equal up to rounding.

    $$\sigma^2 \le (16\, \varepsilon\, \mu)^2$$

    with $\varepsilon$ the machine epsilon of the dtype.

    Args:
        result: the result of `normalize`.

    Returns:
        A mask in the shape of the statistics.

    >>> from lnviz.norms import normalize
    >>> is_constant(normalize(torch.tensor([[0.1, 0.1, 0.1], [1.0, 2.0, 3.0]]), 1)).flatten()
    tensor([ True, False])
    """
    rounding = ROUNDINGS * torch.finfo(result.var.dtype).eps
    return result.var <= (rounding * result.mean).square()
