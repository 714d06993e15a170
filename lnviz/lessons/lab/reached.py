"""How many steps a norm takes to an error that the reader names, beside the lowest it reaches."""

from __future__ import annotations

import math
from collections.abc import Iterator

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import (
    Chart,
    Explorable,
    Grid,
    Pointer,
    Readout,
    Slider,
    Swept,
    program,
)
from lnviz.lessons.lab.drawing import known, steps_to
from lnviz.lessons.lab.runs import NORMS, POINTS, SEEDS, SIZES, label, measured
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import legend, logarithmic
from lnviz.topics.lab.comparison import stored
from lnviz.topics.lab.digits import PAPER, PLAIN

ROWS = (*((norm, PLAIN) for norm in NORMS), ("batch", PAPER))
"""Norms, and BatchNorm once more where the paper has it."""
ERROR = Slider.linear("error to reach", 1, 20, 0.1, 3)
COLUMNS = tuple(reversed(SIZES))  # as the story goes: batches shrink
HALF = 0.36  # of the room of a batch size that its marks take up
APART = 0.015  # between seeds, so that equal runs do not hide each other
LAST = POINTS[-1]


def errors() -> Float[Tensor, "rows sizes seeds points"]:
    """Validation errors in %, batch sizes falling; NaN where there are no runs."""
    found = torch.stack([measured(norm, "validation_error", head) for norm, head in ROWS])
    return 100 * found.flip(1)


def _codes() -> Iterator[str]:
    """The errors of each cell as Python: seeds x measurements."""
    for cell in errors().flatten(0, 1):
        runs = [[round(error, 2) for error in run] for run in cell.tolist()]
        is_known = bool(cell.isfinite().all())
        yield f"torch.tensor({runs})" if is_known else "torch.full((1, 1), torch.nan)"


RUNS = Pointer(
    "runs",
    tuple(label(norm) + (", as in the paper" if head == PAPER else "") for norm, head in ROWS),
    tuple(str(size) for size in COLUMNS),
    "batches of",
    (NORMS.index("layer"), COLUMNS.index(4)),
    codes=tuple(_codes()),
)


def build() -> Explorable:
    """Two charts with a dot for each run, and a table of medians."""
    return Explorable(
        title="Steps to an error, and the lowest error reached",
        controls=(ERROR, RUNS),
        tensors=_tensors(),
        views=((_steps(),), (_best(),), (_table(),), (*_words(), _method())),
        code=program(__file__),
    )


def _tensors() -> dict[str, Swept]:
    error = errors()
    steps = steps_to(
        error, torch.tensor(ERROR.values, dtype=error.dtype), POINTS
    )  # targets,rows,sizes,S
    median = steps.median(-1).values
    cells = {"median": median, "fastest": steps.amin(-1)}
    cells["slowest"] = steps.where(steps.isfinite(), -torch.inf).amax(-1)
    over = (ERROR.name, RUNS.name)
    tensors = {name: Swept(over, known(v).flatten(1), 0) for name, v in cells.items()}
    tensors["missing"] = Swept(over, steps.isinf().sum(-1).flatten(1).float(), 0)
    tensors["table"] = Swept((ERROR.name,), known(median).flatten(1), 0)
    best = error.amin(-1)  # rows,sizes,seeds
    for name, value in zip(("best low", "best high"), best.aminmax(dim=-1), strict=True):
        tensors[name] = Swept((RUNS.name,), value.flatten(), 2)
    tensors["best"] = Swept((RUNS.name,), best.mean(-1).flatten(), 2)
    for at, name in enumerate(_names()):
        tensors[f"{name} steps"] = Swept((ERROR.name,), known(steps[:, at]).log10().flatten(1), 3)
    tensors["level"] = Swept(
        (ERROR.name,), torch.tensor(ERROR.values).log10()[:, None].expand(-1, 2), 3
    )
    return tensors


def _names() -> tuple[str, ...]:
    return tuple(f"{norm} {head}" for norm, head in ROWS)


def _dots(at: int, y: list[float] | None = None) -> go.Scatter:
    """A dot for each run of a row, in a column of its own beside those of the other rows."""
    norm, head = ROWS[at]
    offset = HALF * (2 * at / (len(ROWS) - 1) - 1)
    seeds = [APART * (seed - (SEEDS - 1) / 2) for seed in range(SEEDS)]
    x = [place + offset + seed for place in range(len(COLUMNS)) for seed in seeds]
    return go.Scatter(
        x=x,
        y=y,
        mode="markers",
        name=RUNS.rows[at],
        marker={
            "color": f"var(--ln-{norm})",
            "size": 6,
            "symbol": "diamond-open" if head == PAPER else "circle",
        },
    )


def _sizes(figure: go.Figure) -> None:
    last = len(COLUMNS) - 1
    figure.update_xaxes(
        range=[-0.5, last + 0.5],
        tickvals=list(range(len(COLUMNS))),
        ticktext=list(RUNS.columns),
        title="batch size",
        zeroline=False,
    )


