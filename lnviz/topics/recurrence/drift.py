"""Growth or decay of a recurrent state that is multiplied by the same matrix at every step."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.norms import normalize


@dataclass(frozen=True)
class Drift:
    """RMS of a recurrent state after 0, 1, ..., T steps, for each scale factor of the weights.

    Attributes:
        single: RMS without a norm, every step in float32.
        half: RMS without a norm, every step in float16; infinity after an overflow, 0 after an
            underflow.
        layer: RMS with LayerNorm at every step, in float32.
    """

    single: Float[Tensor, "F steps"]
    half: Float[Tensor, "F steps"]
    layer: Float[Tensor, "F steps"]


def drift(factors: Float[Tensor, " F"], *, steps: int, size: int = 32, seed: int = 0) -> Drift:
    r"""Iterate $h^t = f Q h^{t-1}$ and $h^t = LN(f Q h^{t-1})$, and return the RMS of each state.

    $Q$ is a random orthogonal matrix. It preserves the state's RMS, so that only the factor $f$
    changes the RMS.

    Args:
        factors: The factors f.
        steps: T, number of steps.
        size: Number of units of the state.
        seed: Seed of $Q$ and the initial state.

    Returns:
        The RMS of T + 1 states, from the initial one on, for each factor.

    Source: equation 4 of Ba, Kiros and Hinton 2016, with the identity as nonlinearity, gain 1,
        bias 0 and no input.

    >>> drift(torch.tensor([0.5]), steps=2).single
    tensor([[1.0000, 0.5000, 0.2500]])
    """
    generator = torch.Generator().manual_seed(seed)
    turn, _ = torch.linalg.qr(torch.randn(size, size, generator=generator, dtype=torch.float64))
    first = torch.randn(size, generator=generator, dtype=torch.float64)
    first = first / first.square().mean().sqrt()
    first, turn = first.to(factors.device), turn.to(factors.device)
    weights = factors.double()[:, None, None] * turn  # F,D,D
    start = first.expand(len(factors), size)  # F,D

    states = {dtype: start.to(dtype) for dtype in (torch.float32, torch.float16)}
    matrices = {dtype: weights.to(dtype) for dtype in states}
    normed = start.float()
    single, half, layer = [], [], []
    for step in range(steps + 1):
        if step:
            states = {dtype: _apply(matrices[dtype], state) for dtype, state in states.items()}
            normed = normalize(_apply(matrices[torch.float32], normed), -1).y
        single.append(_magnitude(states[torch.float32]))
        half.append(_magnitude(states[torch.float16]))
        layer.append(_magnitude(normed))
    return Drift(*(torch.stack(track, dim=1) for track in (single, half, layer)))


def steps_in_range(factors: Float[Tensor, " F"], dtype: torch.dtype) -> Float[Tensor, " F"]:
    """Return the number of steps until a growing or shrinking state leaves a dtype's normal range.

    Args:
        factors: The factor per step.
        dtype: The dtype, such as `torch.float32`.

    Returns:
        The first step above the largest or below the smallest normal number; infinity for factor 1.

    >>> steps_in_range(torch.tensor([10.0, 1.0]), torch.float32)
    tensor([39., inf])
    """
    info = torch.finfo(dtype)
    # Logarithms to base 2 are exact for powers of 2, so that the limit itself is still inside.
    growth = factors.double().log2()
    limit = torch.full_like(growth, math.log2(info.tiny))
    limit[growth > 0] = math.log2(info.max)
    return torch.where(growth == 0, torch.inf, (limit / growth).floor() + 1).float()


def _apply(matrices: Float[Tensor, "F D D"], states: Float[Tensor, "F D"]) -> Float[Tensor, "F D"]:
    return (matrices * states[:, None]).sum(-1)


def _magnitude(states: Float[Tensor, "F D"]) -> Float[Tensor, " F"]:
    # In float64, so that squaring does not overflow before the state does.
    return states.double().square().mean(-1).sqrt().float()
