"""The chart kit: builds Plotly charts from a list of layers and two axes.

A chart is declared once, with its layers in drawing order and the names of tensors where values
follow the controls:

    chart(
        "Loss by rate",
        [
            norm_line("layer", RATE, "layer loss", band=("layer low", "layer high")),
            line("chance", "soft", [-3.0, 0.0], [2.3, 2.3], width=1.5, dash="dot"),
        ],
        log_axis("learning rate", -3, 0),
        linear_axis("loss", 0.0, 3.0),
        "Loss against the learning rate. At {rate} it is {layer loss:2}.",
    )

- **A curve along a control has a mark.** If `x` is a control, the curve has a point for each of its
  positions, and `y` may be the name of a tensor, for the tensor's values along the control. A mark
  shows the current position; the browser looks up its point on the curve. `mark=None` omits the
  mark, `Mark("diamond", "ink")` changes its style, and `at=control` adds a mark to a curve that has
  more points than the control has positions.
- **An axis** is a `linear_axis`, a `log_axis` (its data, including tensors, are logarithms; values
  of controls are converted), a `short_log_axis` (with ticks for few decades) or a `category_axis`.
- **A band** is the range around a mean: `band=(low, high)` of a line, drawn below all lines, or
  `mean_with_range` of several runs. `fill_between` draws a band without a line.
- **Values** are constant numbers, the name of a tensor, or `SliceAlong(name, control)`: a tensor's
  values along a control other than the axis.
- **Other layers** are `bars`, `points` and `markers` (plain and emphasized points), `labels` (text)
  and `heatmap` (colored cells). `marker` draws a mark that is not on a curve, such as a position on
  an axis. `note`, `threshold`, `hline` and `vline` are annotations.
- **Names** are written at the ends of lines. If a named layer is not a line, or there is not enough
  room, a legend lists all names but those with `label_at_end=True`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import BandEdges, Chart, Control, MarkAt, SliceAlong, TraceSource, When
from lnviz.lessons.chart_axes import ChartAxis, power_ticks
from lnviz.norms import CATALOGUE

Values = str | SliceAlong | Sequence[float] | Sequence[str] | Tensor
"""A tensor's name, its values along a control, or constant numbers."""
AxisValues = Values | Control
WIDTHS = {"none": 4.5, "rms": 5.0}
"""Line widths of norms whose curves may be covered by others."""
MAX_LABEL_LETTERS, LETTER_WIDTH, LABEL_HEIGHT, MARGIN_HEIGHT = 20, 7.5, 17, 90
"""The most letters of a name at a line's end; in CSS pixels, the width of a letter, the height of a
label, and the height of a chart outside its axes."""


@dataclass(frozen=True)
class Mark:
    """Symbol and color token of the mark on a curve; without a token, it has the curve's color."""

    symbol: str = "circle"
    token: str = ""


ROUND = Mark()


@dataclass(frozen=True)
class ChartTrace:
    """A Plotly trace, with the tensors and controls that supply its values.

    Attributes:
        trace: the Plotly trace.
        values: the values of its attributes, or the tensors that supply them, by attribute.
        token: the theme token of its color.
        at: the control whose position is marked on the trace.
        mark: the style of the mark.
        low: the lower edge of a band, whose upper edge is `y`; None for other traces.
        is_marker: whether it consists of a single mark at the positions of controls.
        label_at_end: whether its name is written at its end.
        draggable: the control that dragging its points moves.
    """

    trace: go.Scatter | go.Bar | go.Heatmap
    values: Mapping[str, AxisValues]
    token: str = "ink"
    at: Control | None = None
    mark: Mark | None = None
    low: Values | None = None
    is_marker: bool = False
    label_at_end: bool = False
    draggable: Control | None = None


@dataclass(frozen=True)
class Annotation:
    """Text in a chart, a horizontal or vertical line across the chart, or both.

    Attributes:
        annotation: the settings of a Plotly annotation; empty for no text.
        y: the height of a horizontal line.
        x: the position of a vertical line.
        style: the style of the line.
    """

    annotation: Mapping[str, Any]
    y: float | None = None
    x: float | None = None
    style: Mapping[str, Any] = field(default_factory=dict)


Layer = ChartTrace | Annotation


