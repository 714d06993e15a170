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
from lnviz.lessons.chart_axes import linear
from lnviz.lessons.charts import Mark, chart, here, plotted
from lnviz.lessons.lesson import Figure
from lnviz.topics.successors import SUCCESSORS, Successor

PROPOSAL = Stepper("proposal", tuple(Option(each.key, each.label) for each in SUCCESSORS), "scale")
KINDS = {
    "norm": ("another norm, or none", "circle", "layer"),
    "placement": ("another place", "square", "batch"),
    "both": ("both", "diamond", "rms"),
}


def build() -> Explorable:
    """Build when each was first written down, and a card for the one that the reader is at."""
    times = torch.tensor([each.time for each in SUCCESSORS])
    over = (PROPOSAL.name,)
    return Explorable(
        title="What came after layer normalization",
        controls=(PROPOSAL,),
        tensors={
            "time": Swept(over, times, 2),
            "year": Swept(over, torch.tensor([each.year for each in SUCCESSORS]), 0),
        },
        views=((_chart(),), _cards()),
    )


def _chart() -> Chart:
    dates = []
    for kind, (name, symbol, token) in KINDS.items():
        those = [row for row, each in enumerate(SUCCESSORS) if each.changes == kind]
        marker = {"symbol": symbol, "size": 11, "color": f"var(--ln-{token})"}
        trace = go.Scatter(mode="markers", name=name, marker=marker)
        dates.append(plotted(trace, x=[SUCCESSORS[row].time for row in those], y=those))
    ring = {"size": 22, "line": {"width": 2, "color": "var(--ln-ink)"}}
    years = range(2019, 2028)
    labels = {row: each.label for row, each in enumerate(SUCCESSORS)}
    return chart(
        "First written down",
        [*dates, here("time", PROPOSAL, Mark("circle-open"), marker=ring)],
        linear(
            "",
            years[0] + 0.5,
            years[-1] - 0.4,
            room=False,
            ticks={year: str(year) for year in years},
        ),
        linear("", len(labels) - 0.4, -0.6, room=False, ticks=labels, zeroline=False),
        f"Dates of {len(SUCCESSORS)} proposals, "
        + ", ".join(f"{each.label} {each.year}" for each in SUCCESSORS)
        + ". {proposal}, of {year:0}, is circled.",
        height=400,
    )


def _cards() -> Row:
    return tuple(view for each in SUCCESSORS for view in _card(each))


def _card(successor: Successor) -> Row:
    when = {PROPOSAL.name: (successor.key,)}
    lines = {
        "Learned": successor.parameters + "." * (not successor.parameters.endswith(".")),
        "Its authors say": successor.claim,
        "Caution": successor.caution,
        "Source": successor.source + ".",
    }
    return (
        Readout(successor.equation, "formula", when),
        Readout(successor.legend, when=when),
        *(Readout(f"{head}: {text}", when=when) for head, text in lines.items()),
    )


FIGURE = Figure("timeline", build)
