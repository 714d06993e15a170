"""A Plotly figure whose traces are bound to swept tensors and to where controls stand."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import plotly.graph_objects as go

from lnviz.explorable.swept import Swept
from lnviz.explorable.template import When, conditions, names, pieces


@dataclass(frozen=True)
class Along:
    """A tensor's values along one of its controls, the others where they stand: a curve."""

    tensor: str
    control: str


@dataclass(frozen=True)
class Edges:
    """The outline of a band, there and back: its upper edge, then its lower one reversed."""

    upper: str | Along
    lower: str | Along


@dataclass(frozen=True)
class Standing:
    """Of some traces the point, one each, at which a control stands.

    The point is looked up in what the browser has for those traces; a mark stands on its curve by
    itself, and nothing is computed for it.

    Args:
        control: Its position is the point's number; without a name, the last point is meant.
        traces: Numbers of the traces, which come before this one or are this one itself: its own
            points are then all those where the control can stand.
        places: The number of the point at each position, where it is another one.
    """

    control: str
    traces: tuple[int, ...]
    places: tuple[int, ...] = ()


Source = str | Along | Edges | Standing
Drawn = dict[str, list[float]]


@dataclass(frozen=True)
class Chart:
    """A Plotly figure whose trace attributes are bound to swept tensors.

    Lessons declare theirs by `lnviz.lessons.charts`.

    Args:
        title: A template, as in `Readout`.
        figure: The figure. A color `var(--ln-token)` is the theme's, light or dark as the page is.
        bind: For each trace that moves, by number: its attributes (`y`, `x`, ...) and what they
            are: a tensor's slice, its values `Along` a control, `Edges` of a band, or points where
            a control is `Standing`.
        alt: The chart in words, a template that follows the state.
        height: In CSS pixels.
        when: Where it is shown.
    """

    title: str
    figure: go.Figure
    bind: Mapping[int, Mapping[str, Source]]
    alt: str
    height: int = 360
    when: When = field(default_factory=dict)

    def payload(self) -> dict[str, Any]:
        """`Chart` of `payload.d.ts`, its conditions by value."""
        figure = _plain(self.figure.to_plotly_json())
        # Plotly's own look; the browser sets the theme's.
        figure["layout"].pop("template", None)
        return {
            "kind": "chart",
            "title": pieces(self.title),
            "figure": figure,
            "bind": {
                str(trace): {attribute: _document(source) for attribute, source in sources.items()}
                for trace, sources in self.bind.items()
            },
            "alt": pieces(self.alt),
            "height": self.height,
            "when": conditions(self.when),
        }

    def names(self) -> Iterator[str]:
        """Controls and tensors it refers to."""
        yield from (*names(self.title), *names(self.alt), *self.when)
        for sources in self.bind.values():
            for source in sources.values():
                yield from _names(source)

    def drawn(self, tensors: Mapping[str, Swept], state: Mapping[str, int]) -> dict[int, Drawn]:
        """What the bound traces show at a state, by number: what the browser looks up."""
        found: dict[int, Drawn] = {}
        for trace, sources in self.bind.items():
            found[trace] = {}  # a trace may stand on its own points
            own = {
                attribute: self._values(attribute, source, tensors, state, found)
                for attribute, source in sources.items()
            }
            found[trace] = own
        return found

    def _values(
        self,
        attribute: str,
        source: Source,
        tensors: Mapping[str, Swept],
        state: Mapping[str, int],
        before: Mapping[int, Drawn],
    ) -> list[float]:
        match source:
            case Edges():
                upper, lower = (
                    self._values(attribute, edge, tensors, state, before)
                    for edge in (source.upper, source.lower)
                )
                return upper + lower[::-1]
            case Standing():
                points = [
                    before.get(trace, {}).get(attribute) or list(self.figure.data[trace][attribute])
                    for trace in source.traces
                ]
                return [of[_place(source, state, len(of))] for of in points]
            case Along():
                return values(tensors[source.tensor], state, source.control)
            case _:
                return values(tensors[source], state)


def values(swept: Swept, state: Mapping[str, int], along: str = "") -> list[float]:
    """A slice as a list; along a control, its values there."""
    index = tuple(slice(None) if name == along else state[name] for name in swept.over)
    numbers: list[float] = swept.values[index].flatten().tolist()
    return numbers


def _place(source: Standing, state: Mapping[str, int], points: int) -> int:
    if not source.control:
        return points - 1
    place = state[source.control]
    return source.places[place] if source.places else place


def _names(source: Source) -> Iterator[str]:
    match source:
        case Along():
            yield from (source.tensor, source.control)
        case Edges():
            yield from (*_names(source.upper), *_names(source.lower))
        case Standing():
            yield from (name for name in (source.control,) if name)
        case _:
            yield source


def _document(source: Source) -> dict[str, Any]:
    match source:
        case Along():
            return {"kind": "values", "tensor": source.tensor, "along": source.control}
        case Edges():
            upper, lower = _document(source.upper), _document(source.lower)
            return {"kind": "edges", "upper": upper, "lower": lower}
        case Standing():
            return {
                "kind": "standing",
                "control": source.control,
                "traces": list(source.traces),
                "places": list(source.places),
            }
        case _:
            return {"kind": "values", "tensor": source, "along": ""}


def _plain(value: Any) -> Any:
    """The same without NaN and infinity, for which JSON has no word; Plotly skips null as well."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