def line(
    name: str,
    token: str,
    x: AxisValues,
    y: Values,
    *,
    width: float = 3,
    dash: str = "solid",
    mark: Mark | None = ROUND,
    at: Control | None = None,
    band: tuple[Values, Values] | None = None,
    label_at_end: bool = False,
    **settings: Any,
) -> list[ChartTrace]:
    """Draw a line, optionally with a band around it.

    Args:
        name: The name in the legend.
        token: A color of the theme.
        x: A control, whose position is then marked; or a tensor or numbers.
        y: A tensor or numbers.
        width: The width in pixels.
        dash: A Plotly dash style.
        mark: The style of the mark at the control's position; None for no mark.
        at: The control whose position is marked, if `x` is a list of numbers.
        band: The lower and the upper edge of a band.
        label_at_end: Whether the name is written at the end of the line instead of in the legend.
        settings: Settings of `go.Scatter`.
    """
    style = {"color": f"var(--ln-{token})", "width": width, "dash": dash}
    shown: dict[str, Any] = {"showlegend": False} if label_at_end else {}
    trace = go.Scatter(name=name, line=style, **{"mode": "lines", **shown, **settings})
    told = at if at is not None or not isinstance(x, Control) else x
    curve = ChartTrace(trace, {"x": x, "y": y}, token, told, mark, label_at_end=label_at_end)
    return [*(fill_between(token, x, *band) if band else []), curve]


def norm_line(
    norm: str, x: AxisValues, y: Values, *, name: str = "", **settings: Any
) -> list[ChartTrace]:
    """Draw a norm's curve in the color and dash, and with the label, of its catalogue entry."""
    known = CATALOGUE[norm]
    style = {"width": WIDTHS.get(norm, 2.5), "dash": known.dash}
    return line(name or known.label, norm, x, y, **{**style, **settings})


def drawing_order(norms: Iterable[str]) -> list[str]:
    """Return norms in drawing order: wide curves first, so that no curve hides another."""
    return sorted(norms, key=lambda norm: -WIDTHS.get(norm, 0))


def mean_with_range(
    name: str, token: str, x: AxisValues, values: Float[Tensor, "points runs"], **settings: Any
) -> list[ChartTrace]:
    """Draw the mean of several runs as a line, in a band from the lowest to the highest run."""
    low, high = values.aminmax(dim=1)
    return line(name, token, x, values.mean(1), band=(low, high), **settings)


def fill_between(token: str, x: AxisValues, low: Values, high: Values) -> list[ChartTrace]:
    """Fill the area between two curves, as a band without a line."""
    trace = go.Scatter(
        fill="toself",
        mode="lines",
        line={"width": 0, "color": f"var(--ln-{token})"},
        opacity=0.25,
        showlegend=False,
    )
    return [ChartTrace(trace, {"x": x, "y": high}, token, low=low)]


def bars(
    name: str, token: str, x: Values, y: Values, draggable: Control | None = None, **settings: Any
) -> list[ChartTrace]:
    """Draw bars of height `y` at the positions `x`; dragging them moves the control `draggable`."""
    marker = {"color": f"var(--ln-{token})"}
    trace = go.Bar(name=name, **{"marker": marker, **settings})
    return [ChartTrace(trace, {"x": x, "y": y}, draggable=draggable)]


def points(
    name: str,
    token: str,
    x: Values,
    y: Values,
    size: float,
    *,
    draggable: Control | None = None,
    marker_style: Mapping[str, Any] | None = None,
    **settings: Any,
) -> list[ChartTrace]:
    """Draw plain points, without an outline.

    Args:
        name: The name in the legend.
        token: A color of the theme.
        x: A tensor or numbers.
        y: A tensor or numbers.
        size: The width of a point in pixels.
        draggable: The control that dragging them moves.
        marker_style: Further settings of Plotly's markers, such as the symbol.
        settings: Settings of `go.Scatter`.
    """
    marker = {"size": size, "color": f"var(--ln-{token})", **(marker_style or {})}
    given = {"mode": "markers", **_legend_settings(name), **settings}
    return [ChartTrace(go.Scatter(marker=marker, **given), {"x": x, "y": y}, draggable=draggable)]


