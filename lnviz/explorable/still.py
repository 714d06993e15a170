"""A figure at its start without a script: what notebooks show where no widget runs."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from lnviz.explorable.chart import Chart, slice_values
from lnviz.explorable.controls import CellPicker, exact_position
from lnviz.explorable.template import parse_template
from lnviz.explorable.views import Grid, Readout, View
from lnviz.frontend.theme import TOKENS
from lnviz.number_format import number

if TYPE_CHECKING:
    from lnviz.explorable.explorable import Explorable

State = Mapping[str, int]
Row = tuple[str, ...]

WIDTH = 640
LEFT, RIGHT, TOP, BOTTOM = 110, 120, 12, 52
LOWEST = 200
"""Pixels of a chart's picture around its axes, and its least height."""

_EMPHASIS = re.compile(r"\*([^\s*](?:[^*]*[^\s*])?)\*")
_TOKEN = re.compile(r"var\(--ln-([\w-]+)\)")
_TAG = re.compile(r"<br ?/?>|</?\w+>")


def still_html(figure: Explorable) -> str:
    """Return a figure's start state as HTML: sentences, tables, and pictures of its charts.

    Of other views, the alternative text is returned.
    """
    state = figure.start_state()
    parts = [f"<h4>{escape(sentence)}</h4>" for sentence in _findings(figure, state)]
    for view in _shown(figure, state):
        match view:
            case Readout():
                parts.append(f"<p>{escape(_text(figure, view.text, state))}</p>")
            case Grid():
                head, *rows = _table(figure, view, state)
                body = "".join(
                    f"<tr>{_cells('th', row[:1])}{_cells('td', row[1:])}</tr>" for row in rows
                )
                title = escape(_text(figure, view.title, state))
                parts.append(
                    f"<table><caption>{title}</caption><tr>{_cells('th', head)}</tr>{body}</table>"
                )
            case Chart() if _ranges(view):
                source = base64.b64encode(chart_svg(figure, view, state).encode()).decode()
                alt = escape(_text(figure, view.alt, state))
                parts.append(
                    f"<p>{escape(_text(figure, view.title, state))}</p>\n"
                    f'<img alt="{alt}" src="data:image/svg+xml;base64,{source}">'
                )
            case _:
                parts.append(f"<p>{escape(_text(figure, view.alt, state))}</p>")
    return "\n".join(parts)


def still_text(figure: Explorable) -> str:
    """Return a figure's start state as plain text: sentences, tables, and alternative texts."""
    state = figure.start_state()
    parts = [*_findings(figure, state)]
    for view in _shown(figure, state):
        match view:
            case Readout():
                parts.append(_text(figure, view.text, state))
            case Grid():
                rows = _table(figure, view, state)
                widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
                lines = [
                    "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
                    for row in rows
                ]
                parts.append("\n".join((_text(figure, view.title, state), *lines)))
            case _:
                parts.append(_text(figure, view.alt, state))
    return "\n\n".join(parts)


def _findings(figure: Explorable, state: State) -> Iterator[str]:
    """Yield the figure's title, and what it shows."""
    yield figure.title
    if figure.steps:
        yield _text(figure, figure.steps[0].text, state)
        return
    for view in _visible(figure, state):
        if isinstance(view, Readout) and view.style == "finding":
            yield _text(figure, view.text, state)


def _shown(figure: Explorable, state: State) -> Iterator[View]:
    for view in _visible(figure, state):
        if not (isinstance(view, Readout) and view.style in ("finding", "method")):
            yield view


def _visible(figure: Explorable, state: State) -> Iterator[View]:
    known = {control.name: control for control in figure.controls}
    for view in chain.from_iterable(figure.views):
        here = all(
            state[name] in [exact_position(known[name], value) for value in allowed]
            for name, allowed in view.when.items()
        )
        if isinstance(view, Readout):
            finite, missing = view.if_finite, view.if_nan
            here = here and not (finite and bool(figure.lookup(finite, state).isnan()))
            here = here and not (missing and not bool(figure.lookup(missing, state).isnan()))
        if here:
            yield view


