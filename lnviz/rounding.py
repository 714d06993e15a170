"""Tensors as the numbers that are written down."""

from __future__ import annotations

import math
from typing import Any

from jaxtyping import Float
from torch import Tensor

DIGITS = 4  # that a number is written with


def numbers(values: Float[Tensor, "*shape"], digits: int = DIGITS) -> Any:
    """Return a tensor as nested tuples, its numbers as they are written.

    Where a number is not finite stands None: JSON has no other word for it.

    Args:
        values: any.
        digits: how many digits a number is written with.

    >>> import torch
    >>> numbers(torch.tensor([[1 / 3, 2e6], [0.0, 5.0]]))
    ((0.3333, 2000000.0), (0.0, 5.0))
    >>> numbers(torch.tensor([1.0, torch.inf]))
    (1.0, None)
    """
    if values.dim():
        return tuple(numbers(row, digits) for row in values)
    value = values.item()
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None
