"""The axes of charts: linear, powers or categories; and numbers as they are written on them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Control, Slider
from lnviz.number_format import number

MOST_TICKS = 11
ALONE = 0.1  # room on an axis to either side of what stands there alone
SPARSE = 8.0  # how far an axis must reach for ticks at 1, 3, 10, 30
MOST_BETWEEN = 6  # steps from tick to tick on a shorter one

Ticks = Sequence[float] | Mapping[float, str] | Mapping[int, str]


@dataclass(frozen=True)
class Axis:
    """An axis of a chart.

    Attributes:
        title: the title, in words.
        ends: its lowest and its highest number, as drawn; without them Plotly finds them.
        base: the base of the logarithms that its data are, 10 or 2; 0 where they are none.
        settings: settings of Plotly's axis.
    """

    title: str
    ends: tuple[float, float] | None
    base: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)

    def of(self, control: Control) -> list[float]:
        """Return the places of a control's positions."""
        if not isinstance(control, Slider):
            return [float(position) for position in range(control.size)]
        if not self.base:
            return list(control.values)
        return [_log(value, self.base) for value in control.values]

    def layout(self) -> dict[str, Any]:
        """Return the axis as Plotly has it."""
        ends = {} if self.ends is None else {"range": list(self.ends)}
        title = {"title": self.title} if self.title else {}
        return {**ends, **title, **self.settings}


def linear(
    title: str,
    low: float | None = None,
    high: float | None = None,
    *,
    room: bool = True,
    ticks: Ticks | None = None,
    **settings: Any,
) -> Axis:
    """Make an axis of numbers.

    Args:
        title: The title, in words.
        low: The number at which it begins.
        high: The number at which it ends.
        room: Whether it shows a bit more, so that a mark has room at either end.
        ticks: Where ticks are, or what they say there.
        settings: Settings of Plotly's axis.
    """
    ends = None
    if low is not None and high is not None:
        ends = span(low, high) if room else (low, high)
    return Axis(title, ends, settings={**_ticks(ticks, 0), **settings})


def powers(
    title: str,
    low: float,
    high: float,
    *,
    base: int = 10,
    ticks: Ticks | None = None,
    floor: bool = False,
    room: bool = True,
    **settings: Any,
) -> Axis:
    """Make a logarithmic axis, whose data are logarithms.

    Args:
        title: The title, in words.
        low: The lowest power.
        high: The highest power.
        base: The base of the logarithms, 10 or 2.
        ticks: Numbers that have a tick, or what it says there; otherwise powers of ten have one.
        floor: Whether what is less than the lowest power is drawn there.
        room: Whether it shows a bit more, so that a mark has room at either end.
        settings: Settings of Plotly's axis.
    """
    at = _ticks(ticks, base) if ticks else _powers(low, high, floor)
    ends = span(low, high) if room else (low, high)
    return Axis(title, ends, base, {**at, "zeroline": False, **settings})


def logarithmic(title: str, low: float, high: float) -> Axis:
    """Make a logarithmic axis for few decades: ticks at 1, 3, 10, 30, or between.

    Args:
        title: The title, in words.
        low: The lowest number, and not its logarithm.
        high: The highest number.
    """
    ticks = [float(f"{mantissa}e{power}") for power in range(-6, 7) for mantissa in (1, 3)]
    if high < SPARSE * low:
        ticks = _evenly(low, high)
    return powers(title, math.log10(low), math.log10(high), ticks=ticks)


def categories(title: str, names: Sequence[str], *, beyond: float = 0.5, **settings: Any) -> Axis:
    """Make an axis with a name at each whole number from 0 on.

    Args:
        title: The title, in words.
        names: The names, from the first to the last.
        beyond: How far it reaches beyond either end.
        settings: Settings of Plotly's axis.
    """
    ends = (-beyond, len(names) - 1 + beyond)
    ticks = {float(place): name for place, name in enumerate(names)}
    return Axis(title, ends, settings={**_ticks(ticks, 0), "zeroline": False, **settings})


def span(low: float, high: float) -> tuple[float, float]:
    """Return the range of an axis with room for a mark at either end, or around a single place."""
    room = (high - low) / 40 or ALONE
    return low - room, high + room


def _log(number: float, base: int) -> float:
    """A logarithm, whole where it is."""
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


def _powers(low: float, high: float, floor: bool) -> dict[str, Any]:
    first, last = math.ceil(low), math.floor(high)
    every = next(n for n in (1, 2, 5, 10, 20, 50, 100) if (last - first) / n < MOST_TICKS)
    begin = first if floor else 0
    shown = [power for power in range(first, last + 1) if (power - begin) % every == 0]
    text = [
        number(10.0**power, "g") if abs(power) <= 2 else f"10<sup>{power}</sup>" for power in shown
    ]
    if floor:
        text[0] += " or less"
    return {"tickvals": shown, "ticktext": text}


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


def decades(values: Float[Tensor, "..."], floor: float | None = None) -> Float[Tensor, "..."]:
    """Return logarithms to base 10.

    Args:
        values: Numbers, none of them below 0.
        floor: The least logarithm; without it, 0 and what has overflowed give NaN.

    >>> decades(torch.tensor([100.0, 0.0]), -6), decades(torch.tensor([100.0, 0.0]))
    (tensor([ 2., -6.]), tensor([2., nan]))
    """
    if floor is not None:
        return values.clamp(min=10.0**floor).log10().float()
    logs = values.double().log10()
    return torch.where(logs.isfinite(), logs, torch.nan).float()
