"""Axes that the lesson's charts share."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from lnviz.lessons.plots import logs, span


def widths_axis(figure: go.Figure, widths: Sequence[int]) -> None:
    """An x axis of widths, whose data are logarithms: ticks at powers of two."""
    logs(figure, "x")
    places = [math.log10(width) for width in widths]
    ticks = [width for width in widths if math.log2(width) % 1 == 0]
    figure.update_xaxes(
        range=span(places),
        tickvals=[math.log10(tick) for tick in ticks],
        ticktext=[f"{tick:,}" for tick in ticks],
        title="width",
    )