def markers(
    token: str | Sequence[str],
    x: Values,
    y: Values,
    *,
    symbol: str = "circle",
    name: str = "",
    **settings: Any,
) -> list[ChartTrace]:
    """Draw emphasized points with an outline, in one color or in a color for each point."""
    colors = [f"var(--ln-{one})" for one in ([token] if isinstance(token, str) else token)]
    color = colors[0] if isinstance(token, str) else colors
    trace = _marker_trace(symbol, color).update(**_legend_settings(name)).update(**settings)
    return [ChartTrace(trace, {"x": x, "y": y})]


def labels(
    x: Values, y: Values, written: Sequence[str], position: str | Sequence[str], **settings: Any
) -> list[ChartTrace]:
    """Write text at each point; `position` is Plotly's `textposition`."""
    given = {"mode": "text", "text": written, "textposition": position, "showlegend": False}
    return [ChartTrace(go.Scatter(**given, **settings), {"x": x, "y": y})]


def heatmap(
    x: Values,
    y: Values,
    z: str,
    shades: Iterable[tuple[float, str]],
    ends: tuple[float, float],
    *,
    log: bool = False,
) -> list[ChartTrace]:
    """Draw a heatmap: a grid of cells, colored by the values of a tensor.

    Args:
        x: The horizontal position of each column.
        y: The vertical position of each row.
        z: The tensor's name.
        shades: The color scale: theme tokens at fractions from 0 to 1.
        ends: The values with the first and the last color.
        log: Whether the tensor has base-10 logarithms; the color bar then shows the values
            themselves.
    """
    low, high = ends
    ticks = power_ticks(low, high) if log else {}
    trace = go.Heatmap(
        colorscale=[[at, f"var(--ln-{token})"] for at, token in shades],
        zmin=low,
        zmax=high,
        colorbar={"thickness": 12, "len": 1.0, "outlinewidth": 0, **ticks},
    )
    return [ChartTrace(trace, {"x": x, "y": y, "z": z})]


def marker(
    x: Control | float | str, y: Control | float | str, mark: Mark = ROUND, **settings: Any
) -> list[ChartTrace]:
    """Draw a single mark that is on no curve, such as a control's position on an axis.

    Args:
        x: A control, a number on the axis, or the name of a tensor.
        y: A control, a number on the axis, or the name of a tensor.
        mark: Its style.
        settings: Settings of `go.Scatter`.
    """
    token = mark.token or "ink"
    places: dict[str, AxisValues] = {
        name: [float(at)] if isinstance(at, int | float) else at
        for name, at in (("x", x), ("y", y))
    }
    trace = _marker_trace(mark.symbol, f"var(--ln-{token})")
    return [ChartTrace(trace.update(showlegend=False, **settings), places, token, is_marker=True)]


def threshold(
    y: float, text: str, *, above: bool = True, anchor: str = "right", **settings: Any
) -> Annotation:
    """Draw a thin horizontal line across a chart, with text at one of its ends."""
    x = {"left": 0.01, "right": 0.97}[anchor]  # beside the right end, lines may have their names
    annotation = note(x, y, text, above=above, anchor=anchor, **settings)
    return replace(annotation, y=y, style=_thin("soft", 1))


def hline(y: float, token: str = "soft", width: float = 1) -> Annotation:
    """Draw a solid horizontal line across a chart."""
    return Annotation({}, y=y, style=_thin(token, width) | {"dash": "solid"})


def vline(x: float, token: str = "soft", width: float = 1) -> Annotation:
    """Draw a thin, dotted vertical line across a chart."""
    return Annotation({}, x=x, style=_thin(token, width))


def note(
    x: float, y: float, text: str, *, above: bool = True, anchor: str = "right", **settings: Any
) -> Annotation:
    """Write text at a position in a chart.

    Args:
        x: The position as a fraction of the width.
        y: The position on the vertical axis.
        text: The text.
        above: Whether the text is above `y` or below it.
        anchor: The side of the text that is at `x`: `left`, `center` or `right`.
        settings: Settings of Plotly's annotation; with `xref="x"`, `x` is in data units.
    """
    return Annotation(
        {
            "x": x,
            "y": y,
            "xref": "paper",
            "xanchor": anchor,
            "yanchor": "bottom" if above else "top",
            "text": text,
            "showarrow": False,
            "font": {"color": "var(--ln-soft)", "size": 13},
            **settings,
        }
    )