def text_at(
    figure: Explorable,
    template: str,
    state: State,
    values: Callable[[Explorable, str, State], Sequence[float]],
) -> str:
    """Return a template's text at a state, as the browser writes it.

    Args:
        figure: The figure.
        template: The template, as in `Readout`.
        state: The position of each control, by name.
        values: Returns the values of one of the figure's tensors at the state.
    """
    controls = {control.name: control for control in figure.controls}

    def field(name: str, form: str) -> str:
        if name in controls:
            text = controls[name].label(state[name])
        elif form.endswith("+"):
            terms = (number(v, form[:-1]) for v in values(figure, name, state) if not math.isnan(v))
            return " + ".join(terms).replace("+ −", "− ")
        else:
            (value,) = values(figure, name, state)
            if words := figure.tensors[name].words:
                return words[int(value)]
            text = number(value, form.replace("n", "") or "2")
        return f"({text})" if form.endswith("n") and text.startswith("−") else text

    return "".join(
        _EMPHASIS.sub(r"\1", piece)
        if isinstance(piece, str)
        else field(piece["name"], piece["format"])
        for piece in parse_template(template)
    )


def _text(figure: Explorable, template: str, state: State) -> str:
    return text_at(figure, template, state, _values).replace("\\n", " ")


def _values(figure: Explorable, name: str, state: State) -> Sequence[float]:
    return slice_values(figure.tensors[name], state)


def _table(figure: Explorable, grid: Grid, state: State) -> list[Row]:
    """Return a grid as rows of texts, the first with the headings of the columns."""
    (pointer,) = (control for control in figure.controls if control.name == grid.pointer)
    assert isinstance(pointer, CellPicker)

    def row(name: str) -> list[str]:
        swept = figure.tensors[name]
        along = grid.pointer if grid.pointer in swept.dims else ""
        values = slice_values(swept, state, along)
        if swept.words:
            return [swept.words[int(value)] for value in values]
        return ["" if math.isnan(value) else number(value, grid.format) for value in values]

    labels = [_text(figure, label, state) for label in grid.row_labels] or [*pointer.rows]
    if grid.rows:
        labels = [_text(figure, label, state) for label, _ in grid.rows]
        rows = [row(name) for _, name in grid.rows]
    else:
        cells, width = row(grid.values), len(pointer.columns)
        rows = [cells[at : at + width] for at in range(0, len(cells), width)]
    body = [(label, *cells) for label, cells in zip(labels, rows, strict=False)]
    return [("", *pointer.columns), *body]


def _cells(tag: str, texts: Sequence[str]) -> str:
    return "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts)


def _ranges(chart: Chart) -> tuple[list[float], list[float]] | None:
    """Return the ranges of both axes, or None if Plotly would have to find them."""
    x, y = chart.figure.layout.xaxis, chart.figure.layout.yaxis
    if any(axis.range is None or axis.type not in (None, "-", "linear") for axis in (x, y)):
        return None
    return [*x.range], [*y.range]


def chart_svg(figure: Explorable, chart: Chart, state: State) -> str:
    """Return a picture of a chart at a state as an SVG document, in the colors of the light theme.

    Lines, filled areas, points, bars and labels are drawn; both axes need a range.
    """
    ranges = _ranges(chart)
    assert ranges is not None
    height = _height(chart)
    (left, right), (low, high) = ranges

    def place(x: float, y: float) -> tuple[float, float]:
        across = LEFT + (x - left) / (right - left) * (WIDTH - LEFT - RIGHT)
        return round(across, 1), round(TOP + (high - y) / (high - low) * (height - TOP - BOTTOM), 1)

    drawn = [*_axes(chart, place)]
    bound = chart.trace_data(figure.tensors, state)
    for at, trace in enumerate(chart.figure.data):
        data = trace.to_plotly_json() | bound.get(at, {})
        ys = [*data.get("y", [])]
        xs = [*data.get("x", range(len(ys)))]
        points = [
            place(x, y) if _is_number(x) and _is_number(y) else None
            for x, y in zip(xs, ys, strict=False)
        ]
        floor = place(left, min(max(0, low), high))[1]
        drawn += _trace(data, points, floor)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="sans-serif" font-size="13">'
        f'<rect width="{WIDTH}" height="{height}" fill="{TOKENS["page"].light}"/>'
        f"{''.join(drawn)}</svg>"
    )


def _height(chart: Chart) -> int:
    return max(chart.height, LOWEST)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


Point = tuple[float, float]


