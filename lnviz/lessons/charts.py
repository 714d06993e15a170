"""The chart kit: a chart is a list of what it draws, on two axes.

A chart is declared once, in the order of drawing, with the names of tensors where values move:

    chart(
        "Loss by rate",
        [
            norm_line("layer", RATE, "layer loss", band=("layer low", "layer high")),
            line("chance", "soft", [-3.0, 0.0], [2.3, 2.3], width=1.5, dash="dot"),
        ],
        powers("learning rate", -3, 0),
        linear("loss", 0.0, 3.0),
        "Loss against the learning rate. At {rate} it is {layer loss:2}.",
    )

- **A curve along a control has its mark.** Where `x` is a control, the curve runs over its
  positions, a name given for `y` means that tensor along the control, and a mark stands where the
  control stands: the browser looks its point up on the curve. `mark=None` leaves it out,
  `Mark("diamond", "ink")` has it look otherwise, and `at=control` gives a mark to a curve whose
  places hold more than the control's.
- **An axis** is `linear`, `powers` (its data are logarithms, also those in tensors; a control's
  values are taken there by themselves; `logarithmic` has the ticks of few decades) or `categories`.
- **A band** is the range around a mean: `band=(low, high)` of a line, drawn below all lines, or
  `runs` with a number for each run. `band` by itself is one without a line.
- Numbers stay where they are; a name is a tensor, and `Along(name, control)` its values along a
  control that is no axis. `bars` are bars, `points` and `dots` points, plain ones and such as stand
  out; `texts` stand at places, and `heat` colors a table.
- `here` marks a place that is on no curve, such as a position on the axis.
- `note`, `threshold` and `upright` write and draw into the chart. Names stand at the lines' ends;
  where one is of something else, or there is no room, a legend has all but those with `ends=True`.
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
from lnviz.lessons.chart_axes import Axis
from lnviz.norms import CATALOGUE

Values = str | SliceAlong | Sequence[float] | Sequence[str] | Tensor
"""A tensor's name, its values along a control, or numbers that stay."""
Places = Values | Control
WIDTHS = {"none": 4.5, "rms": 5.0}
"""The widths of norms whose curves others may lie on."""
LONGEST_LABEL, LETTER, LABEL, AROUND = 20, 7.5, 17, 90
"""Letters of the longest name at a line's end; CSS pixels of one letter, of a label's height, and
of a chart's height that are not within its axes."""


@dataclass(frozen=True)
class Mark:
    """How a mark looks; without a token it has its curve's color."""

    symbol: str = "circle"
    token: str = ""


ROUND = Mark()


@dataclass(frozen=True)
class Part:
    """One thing that a chart draws, and what is bound in it.

    Attributes:
        trace: the trace, as Plotly has it.
        values: what its attributes show, by attribute.
        token: the token of its color.
        at: the control that a mark on it tells the position of.
        mark: how that mark looks.
        low: the lower edge, where it is a band, whose `y` is then the upper one.
        here: whether it is only a mark itself, where controls stand.
        ends: whether its name stands at its end.
        taken: the control that moves when a hand takes one of its points.
    """

    trace: go.Scatter | go.Bar | go.Heatmap
    values: Mapping[str, Places]
    token: str = "ink"
    at: Control | None = None
    mark: Mark | None = None
    low: Values | None = None
    here: bool = False
    ends: bool = False
    taken: Control | None = None


@dataclass(frozen=True)
class Words:
    """Words in a chart, and a thin line through it, across at a height or up at a place.

    Attributes:
        annotation: the words, as Plotly has them; empty without any.
        height: the height of the line.
        place: the place of the line.
        style: the style of the line.
    """

    annotation: Mapping[str, Any]
    height: float | None = None
    place: float | None = None
    style: Mapping[str, Any] = field(default_factory=dict)


Drawn = Part | Words


def line(
    name: str,
    token: str,
    x: Places,
    y: Values,
    *,
    width: float = 3,
    dash: str = "solid",
    mark: Mark | None = ROUND,
    at: Control | None = None,
    band: tuple[Values, Values] | None = None,
    ends: bool = False,
    **settings: Any,
) -> list[Part]:
    """Draw a line in a color of the theme, with the band around it.

    Args:
        name: The name in the legend.
        token: A color of the theme.
        x: A control, whose position its mark then tells; or a tensor or numbers.
        y: A tensor or numbers.
        width: The width in pixels.
        dash: The dash, as Plotly has it.
        mark: What stands where the control stands.
        at: The control that the mark tells of, where `x` is a list of places.
        band: The lower and the upper edge of a band around it.
        ends: Whether its name stands at its end in place of the legend.
        settings: Settings of `go.Scatter`.
    """
    style = {"color": f"var(--ln-{token})", "width": width, "dash": dash}
    shown: dict[str, Any] = {"showlegend": False} if ends else {}
    trace = go.Scatter(name=name, line=style, **{"mode": "lines", **shown, **settings})
    told = at if at is not None or not isinstance(x, Control) else x
    curve = Part(trace, {"x": x, "y": y}, token, told, mark, ends=ends)
    return [*(outline(token, x, *band) if band else []), curve]


