"""The Fisher matrix of a model's gains (their curvature), for several scales of the data."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.norms import NONE, WEIGHT, Norm
from lnviz.norms.degenerate import normalize_degenerate
from lnviz.topics.geometry.models import Glm, require_spread


def gain_curvature(
    glm: Glm, norm: Norm, scales: Sequence[float]
) -> Float[Tensor, "scales units units"]:
    r"""Return the Fisher matrix of the gains for several scales of the data.

    $$M_{ij} = \mathrm E_x\big[\mathrm{Cov}[y_i, y_j|x]\, \hat x_i \hat x_j\big]$$

    To second order, a step d of the gains changes the predictions by a divergence of
    $\frac12 d^\top M d$.

    Exact: the curvature does not depend on the scale of the data under BatchNorm, LayerNorm and
    RMSNorm, since neither $\hat x$ nor the predictions do. Under WeightNorm, and under no norm
    (equation 35, with the gains along the weight vectors), $\hat x_i$ is $a_i / |w_i|$ and grows
    with the data. In the linear model, the curvature then grows with the square of the scale. In
    the logistic and softmax models, it does so at small scales only; at large scales predictions
    saturate, and the curvature depends on the few examples near a boundary.

    Args:
        glm: the model at scale 1.
        norm: the norm; `NONE` means equation 35.
        scales: factors of the data, above 0.

    Returns:
        M for every scale.

    Raises:
        ValueError: a scale is not above 0, or the norm would divide by 0.

    Source: Ba, Kiros and Hinton 2016, equations 33 to 35. For BatchNorm, their equation 32 omits
        the factor $\hat x_i \hat x_j$; that is exact only in the linear model and on the diagonal.

    >>> from lnviz.topics.geometry import FAMILIES, random_glm
    >>> from lnviz.norms import LAYER
    >>> for norm in (LAYER, NONE):
    ...     one, ten = gain_curvature(random_glm(FAMILIES["linear"]), norm, [1.0, 10.0])
    ...     print(round(float(ten[0, 0] / one[0, 0]), 6))
    1.0
    100.0
    """
    if not scales or not all(0 < scale < float("inf") for scale in scales):
        raise ValueError(
            f"scales must be finite numbers above 0, at least one; got {tuple(scales)}."
        )
    summed = glm.x.new_tensor(tuple(scales))[:, None, None] * glm.summed  # C,N,H
    # Along its weight vector a model without a norm moves like one with WeightNorm, (35).
    scaling = WEIGHT if norm is NONE else norm
    require_spread(scaling, summed, glm.weight)
    x_hat = normalize_degenerate(scaling, summed, "ND", weight=glm.weight).x_hat  # C,N,H
    z = summed + glm.bias if norm is NONE else torch.addcmul(glm.bias, x_hat, glm.gain)
    cov = glm.family.cov(z)  # C,N,H,H
    return (cov * x_hat[..., :, None] * x_hat[..., None, :]).mean(-3)
