"""What came after LayerNorm, one proposal after the other."""

from __future__ import annotations

import plotly.graph_objects as go
import torch

from lnviz.explorable import (
    Chart,
    Explorable,
    Option,
    Readout,
    Row,
    Stepper,
    Swept,
)
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import legend, mark
from lnviz.topics.successors import SUCCESSORS, Successor

PROPOSAL = Stepper("proposal", tuple(Option(each.key, each.label) for each in SUCCESSORS), "scale")
KINDS = {
    "norm": ("another norm, or none", "circle", "layer"),
    "placement": ("another place", "square", "batch"),
    "both": ("both", "diamond", "rms"),
}


def build() -> Explorable:
    """When each was first written down, and a card for the one that the reader is at."""
    rows = torch.arange(len(SUCCESSORS)).float()
    times = torch.tensor([each.time for each in SUCCESSORS])
    over = (PROPOSAL.name,)
    return Explorable(
        title="What came after layer normalization",
        controls=(PROPOSAL,),
        tensors={
            "time": Swept(over, times[:, None], 2),
            "row": Swept(over, rows[:, None], 0),
            "year": Swept(over, torch.tensor([each.year for each in SUCCESSORS]), 0),
        },
        views=((_chart(),), _cards()),
    )


def _chart() -> Chart:
    figure = go.Figure()
    for kind, (name, symbol, token) in KINDS.items():
        those = [row for row, each in enumerate(SUCCESSORS) if each.changes == kind]
        figure.add_trace(
            go.Scatter(
                x=[SUCCESSORS[row].time for row in those],
                y=those,
                mode="markers",
                name=name,
                marker={"symbol": symbol, "size": 11, "color": f"var(--ln-{token})"},
            )
        )
    figure.add_trace(mark("circle-open"))
    figure.data[-1].marker.update(size=22, line={"width": 2, "color": "var(--ln-ink)"})
    rows = list(range(len(SUCCESSORS)))
    years = range(2019, 2028)
    figure.update_xaxes(
        range=[years[0] + 0.5, years[-1] - 0.4],
        tickvals=list(years),
        ticktext=[str(year) for year in years],
    )
    figure.update_yaxes(
        range=[len(rows) - 0.4, -0.6],
        tickvals=rows,
        ticktext=[each.label for each in SUCCESSORS],
        zeroline=False,
    )
    legend(figure)
    return Chart(
        "First written down",
        figure,
        {len(KINDS): {"x": "time", "y": "row"}},
        f"Dates of {len(SUCCESSORS)} proposals, "
        + ", ".join(f"{each.label} {each.year}" for each in SUCCESSORS)
        + ". {proposal}, of {year:0}, is circled.",
        height=400,
    )


def _cards() -> Row:
    return tuple(view for each in SUCCESSORS for view in _card(each))


def _card(each: Successor) -> Row:
    when = {PROPOSAL.name: (each.key,)}
    lines = {
        "Learned": each.parameters + "." * (not each.parameters.endswith(".")),
        "Its authors say": each.claim,
        "Caution": each.caution,
        "Source": each.source + ".",
    }
    return (
        Readout(each.equation, "formula", when),
        Readout(each.legend, when=when),
        *(Readout(f"{head}: {text}", when=when) for head, text in lines.items()),
    )


FIGURE = Figure("timeline", build)