def norm_line(norm: str, x: Places, y: Values, *, name: str = "", **settings: Any) -> list[Part]:
    """Draw a norm's curve in its color and dash, by its key in the catalogue, with its label."""
    known = CATALOGUE[norm]
    style = {"width": WIDTHS.get(norm, 2.5), "dash": known.dash}
    return line(name or known.label, norm, x, y, **{**style, **settings})


def stacked(norms: Iterable[str]) -> list[str]:
    """Sort norms in the order of drawing: a wide curve below those that may lie on it."""
    return sorted(norms, key=lambda norm: -WIDTHS.get(norm, 0))


def runs(
    name: str, token: str, x: Places, values: Float[Tensor, "points runs"], **settings: Any
) -> list[Part]:
    """Draw the mean of several runs at each place, in a band from the lowest run to the highest."""
    low, high = values.aminmax(dim=1)
    return line(name, token, x, values.mean(1), band=(low, high), **settings)


def outline(token: str, x: Places, low: Values, high: Values) -> list[Part]:
    """Fill what lies between two curves with a color of the theme."""
    trace = go.Scatter(
        fill="toself",
        mode="lines",
        line={"width": 0, "color": f"var(--ln-{token})"},
        opacity=0.25,
        showlegend=False,
    )
    return [Part(trace, {"x": x, "y": high}, token, low=low)]


def bars(
    name: str, token: str, x: Values, y: Values, taken: Control | None = None, **settings: Any
) -> list[Part]:
    """Draw bars in a color of the theme."""
    marker = {"color": f"var(--ln-{token})"}
    trace = go.Bar(name=name, **{"marker": marker, **settings})
    return [Part(trace, {"x": x, "y": y}, taken=taken)]


def points(
    name: str,
    token: str,
    x: Values,
    y: Values,
    size: float,
    *,
    taken: Control | None = None,
    look: Mapping[str, Any] | None = None,
    **settings: Any,
) -> list[Part]:
    """Draw plain points in a color of the theme; a name puts them in the legend.

    Args:
        name: The name in the legend.
        token: A color of the theme.
        x: A tensor or numbers.
        y: A tensor or numbers.
        size: The width of a point in pixels.
        taken: The control that moves when a hand takes one of them.
        look: Settings of their markers besides, such as the symbol.
        settings: Settings of `go.Scatter`.
    """
    marker = {"size": size, "color": f"var(--ln-{token})", **(look or {})}
    given = {"mode": "markers", **_named(name), **settings}
    return [Part(go.Scatter(marker=marker, **given), {"x": x, "y": y}, taken=taken)]


def dots(
    token: str | Sequence[str],
    x: Values,
    y: Values,
    *,
    symbol: str = "circle",
    name: str = "",
    **settings: Any,
) -> list[Part]:
    """Draw points that stand out, each in a color of the theme; a name puts them in the legend."""
    colors = [f"var(--ln-{one})" for one in ([token] if isinstance(token, str) else token)]
    color = colors[0] if isinstance(token, str) else colors
    trace = _points(symbol, color).update(**_named(name)).update(**settings)
    return [Part(trace, {"x": x, "y": y})]


def texts(
    x: Values, y: Values, written: Sequence[str], where: str | Sequence[str], **settings: Any
) -> list[Part]:
    """Write words at places, on the sides of them that Plotly calls so."""
    given = {"mode": "text", "text": written, "textposition": where, "showlegend": False}
    return [Part(go.Scatter(**given, **settings), {"x": x, "y": y})]


def heat(
    x: Values, y: Values, z: str, shades: Iterable[tuple[float, str]], ends: tuple[float, float]
) -> list[Part]:
    """Color cells by a tensor.

    Args:
        x: The place of each cell from left to right.
        y: Its place from bottom to top.
        z: The tensor.
        shades: Colors of the theme, by their share of the way between the ends.
        ends: The numbers with the first and the last color.
    """
    low, high = ends
    trace = go.Heatmap(
        colorscale=[[at, f"var(--ln-{token})"] for at, token in shades],
        zmin=low,
        zmax=high,
        colorbar={"thickness": 12, "len": 1.0, "outlinewidth": 0},
    )
    return [Part(trace, {"x": x, "y": y, "z": z})]


