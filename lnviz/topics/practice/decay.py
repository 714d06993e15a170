"""The effect of weight decay on the gain of a norm, with a loss and without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

WAYS = ("alone", "both", "gain")
"""Decay without a loss; a loss with decay of gain and next layer; a loss with decay of the gain
only.
"""
UNITS, CASES, BATCH = 16, 128, 32
NOISE = 0.1
RATE, STEPS, EVERY = 0.01, 1000, 20


@dataclass(frozen=True)
class DecayRuns:
    """Results of training a norm's gain and the next layer, by key of `WAYS` and weight decay.

    Attributes:
        steps: the recorded steps.
        gain: RMS of the gain, which is the RMS of the norm's output.
        weights: RMS of the next layer's weights, relative to the initial one.
        product: RMS of the product of weights and gain, relative to the initial one.
        loss: mean squared error on the whole data set.
    """

    steps: Float[Tensor, " steps"]
    gain: Float[Tensor, "ways decays steps"]
    weights: Float[Tensor, "ways decays steps"]
    product: Float[Tensor, "ways decays steps"]
    loss: Float[Tensor, "ways decays steps"]


def train_with_decay(
    decays: Sequence[float], *, steps: int = STEPS, rate: float = RATE, seed: int = 0
) -> DecayRuns:
    """Train y = W (gain * x_hat) with `torch.optim.AdamW` at several weight decays at once.

    The target is the product of another matrix and x_hat, plus noise. Without a loss, every
    gradient is 0, and AdamW (Loshchilov and Hutter 2019) multiplies all parameters by
    1 - rate * decay at each step.

    Args:
        decays: the weight decays.
        steps: number of steps.
        rate: the learning rate.
        seed: seed of data, weights and batches.
    """
    random = torch.Generator().manual_seed(seed)
    x_hat = nn.functional.layer_norm(torch.randn(CASES, UNITS, generator=random), (UNITS,))
    start, wanted = torch.randn(2, UNITS, UNITS, generator=random) / UNITS**0.5
    target = x_hat @ wanted.T + NOISE * torch.randn(CASES, UNITS, generator=random)
    # A group of AdamW has one decay: all ways share the gains' and two of them the weights'.
    gains = [torch.ones(len(WAYS), UNITS, requires_grad=True) for _ in decays]
    weights = [start.repeat(2, 1, 1).requires_grad_() for _ in decays]
    spared = start.repeat(len(decays), 1, 1).requires_grad_()
    groups = [
        {"params": [gain, weight], "weight_decay": decay}
        for gain, weight, decay in zip(gains, weights, decays, strict=True)
    ]
    optimizer = torch.optim.AdamW([*groups, {"params": [spared], "weight_decay": 0.0}], lr=rate)
    pull = torch.tensor([0.0, 1.0, 1.0])[:, None]  # ways,1
    kept = []
    for step in range(steps + 1):
        gain = torch.stack(gains, 1)  # ways,decays,units
        weight = torch.cat([torch.stack(weights, 1), spared[None]])  # ways,decays,out,units
        product = weight * gain[:, :, None]
        if step % EVERY == 0:
            kept.append(_seen(gain, weight, product, (x_hat, target), start))
        batch = torch.randint(CASES, (BATCH,), generator=random)
        optimizer.zero_grad()
        (_loss(product, x_hat[batch], target[batch]) * pull).sum().backward()
        optimizer.step()
    at = torch.arange(0.0, steps + 1, EVERY)
    return DecayRuns(at, *(torch.stack(each, -1) for each in zip(*kept, strict=True)))


def _loss(
    product: Float[Tensor, "ways decays out units"],
    x_hat: Float[Tensor, "cases units"],
    target: Float[Tensor, "cases out"],
) -> Float[Tensor, "ways decays"]:
    return (x_hat @ product.mT - target).square().mean((-2, -1))


@torch.no_grad()
def _seen(
    gain: Tensor, weight: Tensor, product: Tensor, data: tuple[Tensor, Tensor], start: Tensor
) -> tuple[Tensor, ...]:
    return (
        gain.square().mean(-1).sqrt(),
        weight.square().mean((-2, -1)).sqrt() / start.square().mean().sqrt(),
        product.square().mean((-2, -1)).sqrt() / start.square().mean().sqrt(),
        _loss(product, *data),
    )
