"""Figures of the app built with Streamlit's own widgets: what `drag.py` compares with.

A script for Streamlit. `?figure=axes/grid` names the figure, the rest of the query its parameters.
Everything is computed beforehand here, too; a run only looks up and draws.
"""

from __future__ import annotations

import json
import re

import plotly.graph_objects as go
import streamlit as st

from lnviz import book
from lnviz.explorable import Chart, Explorable, Grid, Pointer, Slider
from lnviz.explorable.parameters import parse
from lnviz.explorable.views import View
from lnviz.frontend.theme import TOKENS

State = dict[str, int]
DECIMALS = 2


@st.cache_resource
def explorable(address: str, query: dict[str, str]) -> Explorable:
    """The figure at `<lesson>/<name>`.

    Raises:
        ValueError: There is none.
    """
    slug, _, name = address.partition("/")
    figure = book.find_figure(slug, name)
    if figure is None:
        raise ValueError(f"there is no figure {address!r}")
    return figure.build(**parse(figure.parameters, query))


def sliders(figure: Explorable) -> State:
    """Streamlit's slider for each of the figure's; where all controls stand."""
    return figure.start() | {
        control.name: st.select_slider(
            control.name, range(control.size), control.start_index, format_func=control.label
        )
        for control in figure.controls
        if isinstance(control, Slider)
    }


def shows(figure: Explorable, view: View, state: State) -> bool:
    """Whether a view is on the page at a state."""
    known = {control.name: control for control in figure.controls}
    return all(
        state[name] in [known[name].index(value) for value in allowed]
        for name, allowed in view.when.items()
    )


def values(figure: Explorable, tensor: str, state: State, along: str) -> list[float]:
    """A slice as a flat list; the axis of the control `along` is taken as a whole."""
    swept = figure.tensors[tensor]
    index = tuple(slice(None) if name == along else state[name] for name in swept.over)
    numbers: list[float] = swept.values[index].flatten().tolist()
    return numbers


def table(figure: Explorable, view: Grid, state: State) -> dict[str, list[object]]:
    """A grid's numbers, by column; the first one holds the labels."""
    (pointer,) = (c for c in figure.controls if isinstance(c, Pointer) and c.name == view.pointer)
    tensors = [tensor for _, tensor in view.rows] or [view.values]
    slices = [values(figure, tensor, state, view.pointer) for tensor in tensors]
    flat = [round(value, DECIMALS) for slice_ in slices for value in slice_]
    width = len(pointer.columns)
    labels = [label for label, _ in view.rows] or list(pointer.rows)
    columns: dict[str, list[object]] = {"": [*labels]}
    return columns | {name: [*flat[place::width]] for place, name in enumerate(pointer.columns)}


def chart(figure: Explorable, view: Chart, state: State) -> go.Figure:
    """A chart in the light theme's colors, its moving attributes filled in."""
    text = re.sub(
        r"var\(--ln-([a-z-]+)\)", lambda token: TOKENS[token[1]].light, view.figure.to_json()
    )
    drawn = go.Figure(json.loads(text))
    for trace, bound in view.drawn(figure.tensors, state).items():
        drawn.data[trace].update(bound)
    return drawn.update_layout(height=view.height)


def main() -> None:
    """The page."""
    query = st.query_params.to_dict()
    figure = explorable(query.pop("figure"), query)
    state = sliders(figure)
    for row in figure.views:
        shown = [view for view in row if shows(figure, view, state)]
        for view, column in zip(shown, st.columns(len(shown) or 1), strict=False):
            if isinstance(view, Grid):
                column.table(table(figure, view, state))
            elif isinstance(view, Chart):
                column.plotly_chart(chart(figure, view, state), key=view.title)


main()
