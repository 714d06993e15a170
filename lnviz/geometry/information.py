"""The Fisher information matrix of a generalized linear model, by automatic differentiation."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch.func import jacrev, vmap

from lnviz.geometry.families import Family
from lnviz.geometry.models import Glm, natural, require_spread


@dataclass(frozen=True, eq=False)
class Fisher:
    """A Fisher matrix in blocks: one for every pair of units, ordered as in equation 13.

    Attributes:
        blocks: entry (i, p, j, q) belongs to parameter p of unit i and q of unit j. A unit's
            parameters are its I weights, its bias and its gain, P = I + 2 in all.
    """

    blocks: Float[Tensor, "*sweeps H P H P"]

    @property
    def matrix(self) -> Float[Tensor, "*sweeps HP HP"]:
        """All parameters by all parameters, unit after unit."""
        return self.blocks.flatten(-4, -3).flatten(-2, -1)

    @property
    def weight(self) -> Float[Tensor, "*sweeps H I H I"]:
        """Weights by weights."""
        return self.blocks[..., :-2, :, :-2]

    @property
    def bias(self) -> Float[Tensor, "*sweeps H H"]:
        """Biases by biases."""
        return self.blocks[..., -2, :, -2]

    @property
    def gain(self) -> Float[Tensor, "*sweeps H H"]:
        """Gains by gains: M in the paper's appendix."""
        return self.blocks[..., -1, :, -1]


def fisher(glm: Glm, norm: str) -> Fisher:
    r"""Return the Fisher matrix of all weights, biases and gains.

    $$F = \mathrm E_{x, y}\big[\nabla_\theta \log P\, (\nabla_\theta \log P)^\top\big] =
    \mathrm E_x\Big[J^\top \frac{\mathrm{Cov}[y|x]}{\phi^2} J\Big], \quad
    J = \frac{\partial z}{\partial \theta}$$

    J is taken by reverse-mode differentiation of the whole model, the norm's mean and sigma
    included: under BatchNorm through all cases, under LayerNorm and RMSNorm through all units.
    The expectation over y is exact, that over x runs over the model's cases.

    `equation_13` agrees with it without a norm, under BatchNorm and under WeightNorm. Under
    LayerNorm and RMSNorm it does not, see there.

    Args:
        glm: the model.
        norm: a key of `NORMS`.

    Returns:
        The matrix, in blocks.

    Raises:
        ValueError: unknown norm, or one that divides by 0 somewhere.

    Source: Ba, Kiros and Hinton 2016, equations 9 to 11.

    >>> from lnviz.geometry import FAMILIES, draw
    >>> found = fisher(draw(FAMILIES["softmax"], inputs=5, units=3), "layer")
    >>> found.matrix.shape, found.gain.shape
    (torch.Size([21, 21]), torch.Size([3, 3]))
    """
    require_spread(norm, glm.summed, glm.weight)
    return Fisher(_blocks(glm.family, norm, glm.x, packed(glm)))


def fishers(glm: Glm, norm: str, weights: Float[Tensor, "sweep H I"]) -> Fisher:
    """Return the Fisher matrices at many weights, vectorized: the sweep leads.

    Args:
        glm: the model; its own weights are not read.
        norm: a key of `NORMS`.
        weights: W for every position.

    >>> from lnviz.geometry import FAMILIES, draw
    >>> glm = draw(FAMILIES["linear"], inputs=5, units=3)
    >>> fishers(glm, "rms", torch.stack([glm.weight, 2 * glm.weight])).weight.shape
    torch.Size([2, 3, 5, 3, 5])
    """
    rest = packed(glm)[:, -2:].expand(len(weights), -1, -1)
    theta = torch.cat([weights, rest], -1)
    return Fisher(vmap(lambda one: _blocks(glm.family, norm, glm.x, one))(theta))


def packed(glm: Glm) -> Float[Tensor, "H P"]:
    """Return the parameters, one row a unit: weights, bias, gain.

    >>> from lnviz.geometry import FAMILIES, draw
    >>> packed(draw(FAMILIES["linear"], inputs=5, units=3)).shape
    torch.Size([3, 7])
    """
    return torch.cat([glm.weight, glm.bias[:, None], glm.gain[:, None]], -1)


def jacobian(
    norm: str, x: Float[Tensor, "N I"], theta: Float[Tensor, "H P"]
) -> Float[Tensor, "N H H P"]:
    r"""Return $\partial z / \partial \theta$ for every case, by `torch.func.jacrev`.

    Args:
        norm: a key of `NORMS`.
        x: the data.
        theta: the parameters as `packed` returns them.

    >>> jacobian("none", torch.tensor([[3.0]]), torch.tensor([[2.0, 0.0, 1.0]]))
    tensor([[[[3., 1., 6.]]]])
    """

    def model(theta: Tensor) -> Tensor:
        weight, bias, gain = theta[:, :-2], theta[:, -2], theta[:, -1]
        return natural(norm, x @ weight.T, weight, gain, bias)

    derivatives: Tensor = jacrev(model)(theta)
    return derivatives


def _blocks(family: Family, norm: str, x: Tensor, theta: Tensor) -> Tensor:
    weight, bias, gain = theta[:, :-2], theta[:, -2], theta[:, -1]
    z = natural(norm, x @ weight.T, weight, gain, bias)  # N,H
    rows = jacobian(norm, x, theta).flatten(-2)  # N,H,HP
    moved = family.cov(z) / family.phi**2 @ rows  # N,H,HP
    full = rows.flatten(0, 1).T @ moved.flatten(0, 1) / len(x)  # HP,HP
    units, parameters = theta.shape
    return full.view(units, parameters, units, parameters)
