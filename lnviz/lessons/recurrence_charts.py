"""What the charts of the recurrence lesson share."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

LEGEND: dict[str, Any] = {"orientation": "h", "y": 1.02, "yanchor": "bottom"}


def line(
    name: str, token: str, x: list[float] | None = None, width: float = 3, dash: str = "solid"
) -> go.Scatter:
    """A line in a color of the theme."""
    style = {"color": f"var(--ln-{token})", "width": width, "dash": dash}
    return go.Scatter(x=x, mode="lines", name=name, line=style)


def mark(symbol: str = "circle", token: str | list[str] = "ink") -> go.Scatter:
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
    )


def powers(
    figure: go.Figure, axis: str, low: float, high: float, title: str, every: int = 1
) -> None:
    """A logarithmic axis whose data are logarithms: ticks at powers of ten."""
    inside = [p for p in range(-400, 401, every) if low <= p <= high]
    text = [f"{10.0**p:g}" if abs(p) <= 2 else f"10<sup>{p}</sup>" for p in inside]
    settings = {
        "range": [low, high],
        "tickvals": inside,
        "ticktext": text,
        "title": title,
        "fixedrange": True,
        "zeroline": False,
    }
    figure.update_layout({f"{axis}axis": settings})


def level(figure: go.Figure, height: float, text: str, *, above: bool = True) -> None:
    """A thin line across the chart that says what it is."""
    figure.add_hline(height, line={"color": "var(--ln-soft)", "width": 1, "dash": "dot"})
    note(figure, 0.99, height, text, above=above)


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


def decades(values: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """Logarithms to base 10; not a number for 0 and for what has overflowed."""
    logs = values.double().log10()
    return torch.where(logs.isfinite(), logs, torch.nan).float()


def superscript(number: int) -> str:
    """A whole number as it stands above a base.

    >>> superscript(100)
    '¹⁰⁰'
    """
    return str(number).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def rounded(number: float) -> str:
    """A number in two digits, as one writes it by hand.

    >>> rounded(65504.0), rounded(3.4028e38), rounded(5.96e-8)
    ('65,504', '3.4 × 10³⁸', '6.0 × 10⁻⁸')
    """
    if 1 <= number < 1e6:
        return f"{number:,.0f}"
    digits, power = f"{number:.1e}".split("e")
    return f"{digits} × 10{superscript(int(power))}"
