"""The effect of a weight step on a model's predictions, by angle, step size and weight norm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.norms import Norm
from lnviz.norms.degenerate import normalize_degenerate
from lnviz.topics.geometry.models import Glm, require_spread
from lnviz.topics.geometry.planes import Plane, directions, plane

CHUNK_CELLS = 2**18
"""Number of cells that are computed at once, so that they fit into the processor's cache."""


@dataclass(frozen=True, eq=False)
class Divergences:
    """Divergences between predictions before and after a step, by weight norm, step size and angle.

    Attributes:
        exact: the divergence between the predictions before and after the step, in nats, averaged
            over the data.
        quadratic: the second-order approximation of `exact`, with the Fisher matrix.
        sigma: mean of sigma over examples and units before the step; 1 without a norm.
    """

    exact: Float[Tensor, "weight_norms step_sizes angles"]
    quadratic: Float[Tensor, "weight_norms step_sizes angles"]
    sigma: Float[Tensor, " weight_norms"]


def divergences(
    glm: Glm,
    norm: Norm,
    weight_norms: Sequence[float],
    step_sizes: Sequence[float],
    angles: Sequence[float],
    *,
    part: str = "matrix",
    seed: int = 0,
) -> Divergences:
    r"""Return the divergence caused by a weight step, exactly and to second order.

    $$ds^2 = \mathrm E_x\, D[P(y|x; W) \| P(y|x; W + \delta)] \approx
    \tfrac12 \delta^\top F \delta, \quad \delta = s (\cos\theta\, U + \sin\theta\, V)$$

    The left side is exact for steps of any size. The right side is exact to second order in s: the
    two sides agree if s is small relative to the weight norm.

    Exact, for every family (derived): if the output does not depend on the scale of the weights
    that change, ds^2 depends only on the ratio of step size and weight norm. So doubling these
    weights divides the right side by four, doubling both weights and step leaves it unchanged, and
    a step at angle 0 has no effect. This holds for the whole matrix under all four norms. For a
    single weight vector, it holds under BatchNorm and WeightNorm, whose units have their own sigma,
    but not under LayerNorm and RMSNorm, whose units share one sigma.

    Without a norm none of this holds. In the linear model, ds^2 does not depend on the weights at
    all. In the logistic and softmax models, it falls as the weights grow for another reason: their
    predictions saturate.

    If a step ends at weights of 0 (angle 180, step as long as the weights), x_hat is 0, and the
    model predicts from its bias alone.

    Args:
        glm: the model; the weights that change are rescaled to `weight_norms`.
        norm: the norm applied to the pre-activations.
        weight_norms: Euclidean norms of the weights that change, above 0.
        step_sizes: norms of the step, 0 or more.
        angles: angles in degrees, from the weights toward a random orthogonal direction.
        part: the weights that change: "matrix" is all of W, "vector" its first row.
        seed: seed of the orthogonal direction.

    Returns:
        The divergences, by weight norm, step size and angle.

    Raises:
        ValueError: a weight norm or step size is out of range, a value is not finite, or the norm
            would divide by 0 before the step.

    Source: Ba, Kiros and Hinton 2016, equation 8 and section 5.2.

    >>> from lnviz.topics.geometry import FAMILIES, random_glm
    >>> from lnviz.norms import RMS
    >>> glm = random_glm(FAMILIES["softmax"])
    >>> once, twice = divergences(glm, RMS, [1.0, 2.0], [0.1], [0.0, 90.0]).quadratic[:, 0]
    >>> round(float(twice[1] / once[1]), 6), bool(once[0] < 1e-12)
    (0.25, True)
    """
    lengths = _positions("weight_norms", weight_norms, glm.x)
    sizes = _positions("step_sizes", step_sizes, glm.x)
    turned = directions(_positions("angles", angles, glm.x))  # A,2
    if lengths.min() <= 0 or sizes.min() < 0:
        raise ValueError(
            f"Weight norms are above 0 and step sizes 0 or more, got {float(lengths.min())} and "
            f"{float(sizes.min())} as the smallest. Turn a step around with an angle of 180."
        )
    moved = plane(glm, part, seed)
    starts = torch.stack([lengths, torch.zeros_like(lengths)], -1)  # R,2
    weight = moved.weight(starts)  # R,H,I
    summed = glm.x @ weight.mT  # R,N,H
    require_spread(norm, summed, weight)
    sigma = normalize_degenerate(norm, summed, "ND", weight=weight).sigma.expand_as(summed)  # R,N,H
    metric = _metric(glm, norm, moved, starts)  # R,2,2
    curvature = torch.einsum("ap,rpq,aq->ra", turned, metric, turned)  # R,A
    ends = starts[:, None, None] + sizes[:, None, None] * turned  # R,S,A,2
    return Divergences(
        exact=_exact(glm, norm, moved, starts, ends),
        quadratic=sizes.square()[:, None] / 2 * curvature[:, None],
        sigma=sigma.mean((-2, -1)),
    )


def _metric(glm: Glm, norm: Norm, moved: Plane, starts: Tensor) -> Tensor:
    """Return the Fisher matrix of a plane's two coordinates at every starting point."""
    along = torch.eye(2, dtype=starts.dtype, device=starts.device)[:, None]  # 2,1,2
    at = starts.repeat(2, 1, 1).requires_grad_()  # 2,R,2
    natural = moved.natural(glm, norm, at)  # 2,R,N,H
    # What goes back to the coordinates is linear in what comes in at the outputs; differentiated
    # by that, it goes forward. torch.func would do so, too, and load its compiler, which takes
    # longer than the figure.
    back = torch.zeros_like(natural, requires_grad=True)
    (pulled,) = torch.autograd.grad(natural, at, back, create_graph=True)  # 2,R,2
    (rows,) = torch.autograd.grad((pulled * along).sum(), back)
    rows = rows.movedim(0, -1)  # R,N,H,2
    cov = glm.family.cov(natural[0].detach())  # R,N,H,H
    return (rows.mT @ cov @ rows).mean(1)


def _exact(glm: Glm, norm: Norm, moved: Plane, starts: Tensor, ends: Tensor) -> Tensor:
    """Return the exact divergences between starting points and end points, computed in chunks."""
    before = moved.natural(glm, norm, starts)[:, None, None]  # R,1,1,N,H
    piece = max(1, CHUNK_CELLS // (ends[0, ..., 0].numel() * before[0].numel()))
    pieces = [
        glm.family.divergence(start, moved.natural(glm, norm, end)).mean(-1)
        for start, end in zip(before.split(piece), ends.split(piece), strict=True)
    ]
    return torch.cat(pieces)  # R,S,A


def _positions(name: str, values: Sequence[float], like: Tensor) -> Tensor:
    tensor = torch.tensor(tuple(values), dtype=like.dtype, device=like.device)
    if not tensor.numel() or not bool(tensor.isfinite().all()):
        raise ValueError(f"{name} must be finite numbers, at least one; got {tuple(values)}.")
    return tensor
