"""Axes of charts: linear, logarithmic or categorical."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Control, Slider
from lnviz.number_format import number, superscript

MAX_TICKS = 11
SINGLE_VALUE_MARGIN = 0.1  # the margin on either side of a single value
MIN_SPARSE_RATIO = 8.0  # the least ratio of ends with ticks at 1, 3, 10, 30
MAX_STEPS = 6  # between ticks of a shorter axis

Ticks = Sequence[float] | Mapping[float, str] | Mapping[int, str]


@dataclass(frozen=True)
class ChartAxis:
    """An axis of a chart: its title, range, scale and Plotly settings.

    Attributes:
        title: the title.
        range: its lowest and highest value; None lets Plotly choose.
        base: the base of logarithmic data, 10 or 2; 0 for a linear axis.
        settings: settings of Plotly's axis.
    """

    title: str
    range: tuple[float, float] | None
    base: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)

    def positions_of(self, control: Control) -> list[float]:
        """Return a control's positions as coordinates on this axis: logarithms on a log axis."""
        if not isinstance(control, Slider):
            return [float(position) for position in range(control.size)]
        if not self.base:
            return list(control.values)
        return [_log(value, self.base) for value in control.values]

    def layout(self) -> dict[str, Any]:
        """Return the settings of this axis for Plotly's layout."""
        ends = {} if self.range is None else {"range": list(self.range)}
        title = {"title": self.title} if self.title else {}
        return {**ends, **title, **self.settings}


def linear_axis(
    title: str,
    low: float | None = None,
    high: float | None = None,
    *,
    padded: bool = True,
    ticks: Ticks | None = None,
    **settings: Any,
) -> ChartAxis:
    """Make a linear axis.

    Args:
        title: The title.
        low: The lowest value.
        high: The highest value.
        padded: Whether it extends slightly beyond both ends, to leave room for marks.
        ticks: The positions of ticks, or their labels by position.
        settings: Settings of Plotly's axis.
    """
    ends = None
    if low is not None and high is not None:
        ends = padded_range(low, high) if padded else (low, high)
    return ChartAxis(title, ends, settings={**_ticks(ticks, 0), **settings})


def log_axis(
    title: str,
    low: float,
    high: float,
    *,
    base: int = 10,
    ticks: Ticks | None = None,
    floor: bool = False,
    padded: bool = True,
    **settings: Any,
) -> ChartAxis:
    """Make a logarithmic axis for data that are already logarithms.

    Args:
        title: The title.
        low: The lowest exponent.
        high: The highest exponent.
        base: The base of the logarithms, 10 or 2.
        ticks: The values with ticks, or their labels by value; by default, powers of ten.
        floor: Whether smaller values are drawn at the low end, whose label then says so.
        padded: Whether it extends slightly beyond both ends, to leave room for marks.
        settings: Settings of Plotly's axis.
    """
    at = _ticks(ticks, base) if ticks else power_ticks(low, high, floor=floor)
    ends = padded_range(low, high) if padded else (low, high)
    return ChartAxis(title, ends, base, {**at, "zeroline": False, **settings})


def short_log_axis(title: str, low: float, high: float) -> ChartAxis:
    """Make a logarithmic axis for a few decades, with ticks at 1, 3, 10, 30, ... or denser.

    Args:
        title: The title.
        low: The lowest value (not its logarithm).
        high: The highest value.
    """
    ticks = [float(f"{mantissa}e{power}") for power in range(-6, 7) for mantissa in (1, 3)]
    if high < MIN_SPARSE_RATIO * low:
        ticks = _round_ticks(low, high)
    return log_axis(title, math.log10(low), math.log10(high), ticks=ticks)


def category_axis(
    title: str, names: Sequence[str], *, beyond: float = 0.5, **settings: Any
) -> ChartAxis:
    """Make an axis of named categories, at the coordinates 0, 1, 2, and so on.

    Args:
        title: The title.
        names: The categories.
        beyond: The margin beyond both ends.
        settings: Settings of Plotly's axis.
    """
    ends = (-beyond, len(names) - 1 + beyond)
    ticks = {float(place): name for place, name in enumerate(names)}
    return ChartAxis(title, ends, settings={**_ticks(ticks, 0), "zeroline": False, **settings})


def padded_range(low: float, high: float) -> tuple[float, float]:
    """Widen a range slightly, so that marks at its ends are not cut off."""
    room = (high - low) / 40 or SINGLE_VALUE_MARGIN
    return low - room, high + room


def _log(number: float, base: int) -> float:
    """Return a base-2 or base-10 logarithm, which is exact for powers of the base."""
    return math.log2(number) if base == 2 else math.log10(number)


def _ticks(ticks: Ticks | None, base: int) -> dict[str, Any]:
    if ticks is None:
        return {}
    places = [_log(tick, base) if base else tick for tick in ticks]
    if isinstance(ticks, Mapping):
        return {"tickvals": places, "ticktext": list(ticks.values())}
    return {"tickvals": places} | (
        {"ticktext": [number(tick, "g") for tick in ticks]} if base else {}
    )


def power_ticks(low: float, high: float, *, floor: bool = False) -> dict[str, Any]:
    """Return ticks at powers of ten, as settings of a Plotly axis or color bar of logarithms.

    Args:
        low: The lowest power.
        high: The highest power.
        floor: Whether smaller values are drawn at the lowest power, which its label then says.

    >>> power_ticks(-1.3, 3.2)
    {'tickvals': [-1, 0, 1, 2, 3], 'ticktext': ['0.1', '1', '10', '100', '10³']}
    """
    first, last = math.ceil(low), math.floor(high)
    every = next(n for n in (1, 2, 5, 10, 20, 50, 100) if (last - first) / n < MAX_TICKS)
    begin = first if floor else 0
    shown = [power for power in range(first, last + 1) if (power - begin) % every == 0]
    text = [
        number(10.0**power, "g") if abs(power) <= 2 else f"10{superscript(power)}"
        for power in shown
    ]
    if floor:
        text[0] += " or less"
    return {"tickvals": shown, "ticktext": text}


def _round_ticks(low: float, high: float) -> list[float]:
    """Return a few equally spaced round numbers within a range, for ticks.

    >>> _round_ticks(55.0, 84.0)
    [55.0, 60.0, 65.0, 70.0, 75.0, 80.0]
    """
    apart = (high - low or low) / MAX_STEPS
    power = math.floor(math.log10(apart))
    step = next(s for n in (1, 2, 5, 10) if (s := float(f"{n}e{power}")) >= apart)
    whole = range(math.ceil(low / step), math.floor(high / step) + 1)
    return [float(f"{place * step:.12g}") for place in whole]


def to_log10(values: Float[Tensor, "..."], floor: float | None = None) -> Float[Tensor, "..."]:
    """Return base-10 logarithms, either clamped at a floor or with NaN for 0 and infinity.

    Args:
        values: Nonnegative values.
        floor: The smallest logarithm; if None, the results for 0 and infinity are NaN.

    >>> to_log10(torch.tensor([100.0, 0.0]), -6), to_log10(torch.tensor([100.0, 0.0]))
    (tensor([ 2., -6.]), tensor([2., nan]))
    """
    if floor is not None:
        return values.clamp(min=10.0**floor).log10().float()
    logs = values.double().log10()
    return torch.where(logs.isfinite(), logs, torch.nan).float()
