"""The paper's closed forms: equations 12 to 14 and 32 to 35."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.geometry.families import Family
from lnviz.geometry.information import Fisher
from lnviz.geometry.models import Glm, require_spread, standardize


def equation_12(glm: Glm) -> Float[Tensor, "H Q H Q"]:
    r"""Return the Fisher matrix of a model without a norm.

    $$F = \mathrm E_x\Big[\frac{\mathrm{Cov}[y|x]}{\phi^2} \otimes
    \begin{bmatrix} x x^\top & x \\ x^\top & 1 \end{bmatrix}\Big]$$

    Exact, for gain 1. It does not hold the weights themselves: where the covariance is constant, as
    in the linear model, a step moves the function equally far whatever the weights. In the
    logistic and the softmax model the covariance falls as predictions saturate.

    Args:
        glm: the model; its gain is not read.

    Returns:
        Blocks of weights and bias, Q = I + 1 a unit.

    Source: Ba, Kiros and Hinton 2016, equation 12.

    >>> from lnviz.geometry import FAMILIES, draw
    >>> equation_12(draw(FAMILIES["linear"], inputs=5, units=3)).shape
    torch.Size([3, 6, 3, 6])
    """
    extended = torch.cat([glm.x, glm.x.new_ones(len(glm.x), 1)], -1)  # N,Q
    cov = glm.family.cov(glm.summed + glm.bias) / glm.family.phi**2  # N,H,H
    return torch.einsum("nij,np,nq->ipjq", cov, extended, extended) / len(glm.x)


def equation_13(glm: Glm, norm: str) -> Fisher:
    r"""Return the Fisher matrix under a norm, as the paper writes it.

    $$\bar F_{ij} = \mathrm E_x\Big[\frac{\mathrm{Cov}[y_i, y_j|x]}{\phi^2}\, v_i v_j^\top\Big],
    \quad v_i = \Big[\frac{g_i}{\sigma_i} \chi_i,\ 1,\ \frac{a_i - \mu_i}{\sigma_i}\Big]$$

    **Exact** without a norm, under BatchNorm and under WeightNorm, where a unit's mu and sigma
    depend on the unit's own weights alone, and for the blocks of biases and gains under every norm.

    **Not the Fisher matrix** under LayerNorm and RMSNorm in the blocks that involve weights: there
    $w_j$ moves $z_i$ through the mu and sigma that the layer shares, and
    $\partial z_i / \partial w_j$ for $j \ne i$ is missing from (13). It can be seen without
    computing: the output does not depend on the scale of W, so the curvature along W is 0, but (13)
    gives something else (derived; `shared_jacobian` has the missing terms).

    Args:
        glm: the model.
        norm: a key of `NORMS`.

    Returns:
        The matrix, in blocks.

    Raises:
        ValueError: unknown norm, or one that divides by 0 somewhere.

    Source: Ba, Kiros and Hinton 2016, equations 13 and 14.

    >>> from lnviz.geometry import FAMILIES, draw, fisher
    >>> glm = draw(FAMILIES["logistic"])
    >>> for norm in ("batch", "layer"):
    ...     print(norm, torch.allclose(equation_13(glm, norm).blocks, fisher(glm, norm).blocks))
    batch True
    layer False
    """
    require_spread(norm, glm.summed, glm.weight)
    at = standardize(norm, glm.summed, glm.weight)
    z = torch.addcmul(glm.bias, at.x_hat, glm.gain)  # N,H
    scale = (glm.gain / at.sigma)[..., None]  # N,H,1 or less
    rows = torch.cat(
        [scale * chi(glm, norm), torch.ones_like(z)[..., None], at.x_hat[..., None]], -1
    )  # N,H,P
    cov = glm.family.cov(z) / glm.family.phi**2  # N,H,H
    return Fisher(torch.einsum("nij,nip,njq->ipjq", cov, rows, rows) / len(z))


def chi(glm: Glm, norm: str) -> Float[Tensor, "N H I"]:
    r"""Return what a unit's input is once mean and sigma take their part.

    $$\chi_i = x - \frac{\partial \mu_i}{\partial w_i} - \frac{a_i - \mu_i}{\sigma_i}
    \frac{\partial \sigma_i}{\partial w_i}$$

    Without a norm it is x. BatchNorm: $\partial \mu_i = \mathrm E[x]$,
    $\partial \sigma_i = \mathrm E[\hat x_i (x - \mathrm E[x])]$. WeightNorm: 0 and
    $w_i / |w_i|$. LayerNorm: $x / H$ and $\hat x_i x / H$. RMSNorm: 0 and $\hat x_i x / H$.

    Args:
        glm: the model.
        norm: a key of `NORMS`.

    Raises:
        ValueError: unknown norm, or one that divides by 0 somewhere.

    Source: Ba, Kiros and Hinton 2016, equation 14; the derivatives are derived.

    >>> from lnviz.geometry import FAMILIES, draw
    >>> glm = draw(FAMILIES["linear"])
    >>> along = (chi(glm, "weight") * glm.weight).sum(-1)  # nothing is left along w itself
    >>> bool(along.abs().max() < 1e-12)
    True
    """
    require_spread(norm, glm.summed, glm.weight)
    x, units = glm.x, len(glm.weight)
    x_hat = standardize(norm, glm.summed, glm.weight).x_hat[..., None]  # N,H,1
    inputs = x[:, None]  # N,1,I
    if norm == "batch":
        centered = inputs - inputs.mean(0)
        return centered - x_hat * (x_hat * centered).mean(0)
    if norm == "weight":
        return inputs - x_hat * glm.weight / lengths(glm)[:, None]
    if norm in ("layer", "rms"):
        mean = 1 / units if norm == "layer" else 0
        return inputs * (1 - mean - x_hat.square() / units)
    return inputs.expand(-1, units, -1)


def shared_jacobian(glm: Glm, norm: str) -> Float[Tensor, "N H H I"]:
    r"""Return $\partial z_i / \partial w_j$ with all that the units of a layer share.

    $$\frac{\partial z_i}{\partial w_j} = \frac{g_i}\sigma \Big(\delta_{ij} - \frac{c}{H} -
    \frac{\hat x_i \hat x_j}{H}\Big) x, \quad c = 1 \text{ for LayerNorm, } 0 \text{ for RMSNorm}$$

    Exact. Its diagonal i = j is $g_i \chi_i / \sigma_i$; the rest is what (13) leaves out. Summed
    over j against $w_j$ it gives 0: the output does not depend on the scale of W.

    Args:
        glm: the model.
        norm: "layer" or "rms".

    Raises:
        ValueError: a norm whose units share nothing.

    Source: derived from equations 3 and 5 of Ba, Kiros and Hinton 2016.

    >>> from lnviz.geometry import FAMILIES, draw
    >>> glm = draw(FAMILIES["linear"])
    >>> along = (shared_jacobian(glm, "layer") * glm.weight).sum((-2, -1))
    >>> bool(along.abs().max() < 1e-12)
    True
    """
    if norm not in ("layer", "rms"):
        raise ValueError(
            f"Units share mean and sigma under 'layer' and 'rms', got {norm!r}. Its derivatives "
            f"are g_i chi_i / sigma_i for j = i and 0 otherwise."
        )
    require_spread(norm, glm.summed, glm.weight)
    units = len(glm.weight)
    at = standardize(norm, glm.summed, glm.weight)
    mean = 1 / units if norm == "layer" else 0
    eye = torch.eye(units, dtype=glm.x.dtype, device=glm.x.device)
    outer = at.x_hat[:, :, None] * at.x_hat[:, None, :] / units  # N,H,H
    scale = (glm.gain / at.sigma)[..., None]  # N,H,1
    return (scale * (eye - mean - outer))[..., None] * glm.x[:, None, None]


def equation_32(glm: Glm) -> Float[Tensor, "H H"]:
    r"""Return the gain's curvature under BatchNorm, as the paper writes it.

    $$M = \mathrm E_x\Big[\frac{\mathrm{Cov}[y|x]}{\phi^2}\Big], \quad
    ds^2 = \tfrac12 \delta_g^\top M \delta_g$$

    **Under the paper's assumptions only**: it stands for
    $\mathrm E[\mathrm{Cov}[y_i, y_j|x] \hat x_i \hat x_j] / \phi^2$, which is exact
    (`equation_33` with BatchNorm's statistics). The diagonal is right where the covariance does
    not vary with $\hat x_i^2$, as in the linear model, since then $\mathrm E[\hat x_i^2] = 1$. Off
    the diagonal the correlation $\mathrm E[\hat x_i \hat x_j]$ of the summed inputs is dropped:
    where the covariance is constant, (32) is off by exactly that factor (derived).

    Args:
        glm: the model.

    Source: Ba, Kiros and Hinton 2016, equation 32.

    >>> from lnviz.geometry import FAMILIES, draw
    >>> torch.allclose(equation_32(draw(FAMILIES["linear"], units=2)), torch.eye(2).double())
    True
    """
    require_spread("batch", glm.summed, glm.weight)
    return glm.family.cov(glm.natural("batch")).mean(0) / glm.family.phi**2


def equation_33(glm: Glm, norm: str = "layer") -> Float[Tensor, "H H"]:
    r"""Return the gain's curvature, exactly.

    $$M_{ij} = \frac1{\phi^2} \mathrm E_x\Big[\mathrm{Cov}[y_i, y_j|x]
    \frac{(a_i - \mu_i)(a_j - \mu_j)}{\sigma_i \sigma_j}\Big]$$

    Exact under every norm: gain and bias stand outside mu and sigma. The paper writes it for
    LayerNorm, (33); with $\mu = 0$, $\sigma_i = |w_i|$ it is WeightNorm's, (34).

    Args:
        glm: the model.
        norm: a key of `NORMS`.

    Raises:
        ValueError: unknown norm, or one that divides by 0 somewhere.

    Source: Ba, Kiros and Hinton 2016, equation 33.

    >>> from lnviz.geometry import FAMILIES, draw
    >>> equation_33(draw(FAMILIES["softmax"], units=3)).shape
    torch.Size([3, 3])
    """
    require_spread(norm, glm.summed, glm.weight)
    x_hat = standardize(norm, glm.summed, glm.weight).x_hat
    return gain_curvature(glm.family, glm.natural(norm), x_hat)


def equation_34(glm: Glm) -> Float[Tensor, "H H"]:
    r"""Return the gain's curvature under WeightNorm, exactly.

    $$M_{ij} = \frac1{\phi^2} \mathrm E_x\Big[\mathrm{Cov}[y_i, y_j|x]
    \frac{a_i a_j}{|w_i| |w_j|}\Big]$$

    Args:
        glm: the model.

    Source: Ba, Kiros and Hinton 2016, equation 34.

    >>> from lnviz.geometry import FAMILIES, draw
    >>> glm = draw(FAMILIES["linear"])
    >>> torch.allclose(equation_34(glm), equation_35(glm))  # the covariance is constant
    True
    """
    return gain_curvature(glm.family, glm.natural("weight"), _projected(glm))


def equation_35(glm: Glm) -> Float[Tensor, "H H"]:
    r"""Return the curvature without a norm, along each weight vector: exactly.

    $$M_{ij} = \frac1{\phi^2} \mathrm E_x\Big[\mathrm{Cov}[y_i, y_j|x]
    \frac{a_i a_j}{|w_i| |w_j|}\Big]$$

    It is what a gain would do to a model without one: unit i moves by $\delta_{g_i} w_i / |w_i|$,
    with gain 1. The same expression as (34); the covariance is that of a model without a norm.

    Args:
        glm: the model; its gain is not read.

    Source: Ba, Kiros and Hinton 2016, equation 35.

    >>> from lnviz.geometry import FAMILIES, draw
    >>> equation_35(draw(FAMILIES["softmax"], units=3)).shape
    torch.Size([3, 3])
    """
    return gain_curvature(glm.family, glm.summed + glm.bias, _projected(glm))


def gain_curvature(
    family: Family, z: Float[Tensor, "*sweeps N H"], x_hat: Float[Tensor, "*#sweeps N H"]
) -> Float[Tensor, "*sweeps H H"]:
    r"""Return $\mathrm E_x[\mathrm{Cov}[y_i, y_j|x]\, \hat x_i \hat x_j] / \phi^2$.

    Args:
        family: the distribution of the outputs.
        z: natural parameters.
        x_hat: what the gains multiply.

    Source: the form of equations 33 to 35 of Ba, Kiros and Hinton 2016.

    >>> from lnviz.geometry import FAMILIES
    >>> gain_curvature(FAMILIES["linear"], torch.zeros(2, 1), torch.tensor([[1.0], [3.0]]))
    tensor([[5.]])
    """
    cov = family.cov(z) / family.phi**2  # N,H,H
    return (cov * x_hat[..., :, None] * x_hat[..., None, :]).mean(-3)


def _projected(glm: Glm) -> Tensor:
    require_spread("weight", glm.summed, glm.weight)
    return glm.summed / lengths(glm)


def lengths(glm: Glm) -> Float[Tensor, " H"]:
    """Return the length of every weight vector.

    >>> from lnviz.geometry import FAMILIES, draw
    >>> lengths(draw(FAMILIES["linear"], units=3)).shape
    torch.Size([3])
    """
    return glm.weight.square().sum(-1).sqrt()
