"""Least-squares fits of tanh to the inputs and outputs of a norm."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Fit:
    r"""Result of fitting $h \tanh(\alpha x) + s$ to points for each alpha, and a straight line.

    Attributes:
        height: h, by alpha.
        shift: s, by alpha.
        left: fraction of the outputs' variance that the fit leaves unexplained, by alpha.
        straight: the same fraction for the best straight line.
    """

    height: Float[Tensor, " A"]
    shift: Float[Tensor, " A"]
    left: Float[Tensor, " A"]
    straight: Float[Tensor, ""]


def fit(
    x: Float[Tensor, " points"], y: Float[Tensor, " points"], alphas: Float[Tensor, " A"]
) -> Fit:
    r"""Fit $h \tanh(\alpha x) + s$ to points for each alpha, and a straight line for comparison.

    >>> x = torch.linspace(-3, 3, 7)
    >>> fitted = fit(x, 2 * torch.tanh(0.5 * x) + 1, torch.tensor([0.25, 0.5, 1.0]))
    >>> fitted.left.argmin(), fitted.height[1].round(decimals=3)
    (tensor(1), tensor(2.))
    """
    bent = torch.tanh(alphas[:, None] * x)  # A,points
    slope, left = _regression(bent, y)
    return Fit(
        slope,
        y.mean() - slope * bent.mean(-1),
        left,
        _regression(x, y)[1],
    )


def _regression(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Fit a line to points; return its slope and the fraction of y's variance left unexplained."""
    x, y = x - x.mean(-1, keepdim=True), y - y.mean()
    together = (x * y).mean(-1)
    slope = together / x.square().mean(-1)
    return slope, (1 - slope * together / y.square().mean()).clamp(min=0)
