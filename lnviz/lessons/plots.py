"""The chart kit: lines, marks, axes and words that every lesson's charts are made of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.norms import CATALOGUE
from lnviz.numerals import number

MOST_TICKS = 11
ALONE = 0.1  # room on an axis to either side of what stands there alone
SPARSE = 8.0  # how far an axis must reach for ticks at 1, 3, 10, 30
MOST_BETWEEN = 6  # steps from tick to tick on a shorter one
WIDTHS = {"none": 4.5, "rms": 5.0}
"""Of norms whose curves others may lie on."""


def line(
    name: str,
    token: str,
    x: Sequence[float] | None = None,
    *,
    width: float = 3,
    dash: str = "solid",
    **given: Any,
) -> go.Scatter:
    """A line in a color of the theme."""
    style = {"color": f"var(--ln-{token})", "width": width, "dash": dash}
    places = None if x is None else list(x)  # Plotly takes no range
    return go.Scatter(x=places, mode="lines", name=name, line=style, **given)


def norm_line(norm: str, x: Sequence[float] | None = None, **given: Any) -> go.Scatter:
    """A norm's curve in its color and dash, by its key in the catalogue."""
    known = CATALOGUE[norm]
    return line(known.label, norm, x, width=WIDTHS.get(norm, 2.5), dash=known.dash, **given)


def stacked(norms: Iterable[str]) -> list[str]:
    """Norms in the order of drawing: a wide curve below those that may lie on it."""
    return sorted(norms, key=lambda norm: -WIDTHS.get(norm, 0))


def band(token: str, x: Sequence[float], low: Sequence[float], high: Sequence[float]) -> go.Scatter:
    """What lies between two curves, in a color of the theme."""
    return go.Scatter(
        x=[*x, *reversed(x)],
        y=[*high, *reversed(low)],
        fill="toself",
        mode="lines",
        line={"width": 0, "color": f"var(--ln-{token})"},
        opacity=0.25,
        showlegend=False,
    )


def mark(symbol: str = "circle", token: str | list[str] = "ink", **given: Any) -> go.Scatter:
    """A point, or several, that stand out from the lines they lie on."""
    colors = [f"var(--ln-{one})" for one in ([token] if isinstance(token, str) else token)]
    return go.Scatter(
        mode="markers",
        showlegend=False,
        cliponaxis=False,
        marker={
            "symbol": symbol,
            "size": 12,
            "color": colors[0] if isinstance(token, str) else colors,
            "line": {"color": "var(--ln-page)", "width": 2},
        },
        **given,
    )


def legend(figure: go.Figure) -> None:
    """The names of the lines, in a row above the chart."""
    figure.update_layout(
        showlegend=True, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"}
    )


def threshold(
    figure: go.Figure, height: float, text: str, *, above: bool = True, anchor: str = "right"
) -> None:
    """A thin line across the chart that says what it is, at one of its ends."""
    figure.add_hline(height, line={"color": "var(--ln-soft)", "width": 1, "dash": "dot"})
    note(figure, {"left": 0.01, "right": 0.99}[anchor], height, text, above=above, anchor=anchor)


def note(
    figure: go.Figure, x: float, y: float, text: str, *, above: bool = True, anchor: str = "right"
) -> None:
    """Words at a height of the chart, at a share of its width."""
    figure.add_annotation(
        x=x,
        y=y,
        xref="paper",
        xanchor=anchor,
        yanchor="bottom" if above else "top",
        text=text,
        showarrow=False,
        font={"color": "var(--ln-soft)", "size": 13},
    )


def span(positions: Sequence[float]) -> list[float]:
    """A range of an axis that leaves room for a mark at either end, and around a single place."""
    low, high = positions[0], positions[-1]
    room = (high - low) / 40 or ALONE
    return [low - room, high + room]


def logs(figure: go.Figure, axis: str, base: int = 10) -> None:
    """Says that an axis' data are logarithms, for whoever reads values off the chart."""
    figure.update_layout(meta={**(figure.layout.meta or {}), axis: base})


def logarithmic(figure: go.Figure, title: str, low: float, high: float) -> None:
    """A y axis whose data are logarithms, for few decades: ticks at 1, 3, 10, 30, or between."""
    logs(figure, "y")
    ticks = [float(f"{mantissa}e{power}") for power in range(-6, 7) for mantissa in (1, 3)]
    if high < SPARSE * low:
        ticks = _evenly(low, high)
    figure.update_yaxes(
        range=span([math.log10(low), math.log10(high)]),
        tickvals=[math.log10(tick) for tick in ticks],
        ticktext=[number(tick, "g") for tick in ticks],
        title=title,
    )


def _evenly(low: float, high: float) -> list[float]:
    """Round numbers from one to another, a few.

    >>> _evenly(55.0, 84.0)
    [55.0, 60.0, 65.0, 70.0, 75.0, 80.0]
    """
    apart = (high - low or low) / MOST_BETWEEN
    power = math.floor(math.log10(apart))
    step = next(s for n in (1, 2, 5, 10) if (s := float(f"{n}e{power}")) >= apart)
    whole = range(math.ceil(low / step), math.floor(high / step) + 1)
    return [float(f"{place * step:.12g}") for place in whole]


def powers(
    figure: go.Figure, axis: str, ends: Sequence[float], title: str, *, floor: bool = False
) -> None:
    """A logarithmic axis whose data are logarithms: ticks at powers of ten.

    Args:
        figure: Whose axis it is.
        axis: "x" or "y".
        ends: The lowest and the highest power, shown with `span`'s room beyond.
        title: In words.
        floor: Whether what is less than the lowest power is drawn there.
    """
    logs(figure, axis)
    low, high = math.ceil(ends[0]), math.floor(ends[-1])
    every = next(n for n in (1, 2, 5, 10, 20, 50, 100) if (high - low) / n < MOST_TICKS)
    shown = [p for p in range(low, high + 1) if (p - (low if floor else 0)) % every == 0]
    text = [number(10.0**p, "g") if abs(p) <= 2 else f"10<sup>{p}</sup>" for p in shown]
    if floor:
        text[0] += " or less"
    settings = {
        "range": span([ends[0], ends[-1]]),
        "tickvals": shown,
        "ticktext": text,
        "title": title,
        "zeroline": False,
    }
    figure.update_layout({f"{axis}axis": settings})


def decades(values: Float[Tensor, "..."], floor: float | None = None) -> Float[Tensor, "..."]:
    """Logarithms to base 10.

    Args:
        values: None below 0.
        floor: The least logarithm; without it, 0 and what has overflowed give NaN.

    >>> decades(torch.tensor([100.0, 0.0]), -6), decades(torch.tensor([100.0, 0.0]))
    (tensor([ 2., -6.]), tensor([2., nan]))
    """
    if floor is not None:
        return values.clamp(min=10.0**floor).log10().float()
    logs = values.double().log10()
    return torch.where(logs.isfinite(), logs, torch.nan).float()
