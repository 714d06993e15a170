"""How large a difference looks when an axis does not start at 0."""

from __future__ import annotations

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True)
class Cut:
    """Bars on an axis that starts somewhere.

    Attributes:
        heights: the heights of each bar, as a share of the axis.
        ratio: the second bar's height, as a share of the first one's.
        exaggeration: how many times larger the relative difference is in heights than in values.
    """

    heights: Float[Tensor, "starts bars"]
    ratio: Float[Tensor, " starts"]
    exaggeration: Float[Tensor, " starts"]


def cut(values: Float[Tensor, " bars"], starts: Float[Tensor, " starts"], top: float) -> Cut:
    """Draw two bars on an axis from each of `starts` to `top`.

    `heights = (values - start) / (top - start)`; with values `a` and `b`, in heights the
    difference is `(a - b) / (a - start)` of the first bar, in values `(a - b) / a`, so that
    `exaggeration = a / (a - start)`. Tufte (The Visual Display of Quantitative Information, 1983)
    calls it the lie factor.

    Args:
        values: Two, in any unit.
        starts: Where the axis begins, in the same unit.
        top: Where it ends.

    Raises:
        ValueError: There are not two values, or one lies outside an axis.

    >>> import torch
    >>> cut(torch.tensor([10.0, 9.0]), torch.tensor([0.0, 8.0]), 10.0).exaggeration
    tensor([1., 5.])
    """
    if values.shape != (2,):
        raise ValueError(f"a comparison takes two values, received shape {tuple(values.shape)}")
    if float(values.min()) <= float(starts.max()) or float(values.max()) > top:
        raise ValueError(
            f"values must lie above each start and not above the top, received {values.tolist()} "
            f"on axes from {float(starts.min()):g} to {float(starts.max()):g} and up to {top:g}; "
            "choose lower starts or a higher top"
        )
    above = values - starts[:, None]  # S,2
    return Cut(
        heights=above / (top - starts[:, None]),
        ratio=above[:, 1] / above[:, 0],
        exaggeration=values[0] / above[:, 0],
    )
