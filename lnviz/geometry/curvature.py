"""How the Fisher matrix changes with the scale of the weights, and with that of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.geometry.equations import gain_curvature
from lnviz.geometry.information import fishers
from lnviz.geometry.models import Glm, natural, require_norm, require_spread, standardize
from lnviz.geometry.planes import PARTS, plane


@dataclass(frozen=True, eq=False)
class Scaled:
    """The Fisher matrix where a weight is scaled, against where it is not.

    Attributes:
        norms: keys of the norms.
        factors: by which the weight is multiplied.
        own: size of the block of the scaled weights by themselves.
        cross: size of the block of the scaled weights by everything else: biases, gains, and the
            other weight vectors where one is scaled. It is 0, but for rounding, in the linear
            model under BatchNorm, where chi is uncorrelated with 1 and with x_hat.
        along: curvature along the scaled weight, for a step of length 1.
        output: divergence of the scaled model from the one at factor 1, in nats: 0 where the output
            does not depend on the scale.
    """

    norms: tuple[str, ...]
    factors: tuple[float, ...]
    own: Float[Tensor, "norms factors"]
    cross: Float[Tensor, "norms factors"]
    along: Float[Tensor, "norms factors"]
    output: Float[Tensor, "norms factors"]


def scaled(
    glm: Glm, norms: Sequence[str], factors: Sequence[float], *, part: str = "matrix"
) -> Scaled:
    r"""Return how the Fisher matrix changes as a weight is multiplied.

    Sizes are Frobenius norms. Where the output does not depend on the scale of what is multiplied
    by c, (derived, exact, for every family)

    $$F_{ww}(c\,w) = \frac{F_{ww}(w)}{c^2}, \quad F_{w\,\cdot}(c\,w) = \frac{F_{w\,\cdot}(w)}c,
    \quad w^\top F_{ww}\, w = 0$$

    so that doubling divides the weights' own block by four and the cross blocks by two, and along
    the weight itself there is no curvature. This holds for the whole matrix under BatchNorm,
    WeightNorm, LayerNorm and RMSNorm, and for one vector under BatchNorm and WeightNorm.

    The paper speaks of one weight vector whose sigma doubles with it while the output stays, and
    says that curvature changes by 1/2; the block $\chi_i \chi_j^\top g_i g_j / (\sigma_i \sigma_j)$
    of its equation 13 falls by 1/4 where i = j, by 1/2 where i and j differ. Under
    LayerNorm and RMSNorm the assumption fails for one vector: the sigma it shares does not double,
    and `output` is not 0.

    Args:
        glm: the model at factor 1.
        norms: keys of `NORMS`.
        factors: above 0.
        part: "matrix" scales all of W, "vector" its first row.

    Returns:
        Sizes and curvatures, by norm and factor.

    Raises:
        ValueError: an unknown name, a factor that is not above 0, or a norm that divides by 0.

    Source: Ba, Kiros and Hinton 2016, section 5.2.

    >>> from lnviz.geometry import FAMILIES, draw
    >>> found = scaled(draw(FAMILIES["logistic"]), ["layer"], [1.0, 2.0])
    >>> [round(float(size[0, 1] / size[0, 0]), 6) for size in (found.own, found.cross)]
    [0.25, 0.5]
    >>> bool(found.along.max() < 1e-12)
    True
    """
    _check(norms, "factors", factors)
    if part not in PARTS:
        raise ValueError(f"part must be one of {', '.join(PARTS)}; got {part!r}.")
    rows = slice(None) if part == "matrix" else slice(1)
    inputs = glm.weight.shape[-1]
    by = glm.weight.new_tensor(tuple(factors))[:, None, None]  # C,1,1
    weights = glm.weight.repeat(len(by), 1, 1)
    weights[:, rows] *= by
    unit = plane(glm, part).along  # H,I
    moved = torch.zeros(glm.weight.shape[0], inputs + 2, dtype=torch.bool, device=by.device)
    moved[rows, :inputs] = True
    moving = moved.flatten()
    own, cross, along, output = [], [], [], []
    for norm in norms:
        summed = glm.x @ weights.mT  # C,N,H
        require_spread(norm, summed, weights)
        found = fishers(glm, norm, weights)
        rows_moved = found.matrix[:, moving]  # C,moving,HP
        own.append(rows_moved[:, :, moving].norm(dim=(-2, -1)))  # C
        cross.append(rows_moved[:, :, ~moving].norm(dim=(-2, -1)))
        # Not negative; rounding may say so.
        along.append(torch.einsum("ip,cipjq,jq->c", unit, found.weight, unit).clamp(min=0))
        before = glm.natural(norm).expand_as(summed)
        after = natural(norm, summed, weights, glm.gain, glm.bias)
        output.append(glm.family.divergence(before, after).mean(-1))
    return Scaled(
        tuple(norms),
        tuple(factors),
        *(torch.stack(curves) for curves in (own, cross, along, output)),
    )


@dataclass(frozen=True, eq=False)
class Gains:
    """The gain's curvature, for data of many scales.

    Attributes:
        norms: keys of the norms.
        scales: by which all data are multiplied.
        matrix: M: a step d of the gains moves the model by half of $d^T M d$.
    """

    norms: tuple[str, ...]
    scales: tuple[float, ...]
    matrix: Float[Tensor, "norms scales H H"]

    @property
    def mean(self) -> Float[Tensor, "norms scales"]:
        """Curvature of a single gain, averaged over the units."""
        return self.matrix.diagonal(dim1=-2, dim2=-1).mean(-1)


def gains(glm: Glm, norms: Sequence[str], scales: Sequence[float]) -> Gains:
    r"""Return the gain's curvature as all data are multiplied by a scale.

    $$M_{ij} = \frac1{\phi^2} \mathrm E_x\big[\mathrm{Cov}[y_i, y_j|x]\, \hat x_i \hat x_j\big]$$

    Exact: the curvature does not depend on the scale of the data under BatchNorm, LayerNorm and
    RMSNorm, since neither $\hat x$ nor the predictions do. Under WeightNorm, and without a norm
    along the weight vectors (35), $\hat x_i$ is $a_i / |w_i|$ and grows with the data: in the
    linear model the curvature grows with the square of the scale. In the logistic and softmax
    models it grows so at small scales; at large ones predictions saturate, and what is left depends
    on the few cases near a boundary.

    Args:
        glm: the model at scale 1.
        norms: keys of `NORMS`; "none" stands for equation 35.
        scales: above 0.

    Returns:
        M for every norm and scale.

    Raises:
        ValueError: an unknown norm, a scale that is not above 0, or a norm that divides by 0.

    Source: Ba, Kiros and Hinton 2016, equations 32 to 35; (32) is replaced by what it stands for,
    see `equation_32`.

    >>> from lnviz.geometry import FAMILIES, draw
    >>> found = gains(draw(FAMILIES["linear"]), ["layer", "none"], [1.0, 10.0])
    >>> [round(float(one[1] / one[0]), 6) for one in found.mean]
    [1.0, 100.0]
    """
    _check(norms, "scales", scales)
    by = glm.x.new_tensor(tuple(scales))

    summed = by[:, None, None] * glm.summed  # C,N,H
    found = []
    for norm in norms:
        # Along its weight vector a model without a norm moves like one with WeightNorm, (35).
        scaling = "weight" if norm == "none" else norm
        require_spread(scaling, summed, glm.weight)
        x_hat = standardize(scaling, summed, glm.weight).x_hat  # C,N,H
        z = summed + glm.bias if norm == "none" else torch.addcmul(glm.bias, x_hat, glm.gain)
        found.append(gain_curvature(glm.family, z, x_hat))
    return Gains(tuple(norms), tuple(scales), torch.stack(found))


def _check(norms: Sequence[str], name: str, factors: Sequence[float]) -> None:
    if not norms or not factors or not all(0 < factor < float("inf") for factor in factors):
        raise ValueError(
            f"norms must name at least one norm and {name} be finite numbers above 0; got "
            f"{tuple(norms)} and {tuple(factors)}."
        )
    for norm in norms:
        require_norm(norm)
