"""Gradient descent at a constant learning rate: under a norm, weights grow and steps shrink."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.norms import Norm
from lnviz.progress import report_progress
from lnviz.topics.geometry.models import Glm, natural, require_spread

DIVERGED_LOSS = 1e30
"""The loss at which a diverging run is stopped, before its values overflow."""


@dataclass(frozen=True, eq=False)
class Descent:
    """Loss and weight norm at each step of gradient descent, by learning rate.

    Attributes:
        loss: the loss averaged over the data, before the first step and after each step.
        length: Frobenius norm of the weight matrix, at the same steps.
    """

    loss: Float[Tensor, "rates states"]
    length: Float[Tensor, "rates states"]


def descend(
    glm: Glm,
    targets: Float[Tensor, "N H"],
    norm: Norm,
    rates: Sequence[float],
    *,
    steps: int = 100,
) -> Descent:
    r"""Run gradient descent on the weights at several learning rates; gains and biases are fixed.

    $$W_{t+1} = W_t - \eta\, \nabla L(W_t), \quad L = \mathrm E_x[-\log P(y|x; W)] + \text{const}$$

    Under all four norms, the output does not depend on the scale of W. So the gradient is
    orthogonal to W and shrinks as W grows, $\nabla L(cW) = \nabla L(W) / c$ for c > 0. Hence,
    exactly (derived),

    $$|W_{t+1}|^2 = |W_t|^2 + \eta^2 |\nabla L(W_t)|^2,$$

    the norm of the weights can only grow. A step at weight norm r and rate $\eta$ changes the
    function as much as a step at weight norm 1 and rate $\eta / r^2$: the effective learning rate
    decays on its own. After steps that are much too long, the weights are long, and the next steps
    are short. The decay of the effective learning rate is exact. Its benefit for training is an
    empirical observation, and depends on the initial learning rate.

    Without a norm none of this holds, and a run with too high a rate diverges; it stops changing
    when its loss exceeds `DIVERGED_LOSS`.

    Args:
        glm: the model to start from.
        targets: y for every example; probabilities are allowed.
        norm: the norm applied to the pre-activations.
        rates: learning rates, above 0.
        steps: number of steps.

    Returns:
        The loss and weight norm of every run.

    Raises:
        ValueError: a rate or the number of steps is invalid, the targets have the wrong shape, or
            the norm would divide by 0.

    Source: Ba, Kiros and Hinton 2016, section 5.2; van Laarhoven 2017 (arXiv 1706.05350) on the
        effective learning rate.

    >>> from lnviz.topics.geometry import FAMILIES, random_glm, teacher_targets
    >>> from lnviz.norms import LAYER
    >>> glm = random_glm(FAMILIES["softmax"])
    >>> run = descend(glm, teacher_targets(glm), LAYER, [1.0], steps=20)
    >>> bool((run.length.diff() >= 0).all()), bool(run.loss[0, -1] < run.loss[0, 0])
    (True, True)
    """
    _check(glm, targets, norm, rates, steps)
    by = glm.weight.new_tensor(tuple(rates))[:, None, None]  # K,1,1
    # Runs lie closest in memory: a sum over three units takes all of them at once.
    weight = glm.weight[..., None].repeat(1, 1, len(rates)).movedim(-1, 0)  # K,H,I
    losses, lengths = [], []
    for step in range(steps + 1):
        report_progress(step / (steps + 1))
        weight.requires_grad_()
        summed = torch.einsum("ni,khi->nhk", glm.x, weight).movedim(-1, 0)  # K,N,H
        z = natural(norm, summed, weight, glm.gain, glm.bias)
        loss = glm.family.loss(z, targets).mean(-1)  # K
        # The runs do not see each other, so the sum's gradient holds that of each.
        (gradient,) = torch.autograd.grad(loss.sum(), weight)
        loss, weight = loss.detach(), weight.detach()
        losses.append(loss)
        lengths.append(weight.norm(dim=(-2, -1)))
        weight = weight - torch.where((loss < DIVERGED_LOSS)[:, None, None], by * gradient, 0.0)
    return Descent(torch.stack(losses, -1), torch.stack(lengths, -1))


def teacher_targets(glm: Glm, seed: int = 1) -> Float[Tensor, "N H"]:
    """Return targets for a model's data: the expected outputs of a random teacher without a norm.

    Args:
        glm: the model whose data and family are used.
        seed: seed of the teacher.

    >>> from lnviz.topics.geometry import FAMILIES, random_glm
    >>> teacher_targets(random_glm(FAMILIES["softmax"])).sum(-1).allclose(torch.ones(24).double())
    True
    """
    generator = torch.Generator().manual_seed(seed)
    weight = torch.randn(glm.weight.shape, generator=generator, dtype=torch.float64)
    return glm.family.mean(glm.x @ weight.to(glm.x.device).T)


def _check(glm: Glm, targets: Tensor, norm: Norm, rates: Sequence[float], steps: int) -> None:
    if not rates or not all(0 < rate < float("inf") for rate in rates):
        raise ValueError(f"rates must be finite numbers above 0, at least one; got {tuple(rates)}.")
    if steps < 1:
        raise ValueError(f"steps must be 1 or more, got {steps}.")
    require_spread(norm, glm.summed, glm.weight)
    if targets.shape != glm.summed.shape:
        raise ValueError(
            f"targets hold one row a case and one column a unit, {tuple(glm.summed.shape)}; got "
            f"shape {tuple(targets.shape)}."
        )