def _trace(data: Mapping[str, Any], points: Sequence[Point | None], floor: float) -> Iterator[str]:
    """Yield the SVG elements of a trace whose points are given in pixels; None is a gap."""
    mode, opacity = data.get("mode", "lines"), data.get("opacity", 1)
    line, marker = data.get("line", {}), data.get("marker", {})
    found = [point for point in points if point]
    if data["type"] == "bar":
        gaps = [abs(b[0] - a[0]) for a, b in pairwise(found)]
        width = 0.7 * min(gaps, default=40)
        for at, point in enumerate(points):
            if point:
                x, y = point
                yield (
                    f'<rect x="{x - width / 2:.1f}" y="{min(y, floor)}" width="{width:.1f}" '
                    f'height="{abs(floor - y):.1f}" fill="{_color(marker.get("color"), at)}"/>'
                )
        return
    color = _color(line.get("color") or marker.get("color"), 0)
    if data.get("fill") == "toself":
        yield f'<path d="{_path(found)}Z" fill="{color}" opacity="{opacity}"/>'
    elif "lines" in mode:
        dash = ' stroke-dasharray="6 4"' if line.get("dash", "solid") != "solid" else ""
        yield (
            f'<path d="{_path(points)}" fill="none" stroke="{color}" opacity="{opacity}" '
            f'stroke-width="{line.get("width", 2)}"{dash}/>'
        )
    for at, point in enumerate(points):
        if not point:
            continue
        x, y = point
        if "markers" in mode:
            size, fill = _at(marker.get("size", 8), at), _color(marker.get("color"), at)
            yield f'<circle cx="{x}" cy="{y}" r="{size / 2}" fill="{fill}"/>'
        if "text" in mode:
            text = _plain(str(_at(data.get("text", ""), at)))
            position = str(_at(data.get("textposition", "middle center"), at))
            anchor = "start" if "right" in position else "end" if "left" in position else "middle"
            fill = _color(data.get("textfont", {}).get("color"), at)
            yield _label(text, x, y + 4, fill, anchor)


def _axes(chart: Chart, place: Any) -> Iterator[str]:
    """Yield the SVG elements of both axes: their lines, a few values, and their titles."""
    ranges = _ranges(chart)
    assert ranges is not None
    (left, right), (low, high) = ranges
    soft, height = TOKENS["soft"].light, _height(chart)
    corner, end, top = place(left, low), place(right, low), place(left, high)
    yield f'<path d="{_path([top, corner, end])}" fill="none" stroke="{TOKENS["edge"].light}"/>'
    layout = chart.figure.layout
    for value, text in _ticks(layout.xaxis, left, right):
        yield _label(text, place(value, low)[0], corner[1] + 18, soft, "middle")
    for value, text in _ticks(layout.yaxis, low, high):
        yield _label(text, LEFT - 6, place(left, value)[1] + 4, soft, "end")
    yield _label(_title(layout.xaxis), (corner[0] + end[0]) / 2, height - 10, soft, "middle")
    middle = (corner[1] + top[1]) / 2
    turned = f' transform="rotate(-90 14 {middle})"'
    yield _label(_title(layout.yaxis), 14, middle, soft, "middle", turned)


def _ticks(axis: Any, start: float, end: float) -> list[tuple[float, str]]:
    """Return the values that an axis names, with their texts: its own, or both ends and between."""
    if axis.tickvals is not None:
        texts = axis.ticktext if axis.ticktext is not None else axis.tickvals
        named = [(float(v), _plain(str(t))) for v, t in zip(axis.tickvals, texts, strict=True)]
        return [(v, t) for v, t in named if min(start, end) <= v <= max(start, end)]
    values = (start + (end - start) * at / 4 for at in range(5))
    return [(value, number(value, "g2")) for value in values]


def _title(axis: Any) -> str:
    return _plain(axis.title.text or "")


def _plain(text: str) -> str:
    """Return Plotly's HTML as plain text."""
    return _TAG.sub(" ", text).strip()


def _label(text: str, x: float, y: float, fill: str, anchor: str, more: str = "") -> str:
    return f'<text x="{x}" y="{y}" fill="{fill}" text-anchor="{anchor}"{more}>{escape(text)}</text>'


def _path(points: Sequence[Point | None]) -> str:
    """Return the commands of an SVG path through points, with a gap at None."""
    return "".join(
        f"{'L' if at and points[at - 1] else 'M'}{point[0]} {point[1]}"
        for at, point in enumerate(points)
        if point
    )


def _at(value: Any, at: int) -> Any:
    """Return the element for a point of what Plotly takes as one value or as one for each."""
    return value[at % len(value)] if isinstance(value, list | tuple) else value


def _color(value: Any, at: int) -> str:
    """Return a color of the light theme for a color of a trace."""
    token = _TOKEN.fullmatch(str(_at(value, at)))
    return TOKENS[token[1]].light if token else TOKENS["ink"].light
