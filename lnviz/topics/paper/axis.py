"""The exaggerated difference between two bars on an axis that does not start at 0."""

from __future__ import annotations

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True)
class Cut:
    """Heights of two bars, and the exaggeration of their difference, by start of the axis.

    Attributes:
        heights: height of each bar, as a fraction of the axis.
        ratio: the second bar's height as a fraction of the first bar's height.
        exaggeration: the relative difference of the heights, divided by that of the values.
    """

    heights: Float[Tensor, "starts bars"]
    ratio: Float[Tensor, " starts"]
    exaggeration: Float[Tensor, " starts"]


def cut(values: Float[Tensor, " bars"], starts: Float[Tensor, " starts"], top: float) -> Cut:
    """Compute the heights of two bars on axes that run from each of `starts` to `top`.

    `heights = (values - start) / (top - start)`. For values `a` and `b`, the difference relative to
    the first bar is `(a - b) / (a - start)` in heights and `(a - b) / a` in values. So
    `exaggeration = a / (a - start)`, which Tufte (The Visual Display of Quantitative Information,
    1983) calls the lie factor.

    Args:
        values: Two values, in any unit.
        starts: Starts of the axis, in the same unit.
        top: End of the axis.

    Raises:
        ValueError: There are not exactly two values, or a value lies outside an axis.

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