def here(
    x: Control | float | str, y: Control | float | str, mark: Mark = ROUND, **settings: Any
) -> list[Part]:
    """Draw a mark where controls stand, on no curve.

    Args:
        x: A control, a place on the axis, or the tensor of one.
        y: A control, a place on the axis, or the tensor of one.
        mark: How it looks.
        settings: Settings of `go.Scatter`.
    """
    token = mark.token or "ink"
    places: dict[str, Places] = {
        name: [float(at)] if isinstance(at, int | float) else at
        for name, at in (("x", x), ("y", y))
    }
    trace = _points(mark.symbol, f"var(--ln-{token})")
    return [Part(trace.update(showlegend=False, **settings), places, token, here=True)]


def threshold(
    height: float, text: str, *, above: bool = True, anchor: str = "right", **settings: Any
) -> Words:
    """Draw a thin line across the chart that says what it is, at one of its ends, as a `note`."""
    place = {"left": 0.01, "right": 0.99}[anchor]
    words = note(place, height, text, above=above, anchor=anchor, **settings)
    return replace(words, height=height, style=_thin("soft", 1))


def level(height: float, token: str = "soft", width: float = 1) -> Words:
    """Draw a line from the left to the right."""
    return Words({}, height=height, style=_thin(token, width) | {"dash": "solid"})


def upright(place: float, token: str = "soft", width: float = 1) -> Words:
    """Draw a thin line from the bottom to the top."""
    return Words({}, place=place, style=_thin(token, width))


def note(
    x: float, y: float, text: str, *, above: bool = True, anchor: str = "right", **settings: Any
) -> Words:
    """Write words at a height of the chart, at a share of its width.

    Args:
        x: The share of the width.
        y: The height.
        text: The words.
        above: Whether they stand above the height.
        anchor: Which of their ends is there: `left`, `center` or `right`.
        settings: Settings of Plotly's annotation; with `xref="x"` `x` is a place.
    """
    return Words(
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
    drawn: Iterable[Drawn | Iterable[Drawn]],
    x: Axis,
    y: Axis,
    alt: str,
    *,
    height: int = 360,
    when: When | None = None,
    legend: bool = True,
    **layout: Any,
) -> Chart:
    """Draw what is listed, bands below all and marks above all, on two axes.

    Args:
        title: A template, as in `Readout`.
        drawn: What is drawn, in the order of drawing.
        x: The axis from left to right.
        y: The axis from bottom to top.
        alt: The chart in words, a template that follows the state.
        height: The height in CSS pixels.
        when: Where the chart is shown.
        legend: Whether names are said: at the lines' ends, or else in a legend.
        layout: Settings of Plotly's layout.
    """
    listed = [
        one for group in drawn for one in (group if isinstance(group, Iterable) else (group,))
    ]
    parts = [one for one in listed if isinstance(one, Part)]
    parts.sort(key=lambda part: part.low is None)  # the sort is stable
    if legend and (at_ends := _with_labels(parts, height)):
        parts, legend = at_ends, False
    figure = go.Figure(layout=layout)
    bind: dict[int, Mapping[str, TraceSource]] = {}
    for number, part in enumerate(parts):
        trace, sources = _bound(part, {"x": x, "y": y}, number)
        figure.add_trace(trace)
        bind |= {number: sources} if sources else {}
    for trace, sources in (*_marks(parts, {"x": x, "y": y}), *_labels(parts)):
        bind[len(figure.data)] = sources
        figure.add_trace(trace)
    for words in listed:
        if isinstance(words, Words):
            _write(figure, words)
    bases = {letter: axis.base for letter, axis in (("x", x), ("y", y)) if axis.base}
    figure.update_layout(xaxis=x.layout(), yaxis=y.layout(), meta=bases or None)
    names = [part.trace.name for part in parts if part.ends]
    if names and figure.layout.margin.r is None:
        figure.update_layout(margin={"r": round(16 + LETTER * max(map(len, names)))})
    if legend:
        row = {"orientation": "h", "y": 1.02, "yanchor": "bottom"}
        figure.update_layout(showlegend=True, legend=row)
    grips = {number: part.taken.name for number, part in enumerate(parts) if part.taken}
    return Chart(title, figure, bind, alt, height, grips, when or {})


def _bound(
    part: Part, axes: Mapping[str, Axis], number: int
) -> tuple[go.Scatter | go.Bar | go.Heatmap, dict[str, TraceSource]]:
    """A trace with the numbers that stay, and the sources of those that move."""
    sources: dict[str, TraceSource] = {}
    along = part.values.get("x")
    control = along.name if isinstance(along, Control) and not part.here else ""
    for name, given in part.values.items():
        if isinstance(given, Control):
            value: str | SliceAlong | list[Any] = axes[name].of(given)
            if part.here:
                sources[name] = MarkAt(given.name, (number,))
        else:
            value = _given(given, control)
        back = value
        if part.low is not None and name == "y":
            back = _given(part.low, control)
        if isinstance(value, list) and isinstance(back, list):
            part.trace[name] = value if part.low is None else [*value, *reversed(back)]
        elif not isinstance(value, list) and not isinstance(back, list):
            sources[name] = value if part.low is None else BandEdges(value, back)
        else:
            raise ValueError("the edges of a band are two tensors, or two lists of numbers")
    return part.trace, sources


