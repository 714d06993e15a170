"""Gradient descent at one learning rate: under a norm the weight grows and its steps shrink."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.geometry.models import NORMS, Glm, natural, require_norm, require_spread

LOST = 1e30
"""The loss from which on a run that diverges stays where it is, before numbers overflow."""


@dataclass(frozen=True, eq=False)
class Descent:
    """Gradient descent of the weights, for every norm and learning rate.

    Attributes:
        norms: keys of the norms.
        rates: the learning rates.
        loss: before the first step and after each, averaged over the data.
        length: of the weight matrix (Frobenius), likewise.
        gradient: length of the gradient at each step.
        moved: divergence of the model after each step from the one before it, in nats.
    """

    norms: tuple[str, ...]
    rates: tuple[float, ...]
    loss: Float[Tensor, "norms rates states"]
    length: Float[Tensor, "norms rates states"]
    gradient: Float[Tensor, "norms rates steps"]
    moved: Float[Tensor, "norms rates steps"]

    @property
    def effective(self) -> Float[Tensor, "norms rates states"]:
        r"""The learning rate on weights of length 1 that does the same: $\eta / |W|^2$.

        Without a norm it has no such meaning.
        """
        rates = self.length.new_tensor(self.rates)
        return rates[:, None] / self.length.square()


def descend(
    glm: Glm,
    targets: Float[Tensor, "N H"],
    norms: Sequence[str],
    rates: Sequence[float],
    *,
    steps: int = 100,
) -> Descent:
    r"""Follow gradient descent of the weights; gains and biases stay.

    $$W_{t+1} = W_t - \eta\, \nabla L(W_t), \quad L = \mathrm E_x[-\log P(y|x; W)] + \text{const}$$

    Where the output does not depend on the scale of W, that is under all four norms, the gradient
    is at right angles to W and shrinks as W grows, $\nabla L(cW) = \nabla L(W) / c$ for c > 0. So,
    exactly (derived),

    $$|W_{t+1}|^2 = |W_t|^2 + \eta^2 |\nabla L(W_t)|^2,$$

    the weight can only become longer, and a step at length r and rate $\eta$ moves the function as
    one at length 1 and rate $\eta / r^2$ does: the learning rate decays by itself. After steps that
    are much too long the weight is long, and the next ones are short. That learning rates decay by
    themselves is exact; that this helps training is a matter of experience, and depends on
    the rate the run started from.

    Without a norm nothing of this holds, and too high a rate diverges; such a run stays where its
    loss passes `LOST`.

    Args:
        glm: the model to start from.
        targets: y for every case, probabilities included.
        norms: keys of `NORMS`.
        rates: learning rates, above 0.
        steps: how many steps.

    Returns:
        What each run went through, all rates at once.

    Raises:
        ValueError: an unknown norm, a rate or a number of steps that is not allowed, targets of
            another shape, or a norm that divides by 0.

    Source: Ba, Kiros and Hinton 2016, section 5.2; van Laarhoven 2017 (arXiv 1706.05350) on the
        effective learning rate.

    >>> from lnviz.geometry import FAMILIES, draw, taught
    >>> glm = draw(FAMILIES["softmax"])
    >>> run = descend(glm, taught(glm), ["layer"], [1.0], steps=20)
    >>> bool((run.length.diff() >= 0).all()), bool(run.loss[0, 0, -1] < run.loss[0, 0, 0])
    (True, True)
    """
    _check(glm, targets, norms, rates, steps)
    by = glm.weight.new_tensor(tuple(rates))[:, None, None]  # K,1,1
    runs = [_run(glm, targets, norm, by, steps) for norm in norms]
    loss, length, gradient, moved = (torch.stack(curves) for curves in zip(*runs, strict=True))
    return Descent(tuple(norms), tuple(rates), loss, length, gradient, moved)


def taught(glm: Glm, seed: int = 1) -> Float[Tensor, "N H"]:
    """Return what a drawn model without a norm expects for the same data: targets to learn.

    Args:
        glm: whose data and family are used.
        seed: of the drawn model.

    >>> from lnviz.geometry import FAMILIES, draw
    >>> taught(draw(FAMILIES["softmax"])).sum(-1).allclose(torch.ones(24).double())
    True
    """
    generator = torch.Generator().manual_seed(seed)
    weight = torch.randn(glm.weight.shape, generator=generator, dtype=torch.float64)
    return glm.family.mean(glm.x @ weight.to(glm.x.device).T)


def _run(glm: Glm, targets: Tensor, norm: str, rates: Tensor, steps: int) -> tuple[Tensor, ...]:
    weight = glm.weight.repeat(len(rates), 1, 1)  # K,H,I
    losses, lengths, gradients, moved = [], [], [], []
    before = None
    for step in range(steps + 1):
        weight.requires_grad_()
        z = natural(norm, glm.x @ weight.mT, weight, glm.gain, glm.bias)  # K,N,H
        loss = glm.family.loss(z, targets).mean(-1)  # K
        # The runs do not see each other, so the sum's gradient holds that of each.
        (gradient,) = torch.autograd.grad(loss.sum(), weight)
        z, weight = z.detach(), weight.detach()
        losses.append(loss.detach())
        lengths.append(weight.norm(dim=(-2, -1)))
        if before is not None:
            moved.append(glm.family.divergence(before, z).mean(-1))
        if step < steps:
            gradients.append(gradient.norm(dim=(-2, -1)))
            kept = loss.detach() < LOST
            weight = weight - torch.where(kept[:, None, None], rates * gradient, 0.0)
            before = z
    return tuple(torch.stack(curve, -1) for curve in (losses, lengths, gradients, moved))


def _check(
    glm: Glm, targets: Tensor, norms: Sequence[str], rates: Sequence[float], steps: int
) -> None:
    if not norms or not rates or not all(0 < rate < float("inf") for rate in rates):
        raise ValueError(
            f"norms must name at least one norm and rates be finite numbers above 0; got "
            f"{tuple(norms)} and {tuple(rates)}. The norms are {', '.join(NORMS)}."
        )
    for norm in norms:
        require_norm(norm)
        require_spread(norm, glm.summed, glm.weight)
    if steps < 1:
        raise ValueError(f"steps must be 1 or more, got {steps}.")
    if targets.shape != glm.summed.shape:
        raise ValueError(
            f"targets hold one row a case and one column a unit, {tuple(glm.summed.shape)}; got "
            f"shape {tuple(targets.shape)}."
        )
