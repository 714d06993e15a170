"""Training curves of seven variants (five norms, DyT, no norm) on digits, at four batch sizes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Choice, Explorable, Option, SweptTensor, load_program
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.interpolation import join_words
from lnviz.lessons.lab import series_table
from lnviz.lessons.lab.figure_builder import (
    RATE,
    FigureBuilder,
    rate_slider,
    size_slider,
    step_slider,
)
from lnviz.lessons.lab.measures import RUN_METRICS, RunMetric
from lnviz.lessons.lab.series_table import (
    SECONDS,
    STEPS,
    SeriesChartText,
    SeriesTable,
    metric_choice,
)
from lnviz.lessons.lab.stored_runs import ALL, RUNS, image_counts
from lnviz.lessons.lesson import FigureSpec
from lnviz.number_format import number
from lnviz.topics.lab.digits import CLASSES, PAPER, PIXELS, PLAIN, UNITS

SAID = ("layer", "none")
"""The norms whose values are quoted in the charts' alternative texts."""
SETS = {
    "paper": tuple(row for row in RUNS.rows if row.key in ("none", "batch", "layer")),
    "all": RUNS.rows,
}
SHOWN = Choice(
    "norms",
    (
        Option("paper", join_words(row.label for row in SETS["paper"])),
        Option("all", f"all {len(RUNS.rows)} (means only)"),
    ),
    "paper",
)
MEASURE = metric_choice()
AGAINST = Choice("against", (Option(STEPS, STEPS), Option(SECONDS, SECONDS)), STEPS)
HEAD = Choice(
    "BatchNorm placement",
    (
        Option(PLAIN, "BatchNorm on hidden layers only", code="False"),
        Option(PAPER, "BatchNorm on all layers (Ba et al. 2016)", code="True"),
    ),
    PLAIN,
    url_name="BatchNorm-stands",
)
SIZE, STEP = size_slider(RUNS, 128, "batch-size"), step_slider(RUNS, 300, "step")
MANY, FEW = 128, 4
CAPTIONS = load_captions(__file__)
LARGE, SMALL = RUNS.sizes.index(MANY), RUNS.sizes.index(FEW)


def _sheet() -> SeriesTable:
    """Return the training curves of all variants, by batch size and BatchNorm's placement."""
    norms = [row.key for row in RUNS.rows]
    other = [ALL.norms.index("batch paper" if norm == "batch" else norm) for norm in norms]

    def of_both(values: Tensor) -> Tensor:
        return torch.stack([values[: len(norms)], values[other]], 2)  # rows,sizes,heads

    return SeriesTable(
        "",
        RUNS.rows,
        (SIZE.name, HEAD.name, RATE),
        {name: of_both(values) for name, values in ALL.values.items()},
        of_both(ALL.seconds),
        of_both(ALL.diverged.any(3)),
    )


SHEET = _sheet()


def build() -> Explorable:
    """Build the figure of training curves, with a line for each norm and a band over the seeds."""
    desk = FigureBuilder(RUNS, (SIZE, STEP, SHOWN, HEAD, MEASURE, AGAINST, rate_slider(RUNS)))
    series_table.add_series(desk, SHEET, SETS["paper"])
    _put_counts(desk)
    said = _captions()
    return Explorable(
        title=said.title,
        controls=desk.controls,
        tensors=desk.tensors,
        views=(
            tuple(
                _chart(desk, measure, against.value, shown)
                for measure, against, shown in product(RUN_METRICS, AGAINST.options, SETS)
            ),
            said.readouts,
        ),
        code=load_program(__file__),
        steps=said.steps,
    )


