"""Steps that each run needs to reach an error that the reader sets, and the lowest error."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from lnviz.explorable import Chart, Explorable, Slider, load_program
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import category_axis, short_log_axis
from lnviz.lessons.charts import ChartTrace, chart, line, points
from lnviz.lessons.lab.figure_builder import ERROR, FigureBuilder, rate_slider
from lnviz.lessons.lab.measures import finite_or_nan
from lnviz.lessons.lab.stored_runs import ALL, image_counts
from lnviz.lessons.lab.targets import Targets, group_picker
from lnviz.lessons.lesson import FigureSpec
from lnviz.number_format import number

WANTED = Slider.linear(ERROR, 1, 20, 0.1, 3)
SIZES = tuple(reversed(ALL.sizes))  # in the order of the text: batches shrink
HALF = 0.36  # half the width of a batch size's marks, in columns
APART = 0.015  # between seeds, so that equal runs do not hide each other
LAST = ALL.steps[-1]
CAPTIONS = load_captions(__file__)


def _codes() -> Iterator[str]:
    """Yield Python source for the validation errors (seeds x steps) of each norm and batch size."""
    for cell in ALL.errors.flip(1)[:, :, 0].flatten(0, 1):
        runs = [[round(error, 2) for error in run] for run in cell.tolist()]
        is_known = bool(cell.isfinite().all())
        yield f"torch.tensor({runs})" if is_known else "torch.full((1, 1), torch.nan)"


RUNS = group_picker(ALL, "runs", SIZES, ("layer", 4), tuple(_codes()))
TARGETS = Targets(FigureBuilder(ALL, (WANTED, RUNS, rate_slider(ALL))), WANTED, RUNS)


def build() -> Explorable:
    """Build two charts with a dot for each run (steps and lowest error), and a table of medians."""
    desk = TARGETS.desk
    TARGETS.add_tensors()
    for at, row in enumerate(ALL.rows):
        steps = finite_or_nan(TARGETS.steps[:, 0, at]).log10().flatten(1)
        desk.add(f"{row.key} steps", (ERROR,), steps, 3)
    level = torch.tensor(WANTED.values).log10()[:, None].expand(-1, 2)
    desk.add("level", (ERROR,), level, 3)
    table = TARGETS.table(
        f"Steps to {{error to reach}}%, median of {ALL.seeds} seeds; blank: most do not get "
        "there; –: no such runs",
        "median of all",
        ALL.groups,
        "0",
        float(LAST),
    )
    count = image_counts()
    captions = CAPTIONS.render(
        {
            "share": 100 / count.validation,
            "validation": count.validation,
            "test": count.test,
            "every": ALL.specification.every,
            "last": LAST,
            "largest": SIZES[0],
            "tested": _tested(),
        }
    )
    return Explorable(
        title=captions.title,
        controls=desk.controls,
        tensors=desk.tensors,
        views=((_steps(),), (_best(),), (table,), (*TARGETS.readouts(), *captions.readouts)),
        code=load_program(__file__),
    )


def _dots(at: int, y: str | list[float]) -> list[ChartTrace]:
    """Draw one norm's runs as dots in one column of the chart."""
    row = ALL.rows[at]
    offset = HALF * (2 * at / (len(ALL.rows) - 1) - 1)
    seeds = [APART * (seed - (ALL.seeds - 1) / 2) for seed in range(ALL.seeds)]
    x = [place + offset + seed for place in range(len(SIZES)) for seed in seeds]
    symbol = "circle" if row.key == row.norm else "diamond-open"
    return points(row.label, row.norm, x, y, 6, marker_style={"symbol": symbol})


def _steps() -> Chart:
    return chart(
        "Steps until the validation error is {error to reach}% or less",
        [_dots(at, f"{row.key} steps") for at, row in enumerate(ALL.rows)],
        category_axis("batch size", RUNS.columns),
        short_log_axis("steps", ALL.steps[0], LAST),
        "How many steps each run took to reach an error of {error to reach}% or less: one dot per "
        "run, by batch size and norm. The table has the medians.",
        height=380,
    )


def _best() -> Chart:
    best = TARGETS.best[:, :, 0]  # rows,sizes,seeds
    dots = [_dots(at, runs.log10().flatten().tolist()) for at, runs in enumerate(best)]
    there = best[best.isfinite()]
    low, *_, high = sorted([*WANTED.values, float(there.min()), float(there.max())])
    across = [-0.5, len(SIZES) - 0.5]
    return chart(
        f"Lowest validation error in {LAST:,} steps; the line: {{error to reach}}%",
        [
            *dots,
            line("error to reach", "ink", across, "level", width=1.5, dash="dot", showlegend=False),
        ],
        category_axis("batch size", RUNS.columns),
        short_log_axis("validation error, %", low, high),
        f"How low each run got in {LAST:,} steps: one dot per run, by batch size and norm, and a "
        "line at {error to reach}%.",
        height=380,
    )


def _tested() -> str:
    def of(row: str, size: int) -> str:
        return f"{number(float(ALL.tested[ALL.index(row, size)].mean()), '1')}%"

    return "; ".join(
        f"{row.label} {of(row.key, SIZES[0])} and {of(row.key, 4)}" for row in ALL.rows
    )


FIGURE = FigureSpec("reached", build)
