"""Groups without spread, where the formula divides 0 by 0, and a norm that is defined there too."""

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
    """Values under a norm, before gain and bias, defined everywhere.

    Attributes:
        mean: what was subtracted, in the shape of the groups; 0 without centering.
        var: sigma squared, without epsilon; 1 where nothing is divided by it.
        x_hat: the standardized values, 0 in groups without spread.
        flat: where a group has no spread, so that the formula alone gives 0/0.
    """

    mean: Float[Tensor, "*#shape"]
    var: Float[Tensor, "*#shape"]
    x_hat: Float[Tensor, "*shape"]
    constant: Bool[Tensor, "*#shape"]

    @property
    def sigma(self) -> Float[Tensor, "*#shape"]:
        """What the values were divided by at epsilon 0."""
        return self.var.sqrt()


def normalize_degenerate(
    norm: Norm,
    x: Float[Tensor, "*values"],
    layout: str,
    *,
    eps: Epsilon = 0.0,
    weight: Float[Tensor, "*rows H I"] | None = None,
) -> Standardized:
    r"""Standardize values by a norm, 0/0 counted as 0: no value of an equal group deviates.

    $$\hat x = \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}}, \quad
    \hat x = 0 \text{ where } \sigma = 0$$

    Args:
        norm: any of the catalogue; a replacement has its values in place of the fraction.
        x: as in `Norm.apply`.
        layout: as in `Norm.apply`.
        eps: added to the variance; a tensor that broadcasts against `x` sweeps it.
        weight: W, one row a unit, sweeps leading; read by WeightNorm alone.

    Returns:
        Statistics, standardized values, and where the formula alone leaves them undefined.

    Raises:
        TypeError, ValueError: as `Norm.apply`.

    >>> from lnviz.norms import LAYER
    >>> defined(LAYER, torch.tensor([[1.0, 3.0], [5.0, 5.0]]), "ND").x_hat
    tensor([[-1.,  1.],
            [ 0.,  0.]])
    """
    result = norm.apply(x, layout, eps=eps, weight=weight)
    flat = is_constant(result)
    return Standardized(result.mean, result.var, result.x_hat.masked_fill(flat, 0.0), flat)


def is_constant(result: Normalized) -> Bool[Tensor, "*#shape"]:
    r"""Say which groups have values that differ by no more than rounding.

    $$\sigma^2 \le (16\, \varepsilon\, \mu)^2$$

    with $\varepsilon$ the distance of 1 from the next number of the dtype.

    Args:
        result: what normalizing computed.

    Returns:
        Whether a group is flat, in the shape of its statistics.

    >>> from lnviz.norms import normalize
    >>> without_spread(normalize(torch.tensor([[0.1, 0.1, 0.1], [1.0, 2.0, 3.0]]), 1)).flatten()
    tensor([ True, False])
    """
    rounding = ROUNDINGS * torch.finfo(result.var.dtype).eps
    return result.var <= (rounding * result.mean).square()
