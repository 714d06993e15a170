"""Warm-up: a learning rate that rises linearly over the first training steps."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


def warm_up_factors(steps: int, warm_up: int) -> Float[Tensor, " steps"]:
    """Return the learning-rate factor at each training step.

    Args:
        steps: number of training steps.
        warm_up: number of steps over which the rate rises in a straight line, after which the
            factor is 1; 0 for a constant rate.

    >>> warm_up_factors(5, 4)
    tensor([0.2500, 0.5000, 0.7500, 1.0000, 1.0000])
    >>> warm_up_factors(2, 0)
    tensor([1., 1.])
    """
    return (torch.arange(1, steps + 1) / max(1, warm_up)).clamp(max=1)