def chart(
    title: str,
    drawn: Iterable[Layer | Iterable[Layer]],
    x: ChartAxis,
    y: ChartAxis,
    alt: str,
    *,
    height: int = 360,
    when: When | None = None,
    legend: bool = True,
    **layout: Any,
) -> Chart:
    """Build a chart from layers and two axes; bands are drawn first and marks last.

    Args:
        title: A template, as in `Readout`.
        drawn: The layers, in drawing order.
        x: The horizontal axis.
        y: The vertical axis.
        alt: The alternative text, a template.
        height: The height in CSS pixels.
        when: The control values at which the chart is shown.
        legend: Whether names are shown, at the ends of lines or in a legend.
        layout: Settings of Plotly's layout.
    """
    listed = [
        one for group in drawn for one in (group if isinstance(group, Iterable) else (group,))
    ]
    parts = [one for one in listed if isinstance(one, ChartTrace)]
    parts.sort(key=lambda part: part.low is None)  # the sort is stable
    if legend and (at_ends := _with_end_labels(parts, height)):
        parts, legend = at_ends, False
    figure = go.Figure(layout=layout)
    bind: dict[int, Mapping[str, TraceSource]] = {}
    for number, part in enumerate(parts):
        trace, sources = _bind(part, {"x": x, "y": y}, number)
        figure.add_trace(trace)
        bind |= {number: sources} if sources else {}
    for trace, sources in (*_marks(parts, {"x": x, "y": y}), *_end_labels(parts)):
        bind[len(figure.data)] = sources
        figure.add_trace(trace)
    for words in listed:
        if isinstance(words, Annotation):
            _add_annotation(figure, words)
    bases = {letter: axis.base for letter, axis in (("x", x), ("y", y)) if axis.base}
    figure.update_layout(xaxis=x.layout(), yaxis=y.layout(), meta=bases or None)
    names = [part.trace.name for part in parts if part.label_at_end]
    if names and figure.layout.margin.r is None:
        figure.update_layout(margin={"r": round(16 + LETTER_WIDTH * max(map(len, names)))})
    if legend:
        row = {"orientation": "h", "y": 1.02, "yanchor": "bottom"}
        figure.update_layout(showlegend=True, legend=row)
    grips = {number: part.draggable.name for number, part in enumerate(parts) if part.draggable}
    return Chart(title, figure, bind, alt, height, grips, when or {})


def _bind(
    part: ChartTrace, axes: Mapping[str, ChartAxis], number: int
) -> tuple[go.Scatter | go.Bar | go.Heatmap, dict[str, TraceSource]]:
    """Set a trace's constant values; return the trace, and the sources of its other values."""
    sources: dict[str, TraceSource] = {}
    along = part.values.get("x")
    control = along.name if isinstance(along, Control) and not part.is_marker else ""
    for name, given in part.values.items():
        if isinstance(given, Control):
            value: str | SliceAlong | list[Any] = axes[name].positions_of(given)
            if part.is_marker:
                sources[name] = MarkAt(given.name, (number,))
        else:
            value = _resolve(given, control)
        back = value
        if part.low is not None and name == "y":
            back = _resolve(part.low, control)
        if isinstance(value, list) and isinstance(back, list):
            part.trace[name] = value if part.low is None else [*value, *reversed(back)]
        elif not isinstance(value, list) and not isinstance(back, list):
            sources[name] = value if part.low is None else BandEdges(value, back)
        else:
            raise ValueError("the edges of a band are two tensors, or two lists of numbers")
    return part.trace, sources


def _resolve(values: Values, control: str) -> str | SliceAlong | list[Any]:
    """Return the values of a trace attribute: numbers, or the tensor that supplies them."""
    if isinstance(values, str):
        return SliceAlong(values, control) if control else values
    if isinstance(values, SliceAlong):
        return values
    return values.tolist() if isinstance(values, Tensor) else list(values)


