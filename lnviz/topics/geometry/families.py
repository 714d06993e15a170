"""The output distributions of three generalized linear models: mean, covariance, divergence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F


@dataclass(frozen=True)
class Family:
    r"""Exponential-family distribution of H outputs, given H natural parameters.

    $$\log P(y) = z^\top y - A(z) + c(y), \quad \mathrm E[y] = \nabla A(z) = f(z), \quad
    \mathrm{Cov}[y] = \nabla^2 A(z)$$

    Source: Ba, Kiros and Hinton 2016, equations 10 and 11, with z for a + b, A for the sum of eta
    over the outputs, and dispersion phi = 1; for softmax A couples the outputs.

    Attributes:
        key: name in URLs.
        label: name as printed.
        log_partition: A, from `(..., H)` to `(...)`.
        mean: f, the gradient of A.
        cov: the covariance of the outputs, the Hessian of A, `(..., H, H)`.
    """

    key: str
    label: str
    log_partition: Callable[[Tensor], Tensor]
    mean: Callable[[Tensor], Tensor]
    cov: Callable[[Tensor], Tensor]

    def divergence(
        self, before: Float[Tensor, "*#cases H"], after: Float[Tensor, "*#cases H"]
    ) -> Float[Tensor, "..."]:
        r"""Return the Kullback-Leibler divergence of one prediction from another, in nats.

        $$D[P_z \| P_{z'}] = A(z') - A(z) - f(z)^\top (z' - z)$$

        Exact up to rounding errors of about 1e-16, so that in float64 differences of z above 1e-5
        can be told from 0. A result that rounding makes negative is returned as 0.

        Args:
            before: natural parameters z.
            after: natural parameters z'.

        Returns:
            One value per example, 0 or more.

        Source: Ba, Kiros and Hinton 2016, derived from equation 10; the left side of equation 8.

        >>> linear = FAMILIES["linear"]
        >>> linear.divergence(torch.tensor([1.0]), torch.tensor([3.0]))
        tensor(2.)
        """
        gain = self.log_partition(after) - self.log_partition(before)
        return (gain - (self.mean(before) * (after - before)).sum(-1)).clamp(min=0)

    def loss(
        self, z: Float[Tensor, "*cases H"], y: Float[Tensor, "*#cases H"]
    ) -> Float[Tensor, "*cases"]:
        r"""Return $A(z) - z^\top y$, the negative log-likelihood up to a constant in z.

        >>> FAMILIES["softmax"].loss(torch.zeros(4), torch.tensor([1.0, 0.0, 0.0, 0.0])).exp()
        tensor(4.)
        """
        return self.log_partition(z) - (z * y).sum(-1)


def _logistic_cov(z: Tensor) -> Tensor:
    p = torch.sigmoid(z)
    return torch.diag_embed(p * torch.sigmoid(-z))  # 1 - p loses its digits where p is near 1


def _softmax_cov(z: Tensor) -> Tensor:
    p = torch.softmax(z, -1)
    return torch.diag_embed(p) - p[..., :, None] * p[..., None, :]


FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        family.key: family
        for family in (
            Family(
                "softmax",
                "a choice (softmax)",
                lambda z: z.logsumexp(-1),
                lambda z: torch.softmax(z, -1),
                _softmax_cov,
            ),
            Family(
                "logistic",
                "yes or no (logistic)",
                lambda z: F.softplus(z, threshold=50).sum(-1),
                torch.sigmoid,
                _logistic_cov,
            ),
            Family(
                "linear",
                "a number (linear)",
                lambda z: z.square().sum(-1) / 2,
                lambda z: z,
                lambda z: torch.diag_embed(torch.ones_like(z)),
            ),
        )
    }
)
"""The families: one of H classes; H independent binary outputs; H outputs with normal noise of
variance 1.
"""
