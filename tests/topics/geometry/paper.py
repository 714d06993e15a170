"""The Fisher matrix by automatic differentiation, and the paper's closed forms beside it."""

import torch
from torch import Tensor
from torch.func import jacrev

from lnviz.norms import NONE, Norm
from lnviz.norms.degenerate import normalize_degenerate
from lnviz.topics.geometry import Glm
from lnviz.topics.geometry.models import natural


def jacobian(glm: Glm, norm: Norm) -> Tensor:
    """How z moves with each unit's weights, bias and gain: N,H,H,P."""

    def model(theta: Tensor) -> Tensor:
        weight, bias, gain = theta[:, :-2], theta[:, -2], theta[:, -1]
        return natural(norm, glm.x @ weight.T, weight, gain, bias)

    return jacrev(model)(torch.cat([glm.weight, glm.bias[:, None], glm.gain[:, None]], -1))


def fisher(glm: Glm, norm: Norm) -> Tensor:
    """The Fisher matrix by equations 9 to 11: H,P,H,P."""
    return expected(glm, norm, jacobian(glm, norm))


def expected(glm: Glm, norm: Norm, rows: Tensor) -> Tensor:
    cov = glm.family.cov(glm.natural(norm))  # N,H,H
    return torch.einsum("nkip,nkl,nljq->ipjq", rows, cov, rows) / len(glm.x)


def chi(glm: Glm, norm: Norm) -> Tensor:
    """Equation 14, its derivatives written out: N,H,I."""
    units = len(glm.weight)
    x_hat = normalize_degenerate(norm, glm.summed, "ND", weight=glm.weight).x_hat[
        ..., None
    ]  # N,H,1
    inputs = glm.x[:, None]  # N,1,I
    if norm.key == "batch":
        centered = inputs - inputs.mean(0)
        return centered - x_hat * (x_hat * centered).mean(0)
    if norm.key == "weight":
        return inputs - x_hat * glm.weight / glm.weight.norm(dim=-1, keepdim=True)
    if norm.key in ("layer", "rms"):
        mean = 1 / units if norm.center else 0
        return inputs * (1 - mean - x_hat.square() / units)
    assert norm is NONE
    return inputs.expand(-1, units, -1)


def equation_13(glm: Glm, norm: Norm) -> Tensor:
    """The Fisher matrix as the paper writes it: a unit is moved by its own parameters alone."""
    at = normalize_degenerate(norm, glm.summed, "ND", weight=glm.weight)
    scale = (glm.gain / at.sigma)[..., None]  # N,H,1 or less
    one = torch.ones_like(at.x_hat)[..., None]
    own = torch.cat([scale * chi(glm, norm), one, at.x_hat[..., None]], -1)  # N,H,P
    units = torch.eye(len(glm.weight), dtype=own.dtype)
    return expected(glm, norm, own[:, :, None] * units[..., None])
