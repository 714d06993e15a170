"""Saturation of tanh after a norm, by the norm's gain."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

POINTS = 4096  # of the normal distribution, equally likely
FLAT = 0.1  # a slope below this counts as saturated


@dataclass(frozen=True, eq=False)
class Saturation:
    """Mean slope of tanh on normalized values, and the fraction where it is flat, for each gain.

    Attributes:
        slope: the mean derivative, a factor of gradients.
        flat: fraction of values where the derivative is below 0.1.
    """

    slope: Float[Tensor, " G"]
    flat: Float[Tensor, " G"]


def saturation(gains: Float[Tensor, " G"]) -> Saturation:
    r"""Compute how strongly tanh saturates on normalized values multiplied by each gain.

    $$E\left[\tanh'(\gamma \hat x)\right] = E\left[1 - \tanh^2(\gamma \hat x)\right], \quad
    \hat x \sim N(0, 1)$$

    Args:
        gains: $\gamma$.

    Returns:
        Mean slope and fraction of flat values, for every gain.

    Source: Cooijmans et al. 2016 (arXiv 1603.09025), section 4. They measured that gradients vanish
        quickly with large gains and stay nearly constant with small gains. They conjecture that
        saturation is the cause.

    >>> saturation(torch.tensor([0.1, 1.0])).slope
    tensor([0.9902, 0.6057])
    """
    ranks = (torch.arange(POINTS, dtype=torch.float64, device=gains.device) + 0.5) / POINTS
    values = torch.special.ndtri(ranks)  # P
    slopes = 1 - (gains.double()[:, None] * values).tanh().square()  # G,P
    return Saturation(slopes.mean(1).float(), (slopes < FLAT).double().mean(1).float())
