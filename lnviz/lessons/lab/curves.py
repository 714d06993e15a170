"""Five norms, DyT and neither learn digits with batches of four sizes: what falls, and how fast."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Choice, Explorable, Option, SweptTensor, load_program
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.lab import series_table
from lnviz.lessons.lab.figure_builder import RATE, Desk, rates_of, sizes_of, steps_of
from lnviz.lessons.lab.measures import MEASURES, Measure
from lnviz.lessons.lab.series_table import SECONDS, STEPS, Sheet, Words, measure_choice
from lnviz.lessons.lab.stored_runs import ALL, RUNS, images
from lnviz.lessons.lesson import FigureSpec
from lnviz.number_format import number
from lnviz.topics.lab.digits import CLASSES, PAPER, PIXELS, PLAIN, UNITS

SAID = ("layer", "none")
"""Norms whose numbers at a step the words for a chart have."""
SETS = {
    "paper": tuple(row for row in RUNS.rows if row.key in ("none", "batch", "layer")),
    "all": RUNS.rows,
}
SHOWN = Choice(
    "norms",
    (Option("paper", "those of the paper"), Option("all", f"all {len(RUNS.rows)}, means only")),
    "paper",
)
MEASURE = measure_choice()
AGAINST = Choice("against", (Option(STEPS, STEPS), Option(SECONDS, SECONDS)), STEPS)
HEAD = Choice(
    "BatchNorm stands",
    (
        Option(PLAIN, "BatchNorm where the others are", code="False"),
        Option(PAPER, "BatchNorm as in the paper", code="True"),
    ),
    PLAIN,
)
SIZE, STEP = sizes_of(RUNS, 128, "batch-size"), steps_of(RUNS, 300, "step")
MANY, FEW = 128, 4
CAPTIONS = load_captions(__file__)
LARGE, SMALL = RUNS.sizes.index(MANY), RUNS.sizes.index(FEW)


def _sheet() -> Sheet:
    """Return all rows over batch sizes and BatchNorm's place: only BatchNorm differs by that."""
    norms = [row.key for row in RUNS.rows]
    other = [ALL.norms.index("batch paper" if norm == "batch" else norm) for norm in norms]

    def of_both(values: Tensor) -> Tensor:
        return torch.stack([values[: len(norms)], values[other]], 2)  # rows,sizes,heads

    return Sheet(
        "",
        RUNS.rows,
        (SIZE.name, HEAD.name, RATE),
        {name: of_both(values) for name, values in ALL.values.items()},
        of_both(ALL.seconds),
        of_both(ALL.diverged.any(3)),
    )


SHEET = _sheet()


def build() -> Explorable:
    """Build a line for each norm, with a band over the seeds, and the numbers at one step."""
    desk = Desk(RUNS, (SIZE, STEP, SHOWN, HEAD, MEASURE, AGAINST, rates_of(RUNS)))
    series_table.put(desk, SHEET, SETS["paper"])
    _put_counts(desk)
    said = _said()
    return Explorable(
        title=said.title,
        controls=desk.controls,
        tensors=desk.tensors,
        views=(
            tuple(
                _chart(desk, measure, against.value, shown)
                for measure, against, shown in product(MEASURES, AGAINST.options, SETS)
            ),
            said.readouts,
        ),
        code=load_program(__file__),
    )


def _put_counts(desk: Desk) -> None:
    """Put what the words for charts say, and of how many seeds LayerNorm is ahead.

    And how often each image has been drawn.
    """
    for measure in MEASURES:
        for norm in SAID:
            mean = measure.said(_values(measure, norm).mean(2))
            desk.put(f"{norm} {measure.key} mean", (SIZE.name, HEAD.name, STEP.name), mean)
        ahead = (_values(measure, "layer") < _values(measure, "batch")).sum(2).float()
        over = (SIZE.name, HEAD.name, STEP.name)
        desk.tensors[f"{measure.key} ahead"] = SweptTensor(over, ahead, 0)
    drawn = torch.tensor(SIZE.values)[:, None] * torch.tensor(STEP.values)
    desk.tensors["passes"] = SweptTensor((SIZE.name, STEP.name), drawn / images().train, 2)


def _values(measure: Measure, norm: str) -> Float[Tensor, "sizes heads seeds points"]:
    return SHEET.values[measure.name][RUNS.norms.index(norm), :, :, 0]


def _chart(desk: Desk, measure: Measure, against: str, shown: str) -> Chart:
    rows = SETS[shown]
    bands = rows if shown == "paper" else ()
    seeds = f"mean and range of {RUNS.seeds} seeds" if bands else f"mean of {RUNS.seeds} seeds"
    own = [SHEET.rows.index(row) for row in rows]
    words = Words(
        f"{measure.label.capitalize()} in batches of {{{SIZE.name}}}: {seeds}",
        f"in batches of {{{SIZE.name}}}; {{{HEAD.name}}}. After {{{STEP.name}}} steps "
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
    return series_table.drawn(desk, SHEET, rows, bands, measure, against, longest, words)


def _shrunk() -> Mapping[str, float | str]:
    """Return what the runs show of batches that shrink, at the end and over all measured steps."""
    ends = {row: _values(MEASURES[0], row.key)[..., -1].mean(-1) for row in SETS["paper"]}
    means = {row.key: _values(MEASURES[0], row.key).mean(2) for row in SETS["paper"]}
    ahead = (means["layer"] < means["batch"]).sum(-1).tolist()  # sizes,heads
    return {
        "many": MANY,
        "few": FEW,
        "steps": RUNS.steps[-1],
        "ends": "; ".join(
            f"{row.label} {number(float(error[LARGE, 0]), '1')}\u00a0% and "
            f"{number(float(error[SMALL, 0]), '1')}\u00a0%"
            for row, error in ends.items()
        ),
        "measured": len(RUNS.steps),
        "ahead-many": ahead[LARGE][0],
        "ahead-few": ahead[SMALL][0],
        "ahead-many-all": ahead[LARGE][1],
        "ahead-few-all": ahead[SMALL][1],
    }


def _said() -> RenderedCaptions:
    measures = tuple(
        CaptionVariant({MEASURE.name: (m.key,)}, {"measure": m.label, "ahead": f"{m.key} ahead"})
        for m in MEASURES
    )
    return CAPTIONS.render({"seeds": RUNS.seeds, **_trained(), **_shrunk()}, {"measures": measures})


def _trained() -> Mapping[str, float | str]:
    """Return what was trained, from the result itself."""
    s, count = RUNS.specification, images()
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
