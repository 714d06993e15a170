"""Overflow and underflow of squares in three floating-point formats, and RMSNorm's output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

FORMATS = {"float16": torch.float16, "bfloat16": torch.bfloat16, "float32": torch.float32}
"""The formats by name, from the smallest range to the most digits."""


@dataclass(frozen=True)
class Squares:
    """Largest values, their squares and RMSNorm's output RMS, by format and scale of the row.

    Attributes:
        number: the largest value of a row as represented in the format.
        square: the square of that value.
        norm: RMS of RMSNorm's output.
    """

    number: Float[Tensor, "formats sizes"]
    square: Float[Tensor, "formats sizes"]
    norm: Float[Tensor, "formats epsilons sizes"]


def squares(
    row: Float[Tensor, " units"], sizes: Float[Tensor, " sizes"], epsilons: Sequence[float]
) -> Squares:
    """Compute RMSNorm for one row at several scales, in each floating-point format.

    y = x / sqrt(mean(x^2) + eps), every step rounded to the format:

    >>> found = squares(torch.tensor([1.0, -0.5]), torch.tensor([1.0, 256.0]), [1e-5])
    >>> found.square[:, 1]
    tensor([   inf, 65536., 65536.], dtype=torch.float64)
    >>> found.norm[0, 0].round(decimals=2)
    tensor([1., 0.], dtype=torch.float64)

    Args:
        row: values, the largest of which has magnitude 1.
        sizes: factors of the row.
        epsilons: values added to the mean square, one variant of the norm for each.
    """
    found = [_in(kind, row * sizes[:, None], epsilons) for kind in FORMATS.values()]
    return Squares(*(torch.stack(each) for each in zip(*found, strict=True)))


def _in(
    kind: torch.dtype, rows: Float[Tensor, "sizes units"], epsilons: Sequence[float]
) -> tuple[Tensor, Tensor, Tensor]:
    x = rows.to(kind)
    square = x.square()
    mean = square.mean(-1, keepdim=True)
    y = torch.stack([x * torch.rsqrt(mean + eps) for eps in epsilons])  # epsilons,sizes,units
    largest = rows.abs().argmax(-1, keepdim=True)
    return (
        x.gather(-1, largest).squeeze(-1).double(),
        square.gather(-1, largest).squeeze(-1).double(),
        y.double().square().mean(-1).sqrt(),
    )
