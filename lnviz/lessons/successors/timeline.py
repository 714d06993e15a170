"""A timeline of the successors of LayerNorm."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import torch

from lnviz.explorable import Chart, Explorable, Option, StepChoice, SweptTensor
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import Mark, chart, marker, points
from lnviz.lessons.lesson import FigureSpec
from lnviz.topics.successors import SUCCESSORS

PROPOSAL = StepChoice("proposal", tuple(Option(each.key, each.label) for each in SUCCESSORS), "dyt")
KINDS = {
    "norm": ("changes the norm", "circle", "ink"),
    "placement": ("changes the block", "square", "soft"),
    "both": ("both", "diamond", "accent"),
}
WHAT = {
    "norm": "changes the norm",
    "placement": "changes the block around the norm",
    "both": "changes the norm and the block around it",
}
BESIDE = timedelta(days=120)  # margin of the time axis
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build the timeline of all proposed norms and replacements, with a card for one of them."""
    times = torch.tensor([_milliseconds(each.day) for each in SUCCESSORS])
    over = (PROPOSAL.name,)
    said = _captions()
    return Explorable(
        title=said.title,
        controls=(PROPOSAL,),
        tensors={
            "time": SweptTensor(over, times),
            "year": SweptTensor(over, torch.tensor([each.day.year for each in SUCCESSORS]), 0),
        },
        views=((_chart(),), said.readouts),
        steps=said.steps,
    )


def _chart() -> Chart:
    dates = []
    for kind, (name, symbol, token) in KINDS.items():
        those = [row for row, each in enumerate(SUCCESSORS) if each.changes == kind]
        days = [SUCCESSORS[row].day.isoformat()[:7] for row in those]
        dates.append(points(name, token, days, those, 11, marker_style={"symbol": symbol}))
    ring = {"size": 22, "line": {"width": 2, "color": "var(--ln-ink)"}}
    first, last = SUCCESSORS[0].day, SUCCESSORS[-1].day
    labels = {row: each.label for row, each in enumerate(SUCCESSORS)}
    return chart(
        "First posted on arXiv",
        [*dates, marker("time", PROPOSAL, Mark("circle-open"), marker=ring)],
        linear_axis(
            "first version",
            _milliseconds(first - BESIDE),
            _milliseconds(last + BESIDE),
            padded=False,
            type="date",
            dtick="M12",
            tickformat="%Y",
        ),
        linear_axis(
            "proposal",
            len(labels) - 0.4,
            -0.6,
            padded=False,
            ticks=labels,
            zeroline=False,
        ),
        f"When {len(SUCCESSORS)} proposals were first posted: "
        + ", ".join(f"{each.label} {each.day.year}" for each in SUCCESSORS)
        + ". {proposal}, of {year:0}, is circled.",
        height=350,
    )


def _milliseconds(day: date) -> float:
    """Return a date in milliseconds since 1970, as a position on an axis of dates."""
    return 1000 * datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()


def _captions() -> RenderedCaptions:
    cards = tuple(
        CaptionVariant(
            {PROPOSAL.name: (each.key,)},
            {"label": each.label, "year": str(each.day.year), "what": WHAT[each.changes]},
        )
        for each in SUCCESSORS
    )
    return CAPTIONS.render(variants={"proposal": cards})


FIGURE = FigureSpec("timeline", build)
