"""The curvature of a model with respect to its gains, by the scale of the data."""

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
    RMSNorm, since neither $\hat x$ nor the predictions do. Under WeightNorm, and without a norm
    along the weight vectors (35), $\hat x_i$ is $a_i / |w_i|$ and grows with the data: in the
    linear model the curvature grows with the square of the scale. In the logistic and softmax
    models it grows so at small scales; at large ones predictions saturate, and what is left depends
    on the few examples near a boundary.

    Args:
        glm: the model at scale 1.
        norm: "no norm" stands for equation 35.
        scales: above 0.

    Returns:
        M for every scale.

    Raises:
        ValueError: a scale that is not above 0, or a norm that divides by 0.

    Source: Ba, Kiros and Hinton 2016, equations 33 to 35. Under BatchNorm it is what their
        equation 32 stands for: (32) leaves out $\hat x_i \hat x_j$, which is exact in the linear
        model on the diagonal alone.

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
