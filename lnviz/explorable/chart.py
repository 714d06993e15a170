"""Plotly charts that follow a figure's controls.

Their data come from swept tensors: values computed in advance for every position of the controls.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import plotly.graph_objects as go

from lnviz.explorable.controls import Control
from lnviz.explorable.schema import FieldType, Name, NameOrNone, Serializable, Template, When
from lnviz.explorable.swept import SweptTensor
from lnviz.explorable.view_base import BaseView


@dataclass(frozen=True)
class SliceAlong:
    """Trace data: a tensor's values along one control, at the other controls' current state."""

    tensor: str
    control: str


def _curve_json(curve: str | SliceAlong) -> dict[str, Any]:
    of = curve if isinstance(curve, SliceAlong) else SliceAlong(curve, "")
    return {"kind": "values", "tensor": of.tensor, "along": of.control}


def _curve_names(curve: str | SliceAlong) -> tuple[str, ...]:
    return (curve.tensor, curve.control) if isinstance(curve, SliceAlong) else (curve,)


Curve = Annotated[str | SliceAlong, FieldType("Values", _curve_json, _curve_names)]
"""A tensor's slice, or its values along a control."""


@dataclass(frozen=True)
class BandEdges(Serializable, kind="band"):
    """Trace data: the outline of a band (its upper edge, then its lower edge reversed)."""

    upper: Curve
    lower: Curve


@dataclass(frozen=True)
class MarkAt(Serializable, kind="mark"):
    """Trace data of a marker: the points, on the given traces, at a control's current position.

    The browser looks the points up in the data of those traces, so nothing is computed for a mark.

    Args:
        control: The control whose position is the index of the point. If "", the mark is at the
            last finite point, and the browser separates marks that would overlap.
        traces: Indices of the traces, either preceding ones or this trace itself, whose points are
            then all possible positions of the mark.
        indices: The index of the point for each position of the control, if they differ.
    """

    control: NameOrNone
    traces: tuple[int, ...]
    indices: tuple[int, ...] = ()


TraceSource = Annotated[
    str | SliceAlong | BandEdges | MarkAt,
    FieldType(
        "TraceSource",
        lambda source: (
            source.payload() if isinstance(source, Serializable) else _curve_json(source)
        ),
        lambda source: (
            source.references() if isinstance(source, Serializable) else _curve_names(source)
        ),
    ),
]
TraceData = dict[str, list[float]]


def _without_nan(value: Any) -> Any:
    """Return JSON data with NaN and infinity replaced by null, which Plotly skips as well."""
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _figure_json(figure: go.Figure) -> dict[str, Any]:
    document: dict[str, Any] = _without_nan(figure.to_plotly_json())
    # Plotly's default style; the browser sets that of the theme.
    document["layout"].pop("template", None)
    return document


Drawing = Annotated[
    go.Figure,
    FieldType("{ data: Record<string, any>[]; layout: Record<string, any> }", _figure_json),
]


@dataclass(frozen=True)
class Chart(BaseView, kind="chart"):
    """A Plotly figure whose traces (`x`, `y`, ...) change with the positions of the controls.

    Lessons build charts with `lnviz.lessons.charts`.

    Args:
        title: A template, as in `Readout`.
        figure: The figure. A color `var(--ln-token)` follows the theme, light or dark.
        bind: The data sources of each trace that depends on the controls, by trace index and
            attribute (`y`, `x`, ...): a tensor's slice, its values along a control (`SliceAlong`),
            the outline of a band (`BandEdges`), or the points at a control's position (`MarkAt`).
        alt: The alternative text, a template.
        height: The height in CSS pixels.
        draggable: The control that dragging a trace's points moves, by trace index. Marks of
            controls are draggable by default.
        when: The control values at which it is shown.
    """

    title: Template
    figure: Drawing
    bind: Mapping[int, Mapping[str, TraceSource]]
    alt: Template
    height: int = 360
    draggable: Mapping[int, Name] = field(default_factory=dict)
    when: When = field(default_factory=dict)

    def check(self, tensors: Mapping[str, SweptTensor], controls: Mapping[str, Control]) -> None:
        """Check that a marker's traces have a point for every position of the marker's control."""
        marks = [
            (trace, attribute, source)
            for trace, sources in self.bind.items()
            for attribute, source in sources.items()
            if isinstance(source, MarkAt) and source.control
        ]
        start = {name: control.start_index for name, control in controls.items()}
        drawn = self.trace_data(tensors, start) if marks else {}
        for trace, attribute, source in marks:
            size = controls[source.control].size
            positions = source.indices or range(size)
            if len(positions) != size:
                raise ValueError(
                    f"trace {trace} of {self.title!r} has {len(positions)} places for "
                    f"{size} positions of {source.control!r}"
                )
            for on in source.traces:
                bound = drawn[on].get(attribute) if on in drawn and on != trace else None
                points = self.figure.data[on][attribute] if bound is None else bound
                if max(positions) >= len(points):
                    raise ValueError(
                        f"trace {trace} of {self.title!r} is stacked on trace {on}, whose "
                        f"{attribute} has {len(points)} points; {source.control!r} needs "
                        f"{max(positions) + 1}"
                    )

    def trace_data(
        self, tensors: Mapping[str, SweptTensor], state: Mapping[str, int]
    ) -> dict[int, TraceData]:
        """Return the data of traces that depend on the controls, at a state, by trace index."""
        drawn: dict[int, TraceData] = {}
        for trace, sources in self.bind.items():
            drawn[trace] = {}  # a mark may be on its own trace
            own = {
                attribute: self._values(attribute, source, tensors, state, drawn)
                for attribute, source in sources.items()
            }
            drawn[trace] = own
        return drawn

    def _values(
        self,
        attribute: str,
        source: TraceSource,
        tensors: Mapping[str, SweptTensor],
        state: Mapping[str, int],
        before: Mapping[int, TraceData],
    ) -> list[float]:
        match source:
            case BandEdges():
                upper, lower = (
                    self._values(attribute, edge, tensors, state, before)
                    for edge in (source.upper, source.lower)
                )
                return upper + lower[::-1]
            case MarkAt():
                points = [
                    before.get(trace, {}).get(attribute) or list(self.figure.data[trace][attribute])
                    for trace in source.traces
                ]
                if not source.control:
                    return [next(filter(math.isfinite, reversed(of)), math.nan) for of in points]
                return [of[_point_index(source, state)] for of in points]
            case SliceAlong():
                return slice_values(tensors[source.tensor], state, source.control)
            case _:
                return slice_values(tensors[source], state)


def slice_values(swept: SweptTensor, state: Mapping[str, int], along: str = "") -> list[float]:
    """Return a tensor's values at a state as a list, or at all positions of the control `along`."""
    index = tuple(slice(None) if name == along else state[name] for name in swept.dims)
    numbers: list[float] = swept.values[index].flatten().tolist()
    return numbers


def _point_index(source: MarkAt, state: Mapping[str, int]) -> int:
    place = state[source.control]
    return source.indices[place] if source.indices else place
