"""Axes that the lesson's charts share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lnviz.lessons.chart_axes import Axis, powers


def widths_axis(widths: Sequence[int]) -> Axis:
    """Make an x axis of widths, whose data are logarithms: ticks at powers of two."""
    ticks = {float(width): f"{width:,}" for width in widths if math.log2(width) % 1 == 0}
    return powers("width", math.log10(widths[0]), math.log10(widths[-1]), ticks=ticks)
