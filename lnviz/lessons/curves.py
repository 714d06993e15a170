"""What the charts of curves share: a line for each norm, and axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from lnviz.invariance import LABELS

DASHES = {"none": "solid", "batch": "dash", "weight": "dot", "layer": "solid", "rms": "dashdot"}
"""Lines that lie on each other are told apart by more than their color."""

LEGEND = {"orientation": "h", "y": 1.02, "yanchor": "bottom"}


def line(norm: str, **given: Any) -> go.Scatter:
    """A norm's curve in its color and dash."""
    # Seen beside a dotted line of another norm that lies on it.
    width = 4.5 if norm == "none" else 2.5
    style = {"color": f"var(--ln-{norm})", "width": width, "dash": DASHES[norm]}
    return go.Scatter(mode="lines", name=LABELS[norm], line=style, **given)


def decades(values: Float[Tensor, "*shape"], floor: float) -> Float[Tensor, "*shape"]:
    """Logarithms to base 10, no less than a floor.

    >>> import torch
    >>> decades(torch.tensor([100.0, 0.0]), -6)
    tensor([ 2., -6.])
    """
    return values.clamp(min=10.0**floor).log10().float()


def span(positions: Sequence[float]) -> list[float]:
    """A range of an axis that leaves room for a mark at either end."""
    low, high = positions[0], positions[-1]
    return [low - (high - low) / 40, high + (high - low) / 40]


def logarithmic(figure: go.Figure, title: str, low: float, high: float) -> None:
    """A y axis whose data are logarithms, for few decades: ticks at 1, 3, 10, 30."""
    ticks = [float(f"{mantissa}e{power}") for power in range(-6, 7) for mantissa in (1, 3)]
    figure.update_yaxes(
        range=span([math.log10(low), math.log10(high)]),
        tickvals=[math.log10(tick) for tick in ticks],
        ticktext=[f"{tick:g}" for tick in ticks],
        title=title,
        fixedrange=True,
    )


def powers(
    figure: go.Figure, axis: str, exponents: range, title: str, *, floor: bool = False
) -> None:
    """A logarithmic axis whose data are logarithms: ticks at powers of ten.

    Args:
        figure: Whose axis it is.
        axis: "x" or "y".
        exponents: The powers, no more than about eight of them labeled.
        title: In words.
        floor: Whether what is less than the lowest power is drawn there.
    """
    shown = list(exponents)[:: -(-len(exponents) // 8)]
    text = [f"{10.0**p:g}" if abs(p) <= 2 else f"10<sup>{p}</sup>" for p in shown]
    if floor:
        text[0] += " or less"
    settings = {
        "range": span([exponents[0], exponents[-1]]),
        "tickvals": shown,
        "ticktext": text,
        "title": title,
        "fixedrange": True,
    }
    figure.update_layout({f"{axis}axis": settings})