def _marks(
    parts: Sequence[ChartTrace], axes: Mapping[str, ChartAxis]
) -> Iterable[tuple[go.Scatter, dict[str, TraceSource]]]:
    """Yield a trace for each control, which marks the control's position on its curves."""
    marked: dict[MarkAt, list[int]] = {}
    for number, part in enumerate(parts):
        if part.at and part.mark:
            standing = MarkAt(part.at.name, (), _point_indices(part, part.at, axes["x"]))
            marked.setdefault(standing, []).append(number)
    for standing, on in marked.items():
        looks = [parts[number].mark or ROUND for number in on]
        colors = [
            f"var(--ln-{look.token or parts[number].token})"
            for number, look in zip(on, looks, strict=True)
        ]
        symbols = [look.symbol for look in looks]
        trace = _marker_trace(
            symbols[0] if len(set(symbols)) == 1 else symbols,
            colors[0] if len(on) == 1 else colors,
        )
        source = replace(standing, traces=tuple(on))
        yield trace.update(showlegend=False), {"x": source, "y": source}


def _point_indices(part: ChartTrace, control: Control, x: ChartAxis) -> tuple[int, ...]:
    """Map a control's positions to indices of points on a curve; () for the identity map."""
    given = part.values["x"]
    if isinstance(given, Control | str | SliceAlong):
        return ()
    numbers = [float(place) for place in given]
    wanted = x.positions_of(control)
    places = [
        next((n for n, place in enumerate(numbers) if math.isclose(place, at, abs_tol=1e-6)), -1)
        for at in wanted
    ]
    if -1 in places:
        raise ValueError(
            f"the curve {part.trace.name!r} has no point where {control.name!r} is "
            f"{control.label(places.index(-1))}; a mark sits on a point of its curve"
        )
    return () if places == list(range(len(numbers))) else tuple(places)


def _with_end_labels(parts: Sequence[ChartTrace], height: int) -> list[ChartTrace]:
    """Return traces with names at the ends of lines; return [] if a legend is needed instead."""
    named = [part for part in parts if part.trace.name and part.trace.showlegend is not False]
    ended = [part for part in named if _has_end(part) and len(part.trace.name) <= MAX_LABEL_LETTERS]
    if not named or len(ended) < len(named) or len(named) * LABEL_HEIGHT > height - MARGIN_HEIGHT:
        return []
    known = set(map(id, named))
    for part in named:
        part.trace.showlegend = False
    return [replace(part, label_at_end=part.label_at_end or id(part) in known) for part in parts]


def _has_end(part: ChartTrace) -> bool:
    """Return whether a trace is a line whose last point is known, so that it can have a label."""
    is_line = isinstance(part.trace, go.Scatter) and part.trace.mode == "lines"
    return is_line and not isinstance(part.values.get("x"), str | SliceAlong | None)


def _end_labels(parts: Sequence[ChartTrace]) -> Iterable[tuple[go.Scatter, dict[str, TraceSource]]]:
    """Yield a text trace that writes the names of lines at their right ends."""
    on = [number for number, part in enumerate(parts) if part.label_at_end]
    if not on:
        return
    trace = go.Scatter(
        x=[parts[number].trace.x[-1] for number in on],
        mode="text",
        # A space keeps clear of a mark on the end; text outside the axes would be clipped.
        text=[f"\u2002{parts[number].trace.name}" for number in on],
        textposition="middle right",
        textfont={"color": [f"var(--ln-{parts[number].token})" for number in on], "size": 13},
        cliponaxis=False,
        showlegend=False,
    )
    yield trace, {"y": MarkAt("", tuple(on))}


def _legend_settings(name: str) -> dict[str, Any]:
    return {"name": name} if name else {"showlegend": False}


def _marker_trace(symbol: str | list[str], color: str | list[str]) -> go.Scatter:
    outline = {"color": "var(--ln-page)", "width": 2}
    marker = {"symbol": symbol, "size": 12, "color": color, "line": outline}
    return go.Scatter(mode="markers", cliponaxis=False, marker=marker)


def _add_annotation(figure: go.Figure, words: Annotation) -> None:
    if words.y is not None:
        figure.add_hline(words.y, line=words.style)
    if words.x is not None:
        figure.add_vline(words.x, line=words.style)
    if words.annotation:
        figure.add_annotation(**words.annotation)


def _thin(token: str, width: float) -> dict[str, Any]:
    return {"color": f"var(--ln-{token})", "width": width, "dash": "dot"}
