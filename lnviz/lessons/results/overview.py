"""Overview of all experiments of Ba et al. (2016): what is compared, and how it is reported."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from typing import Any

import torch

from lnviz.explorable import CellPicker, Chart, Explorable, Grid, SweptTensor, When, load_program
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import bars, chart, labels, vline
from lnviz.lessons.lesson import FigureSpec
from lnviz.norms import LAYER
from lnviz.topics.paper import EXPERIMENTS, PaperExperiment

COLUMNS = ("numbers in", "curves in", "fair?", "batch size")
EXPERIMENT = CellPicker(
    "experiment", tuple(each.label for each in EXPERIMENTS), COLUMNS, "", (0, 0)
)
MISSING = "–"
BAR_HEIGHT, ROW_HEIGHT = 0.3, 40  # of a bar, in rows; of a row, in pixels
TEXT_RISE = 0.22  # from a row's middle up to the middle of its text, and down to that of its bar
LETTERS = 22  # of a line of text
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build bars of reported training times, and a table of the experiments with their details."""
    cells = len(EXPERIMENTS) * len(COLUMNS)
    times = torch.tensor([math.nan if one.time is None else 100 * one.time for one in EXPERIMENTS])
    row = torch.arange(cells) // len(COLUMNS)
    is_chosen = row[:, None] == torch.arange(len(EXPERIMENTS))
    said = _captions()
    return Explorable(
        title=said.title,
        controls=(EXPERIMENT,),
        tensors={
            "table": SweptTensor((), torch.full((cells,), torch.nan), 0),
            "rows": SweptTensor((EXPERIMENT.name,), row, 0),
            "chosen": SweptTensor((EXPERIMENT.name,), times.where(is_chosen, math.nan), 0),
            "other": SweptTensor((EXPERIMENT.name,), times.where(~is_chosen, math.nan), 0),
        },
        views=((_speed(), _table()), said.readouts),
        code=load_program(__file__),
        steps=said.steps,
    )


def _speed() -> Chart:
    count = len(EXPERIMENTS)
    rows = [float(count - 1 - at) for at in range(count)]
    low, high = ([row + rise for row in rows] for rise in (-TEXT_RISE, TEXT_RISE))
    setup: dict[str, Any] = {"orientation": "h", "width": BAR_HEIGHT}
    return chart(
        "Training time with LayerNorm, and the paper’s words",
        [
            bars("", "soft", "other", low, **setup),
            bars("", LAYER.key, "chosen", low, **setup),
            labels(
                [0.0] * count, high, [_wrapped(one.speed) for one in EXPERIMENTS], "middle right"
            ),
            vline(100.0),
        ],
        linear_axis("% of baseline time", 0, 108, padded=False),
        linear_axis(
            "",
            -0.6,
            count - 0.4,
            padded=False,
            ticks={row: one.label for row, one in zip(rows, EXPERIMENTS, strict=True)},
            zeroline=False,
            showgrid=False,
        ),
        "How much faster LayerNorm made the seven experiments. Selected: {experiment}. "
        + " ".join(f"{one.label}: {one.speed}." for one in EXPERIMENTS),
        height=70 + ROW_HEIGHT * count,
        legend=False,
        barmode="overlay",
    )


def _wrapped(text: str) -> str:
    """Return a text in lines that fit beside the rows' labels on a narrow screen."""
    return "<br>".join(textwrap.wrap(text, LETTERS))


def _table() -> Grid:
    cells = tuple(
        word or MISSING
        for each in EXPERIMENTS
        for word in (each.numbers, each.curves, each.fair, each.batch)
    )
    return Grid(
        f"The experiments of section 6; {MISSING}: not given",
        EXPERIMENT.name,
        1.0,
        "table",
        groups="rows",
        words=cells,
    )


def _captions() -> RenderedCaptions:
    kinds = Counter(each.kind for each in EXPERIMENTS)
    against = [each for each in EXPERIMENTS if "BatchNorm" in each.against]
    return CAPTIONS.render(
        {
            "all": len(EXPERIMENTS),
            **{f"with-{kind}": count for kind, count in kinds.items()},
            "against-batch": len(against),
            "equal": sum(each.fair == "yes" for each in against),
        },
        {
            "each": tuple(map(_case, EXPERIMENTS)),
            **{each.key: (CaptionVariant(_at(each)),) for each in EXPERIMENTS},
        },
    )


def _case(experiment: PaperExperiment) -> CaptionVariant:
    return CaptionVariant(
        _at(experiment),
        {
            "label": experiment.label,
            "section": experiment.section,
            "against": experiment.against,
            "batch": experiment.batch or "not given",
        },
    )


def _at(experiment: PaperExperiment) -> When:
    return {EXPERIMENT.name: EXPERIMENT.cells_in_row(EXPERIMENTS.index(experiment))}


FIGURE = FigureSpec("overview", build)
