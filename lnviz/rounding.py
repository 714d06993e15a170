"""Conversion of tensors to tuples of numbers, rounded to significant digits, for JSON."""

from __future__ import annotations

import math
from typing import Any

from jaxtyping import Float
from torch import Tensor

DIGITS = 4  # significant digits in a JSON document


def rounded_tuples(values: Float[Tensor, "*shape"], digits: int = DIGITS) -> Any:
    """Return a tensor as nested tuples of numbers, rounded to significant digits.

    A value that is not finite becomes None, since JSON cannot represent it.

    Args:
        values: The tensor.
        digits: Number of significant digits to keep.

    >>> import torch
    >>> rounded_tuples(torch.tensor([[1 / 3, 2e6], [0.0, 5.0]]))
    ((0.3333, 2000000.0), (0.0, 5.0))
    >>> rounded_tuples(torch.tensor([1.0, torch.inf]))
    (1.0, None)
    """
    if values.dim():
        return tuple(rounded_tuples(row, digits) for row in values)
    value = values.item()
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None