def _steps() -> Chart:
    figure = go.Figure([_dots(at) for at in range(len(ROWS))])
    _sizes(figure)
    logarithmic(figure, "steps", POINTS[0], LAST)
    legend(figure)
    return Chart(
        "Steps until the validation error is {error to reach} % or less",
        figure,
        {at: {"y": f"{name} steps"} for at, name in enumerate(_names())},
        "A dot for each run that reaches an error of {error to reach} % or less: after how many "
        "steps, by batch size and norm. The table has the medians.",
        height=380,
    )


def _best() -> Chart:
    best = errors().amin(-1)  # rows,sizes,seeds
    figure = go.Figure([_dots(at, best[at].log10().flatten().tolist()) for at in range(len(ROWS))])
    there = best[best.isfinite()]
    _sizes(figure)
    low, high = min(float(there.min()), ERROR.values[0]), max(float(there.max()), ERROR.values[-1])
    logarithmic(figure, "validation error, %", low, high)
    figure.add_trace(
        go.Scatter(
            x=[-0.5, len(COLUMNS) - 0.5],
            mode="lines",
            name="error to reach",
            line={"color": "var(--ln-ink)", "width": 1.5, "dash": "dot"},
        )
    )
    legend(figure)
    return Chart(
        f"Lowest validation error in {LAST:,} steps; the line: {{error to reach}} %",
        figure,
        {len(ROWS): {"y": "level"}},
        f"A dot for each run: the lowest validation error in {LAST:,} steps, by batch size and "
        "norm, and a line at {error to reach} %.",
        height=380,
    )


def _table() -> Grid:
    words = tuple(
        "" if stored().find(norm, size, head) else "–" for norm, head in ROWS for size in COLUMNS
    )
    return Grid(
        f"Steps to {{error to reach}} %, median of {SEEDS} seeds; blank: most do not get there; –: "
        "no such runs",
        RUNS.name,
        float(LAST),
        "table",
        words=words,
        format="0",
    )


def _there() -> tuple[tuple[int, int], ...]:
    """Cells of the table that have been trained."""
    return tuple(
        (row, column)
        for row, (norm, head) in enumerate(ROWS)
        for column, size in enumerate(COLUMNS)
        if stored().find(norm, size, head)
    )


def _words() -> Iterator[Readout]:
    there = _there()
    cells = [divmod(i, len(COLUMNS)) for i in range(RUNS.size)]
    found = {RUNS.name: there}
    yield Readout(
        "{runs}: {error to reach} % or less after {median:0 value} steps in the median (the "
        f"fastest run {{fastest:0}}, the slowest that gets there {{slowest:0}}); not reached by "
        f"{{missing:0 value}} of {SEEDS} seeds.",
        "verdict",
        found,
        given="median",
    )
    yield Readout(
        "{runs}: {error to reach} % or less after {fastest:0 value} steps at the earliest; not "
        f"reached by {{missing:0 value}} of {SEEDS} seeds, so that there is no median.",
        "verdict",
        found,
        given="fastest",
        lacking="median",
    )
    yield Readout(
        f"{{runs}}: {{error to reach}} % are not reached by any of {SEEDS} seeds.",
        "verdict",
        found,
        lacking="fastest",
    )
    yield Readout(
        "{runs}: these runs do not exist, since one case has no spread about its own mean.",
        "verdict",
        {RUNS.name: tuple(cell for cell in cells if cell not in there)},
    )
    yield Readout(
        f"{{runs}}, lowest validation error in {LAST:,} steps: {{best:2 value}} % in the mean, "
        "from {best low:2} to {best high:2}.",
        when=found,
    )


def _method() -> Readout:
    s = stored()
    return Readout(
        "At each batch size the norms stand from left to right as they do in the legend. "
        f"One image is {100 / s.validation:.2f} % of the {s.validation} that are asked about. "
        f"Errors were measured every {s.specification.every} steps, so a run may have been there "
        "earlier. The lowest of many measurements is lower than what new images would show: in "
        f"the end, {s.test} others were tested, once. Mean test error after {LAST:,} steps in "
        f"batches of {COLUMNS[0]} and of 4: {_tested()}."
    )


def _tested() -> str:
    def of(norm: str, head: str, size: int) -> str:
        trained = s.find(norm, size, head)
        assert trained is not None
        found = [math.nan if e is None else 100 * e for e in trained.test_error]
        return f"{sum(found) / len(found):.1f}\u00a0%"

    s = stored()
    return "; ".join(
        f"{name} {of(norm, head, COLUMNS[0])} and {of(norm, head, 4)}"
        for name, (norm, head) in zip(RUNS.rows, ROWS, strict=True)
    )


FIGURE = Figure("reached", build)
