"""What the lesson's figures share: an axis and a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lnviz.lessons.chart_axes import ChartAxis, log_axis
from lnviz.number_format import number
from lnviz.topics.cost.machine import Machine


def widths_axis(widths: Sequence[int]) -> ChartAxis:
    """Make an x axis of widths, whose data are logarithms: ticks at powers of two."""
    ticks = {float(width): f"{width:,}" for width in widths if math.log2(width) % 1 == 0}
    return log_axis("width", math.log10(widths[0]), math.log10(widths[-1]), ticks=ticks)


def undisturbed(machine: Machine, own: float) -> str:
    """Say how much of the time the measuring thread had a core.

    Nothing is said of a graphics card: there other threads of the same program work, too.

    >>> undisturbed(Machine("cuda", "H200"), 0.5)
    ''
    """
    if machine.device != "cpu":
        return ""
    return (
        f" The measuring thread had a core for {number(100 * own, '0')} % of the time; what is "
        "missing went to other programs. The more that is, the less the times tell."
    )