def _put_counts(desk: FigureBuilder) -> None:
    """Add tensors for captions: mean metrics, and on how many seeds LayerNorm leads BatchNorm.

    Also add how many times each training image has been drawn.
    """
    for measure in RUN_METRICS:
        for norm in SAID:
            mean = measure.in_format(_values(measure, norm).mean(2))
            desk.add(f"{norm} {measure.key} mean", (SIZE.name, HEAD.name, STEP.name), mean)
        ahead = (_values(measure, "layer") < _values(measure, "batch")).sum(2).float()
        over = (SIZE.name, HEAD.name, STEP.name)
        desk.tensors[f"{measure.key} ahead"] = SweptTensor(over, ahead, 0)
    drawn = torch.tensor(SIZE.values)[:, None] * torch.tensor(STEP.values)
    desk.tensors["passes"] = SweptTensor((SIZE.name, STEP.name), drawn / image_counts().train, 2)


def _values(measure: RunMetric, norm: str) -> Float[Tensor, "sizes heads seeds points"]:
    return SHEET.values[measure.name][RUNS.norms.index(norm), :, :, 0]


def _chart(desk: FigureBuilder, measure: RunMetric, against: str, shown: str) -> Chart:
    rows = SETS[shown]
    bands = rows if shown == "paper" else ()
    seeds = f"mean and range of {RUNS.seeds} seeds" if bands else f"mean of {RUNS.seeds} seeds"
    own = [SHEET.rows.index(row) for row in rows]
    words = SeriesChartText(
        f"{measure.label.capitalize()} with batches of {{{SIZE.name}}}: {seeds}",
        f"with batches of {{{SIZE.name}}}; {{{HEAD.name}}}. After {{{STEP.name}}} steps "
        + " and ".join(
            f"{{{row.key} {measure.key} mean:{measure.format}}} {measure.unit} under {row.label}"
            for row in SETS["paper"]
            if row.key in SAID
        )
        + ".",
        300,
        {MEASURE.name: (measure.key,), AGAINST.name: (against,), SHOWN.name: (shown,)},
    )
    longest = float(SHEET.seconds[own].nan_to_num().max())
    return series_table.draw_series(desk, SHEET, rows, bands, measure, against, longest, words)


def _shrunk() -> Mapping[str, float | str]:
    """Return values for captions on small batches: final errors, and how often LayerNorm leads."""
    ends = {row: _values(RUN_METRICS[0], row.key)[..., -1].mean(-1) for row in SETS["paper"]}
    means = {row.key: _values(RUN_METRICS[0], row.key).mean(2) for row in SETS["paper"]}
    ahead = (means["layer"] < means["batch"]).sum(-1).tolist()  # sizes,heads
    return {
        "many": MANY,
        "few": FEW,
        "steps": RUNS.steps[-1],
        "ends": "; ".join(
            f"{row.label} {number(float(error[LARGE, 0]), '1')}% and "
            f"{number(float(error[SMALL, 0]), '1')}%"
            for row, error in ends.items()
        ),
        "measured": len(RUNS.steps),
        "ahead-many": ahead[LARGE][0],
        "ahead-few": ahead[SMALL][0],
        "ahead-many-all": ahead[LARGE][1],
        "ahead-few-all": ahead[SMALL][1],
    }


def _captions() -> RenderedCaptions:
    measures = tuple(
        CaptionVariant({MEASURE.name: (m.key,)}, {"measure": m.label, "ahead": f"{m.key} ahead"})
        for m in RUN_METRICS
    )
    return CAPTIONS.render({"seeds": RUNS.seeds, **_trained(), **_shrunk()}, {"measures": measures})


def _trained() -> Mapping[str, float | str]:
    """Return the training settings, read from the stored result."""
    s, count = RUNS.specification, image_counts()
    return {
        "pixels": PIXELS,
        "units": UNITS,
        "classes": CLASSES,
        "train": count.train,
        "validation": count.validation,
        "test": count.test,
        "rate": s.rates[0],
        "first-seed": s.seeds[0],
        "last-seed": s.seeds[-1],
        "every": s.every,
        "made": RUNS.results[0].header.made_with,
    }


FIGURE = FigureSpec("curves", build)
