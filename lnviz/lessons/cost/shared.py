"""Helpers of the figures of /cost: an axis of widths, and a note on the measuring machine."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lnviz.lessons.chart_axes import ChartAxis, log_axis
from lnviz.number_format import number
from lnviz.topics.cost.machine import Machine


def widths_axis(widths: Sequence[int]) -> ChartAxis:
    """Return a logarithmic axis of layer widths, with ticks at powers of two."""
    ticks = {float(width): f"{width:,}" for width in widths if math.log2(width) % 1 == 0}
    return log_axis("width", math.log10(widths[0]), math.log10(widths[-1]), ticks=ticks)


def machine_phrase(machine: Machine) -> str:
    """Return the name of the machine of a measurement, to follow "on" in a sentence.

    >>> machine_phrase(Machine("cpu", "AMD EPYC (CPU, 1 thread)"))
    'one CPU thread'
    >>> machine_phrase(Machine("cuda", "H200"))
    'H200'
    """
    return "one CPU thread" if machine.device == "cpu" else machine.words


def machine_note(machine: Machine, own: float) -> str:
    """Return a sentence on the fraction of time in which the measuring thread had a CPU core.

    It is empty for a GPU, where other threads of the same program work as well.

    >>> machine_note(Machine("cuda", "H200"), 0.5)
    ''
    """
    if machine.device != "cpu":
        return ""
    return (
        f" The measuring thread had a core for {number(100 * own, '0')}% of the time; other "
        "programs had it the rest of the time, which makes the times less reliable."
    )