def _given(values: Values, control: str) -> str | SliceAlong | list[Any]:
    """Take a tensor of a curve over a control along that control."""
    if isinstance(values, str):
        return SliceAlong(values, control) if control else values
    if isinstance(values, SliceAlong):
        return values
    return values.tolist() if isinstance(values, Tensor) else list(values)


def _marks(
    parts: Sequence[Part], axes: Mapping[str, Axis]
) -> Iterable[tuple[go.Scatter, dict[str, TraceSource]]]:
    """For each control that curves run along, one trace with a mark on each of them."""
    marked: dict[MarkAt, list[int]] = {}
    for number, part in enumerate(parts):
        if part.at and part.mark:
            standing = MarkAt(part.at.name, (), _places(part, part.at, axes["x"]))
            marked.setdefault(standing, []).append(number)
    for standing, on in marked.items():
        looks = [parts[number].mark or ROUND for number in on]
        colors = [
            f"var(--ln-{look.token or parts[number].token})"
            for number, look in zip(on, looks, strict=True)
        ]
        symbols = [look.symbol for look in looks]
        trace = _points(
            symbols[0] if len(set(symbols)) == 1 else symbols,
            colors[0] if len(on) == 1 else colors,
        )
        source = replace(standing, traces=tuple(on))
        yield trace.update(showlegend=False), {"x": source, "y": source}


def _places(part: Part, control: Control, x: Axis) -> tuple[int, ...]:
    """Which points of a curve stand for a control's positions, where it has others as well."""
    given = part.values["x"]
    if isinstance(given, Control | str | SliceAlong):
        return ()
    numbers = [float(place) for place in given]
    wanted = x.of(control)
    places = [
        next((n for n, place in enumerate(numbers) if math.isclose(place, at, abs_tol=1e-6)), -1)
        for at in wanted
    ]
    if -1 in places:
        raise ValueError(
            f"the curve {part.trace.name!r} has no point where {control.name!r} is "
            f"{control.label(places.index(-1))}; a mark stands on a point of its curve"
        )
    return () if places == list(range(len(numbers))) else tuple(places)


def _with_labels(parts: Sequence[Part], height: int) -> list[Part]:
    """Have all names stand at lines' ends; nothing where that cannot be."""
    named = [part for part in parts if part.trace.name and part.trace.showlegend is not False]
    ended = [part for part in named if _has_end(part) and len(part.trace.name) <= LONGEST_LABEL]
    if not named or len(ended) < len(named) or len(named) * LABEL > height - AROUND:
        return []
    known = set(map(id, named))
    for part in named:
        part.trace.showlegend = False
    return [replace(part, ends=part.ends or id(part) in known) for part in parts]


def _has_end(part: Part) -> bool:
    """Whether it is a line, and the place of its end is known."""
    is_line = isinstance(part.trace, go.Scatter) and part.trace.mode == "lines"
    return is_line and not isinstance(part.values.get("x"), str | SliceAlong | None)


def _labels(parts: Sequence[Part]) -> Iterable[tuple[go.Scatter, dict[str, TraceSource]]]:
    """The names that stand at their lines' ends."""
    on = [number for number, part in enumerate(parts) if part.ends]
    if not on:
        return
    trace = go.Scatter(
        x=[parts[number].trace.x[-1] for number in on],
        mode="text",
        # Behind a mark that stands on the end; a place beyond the axes would be hidden.
        text=[f"\u2002{parts[number].trace.name}" for number in on],
        textposition="middle right",
        textfont={"color": [f"var(--ln-{parts[number].token})" for number in on], "size": 13},
        cliponaxis=False,
        showlegend=False,
    )
    yield trace, {"y": MarkAt("", tuple(on))}


def _named(name: str) -> dict[str, Any]:
    return {"name": name} if name else {"showlegend": False}


def _points(symbol: str | list[str], color: str | list[str]) -> go.Scatter:
    outline = {"color": "var(--ln-page)", "width": 2}
    marker = {"symbol": symbol, "size": 12, "color": color, "line": outline}
    return go.Scatter(mode="markers", cliponaxis=False, marker=marker)


def _write(figure: go.Figure, words: Words) -> None:
    if words.height is not None:
        figure.add_hline(words.height, line=words.style)
    if words.place is not None:
        figure.add_vline(words.place, line=words.style)
    if words.annotation:
        figure.add_annotation(**words.annotation)


def _thin(token: str, width: float) -> dict[str, Any]:
    return {"color": f"var(--ln-{token})", "width": width, "dash": "dot"}
