"""One vector under every norm and replacement, as large as the reader makes it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

import plotly.graph_objects as go
import torch
from torch import Tensor

from lnviz.data.examples import worked_example
from lnviz.device import device
from lnviz.explorable import (
    Chart,
    Explorable,
    Grid,
    Pointer,
    Readout,
    Row,
    Slider,
    Swept,
    Whole,
    program,
)
from lnviz.lessons.chart_axes import linear
from lnviz.lessons.charts import Part, chart, norm_line, plotted, stacked
from lnviz.lessons.inputs import literal, tensor_of
from lnviz.lessons.lesson import Figure
from lnviz.lessons.prints import Pairs, Prints, State
from lnviz.norms import ALPHA, SLOPE, Family
from lnviz.topics.successors import NORMS, Curves, curves, treats_units_alike

STEPS = 20  # of the slider, to a factor of two
SIZE = Slider(
    "input scale",
    tuple(round(2 ** (i / STEPS), 3) for i in range(-3 * STEPS, 3 * STEPS + 1)),
    1.0,
    log=True,
)
CASE = Whole("case", "Case", 1, len(worked_example().values), 1)
POINTS = 81
TOP = 3.0  # where charts end; what lies beyond is not drawn
CUT = 0.95  # beyond it tanh is all but flat
TITLES: dict[Family, str] = {
    "case": "Statistics of the vector itself",
    "values": "No statistics of what goes in",
    "batch": "Statistics of each unit over the batch",
}
SHOWN = {
    family: tuple(key for key, norm in NORMS.items() if norm.family == family) for family in TITLES
}
"""The norms of each chart, in the order of the charts and of the table."""
ROWS = tuple(key for keys in SHOWN.values() for key in keys)
SYMBOLS = dict(
    zip(
        (key for key in NORMS if not treats_units_alike(key)),
        cycle(("square", "cross", "diamond", "triangle-up", "star", "hexagon")),
        strict=False,
    )
)
"""Symbols of norms that treat units unlike: no curve goes through their dots."""
COLUMNS = ("size", "largest", "change")


def build(case: int = 1) -> Explorable:
    """Build charts by what a norm's statistics are of, and a table of all norms."""
    batch = worked_example().values.to(device())
    x = batch[case - 1]
    reach = 1.15 * float(x.abs().max())
    along = torch.linspace(-reach, reach, POINTS, device=batch.device)
    computed = curves(batch, case - 1, tensor_of(SIZE.values), along)
    pointer = Pointer(
        "norm", tuple(NORMS[key].label for key in ROWS), COLUMNS, "", (0, len(COLUMNS) - 1)
    )
    return Explorable(
        title="One vector under every norm and replacement",
        controls=(SIZE, pointer),
        tensors=_tensors(computed),
        views=(
            (
                _chart("case", computed),
                _chart("values", computed),
            ),
            (_chart("batch", computed), _table()),
            _words(len(x), len(batch), case),
        ),
        code=program(__file__, batch=f"torch.tensor({literal(batch)})", case=str(case - 1)),
    )


def _inside(values: Tensor) -> Tensor:
    return values.where(values.abs() <= TOP, torch.nan)


def _tensors(computed: Curves) -> dict[str, Swept]:
    over = (SIZE.name,)
    start = SIZE.start_index
    tensors = {}
    cells = []
    for key in ROWS:
        y = computed.outputs[key]
        tensors[f"{key} units"] = Swept(over, _inside(y), 3)
        change = (y - y[start]).square().mean(1).sqrt()
        cells.append(torch.stack([y.square().mean(1).sqrt(), y.abs().amax(1), change], 1))
    for key, values in computed.functions.items():
        tensors[f"{key} curve"] = Swept(over, _inside(values), 3)
    table = torch.stack(cells, 1)  # S,norms,3
    tensors["table"] = Swept(over, table.flatten(1), 3)
    for at, key in enumerate(ROWS):
        tensors[f"{key} size"] = Swept(over, table[:, at, 0], 3)
    for name in ("mean", "std", "rms"):
        tensors[name] = Swept(over, getattr(computed, name), 4)
    flat = (computed.outputs["dyt"].abs() > CUT).sum(1)
    return tensors | {"flat": Swept(over, flat, 0)}


def _chart(family: Family, computed: Curves) -> Chart:
    drawn: list[list[Part]] = []
    for key in stacked(SHOWN[family]):
        curved = key in computed.functions
        if curved:
            drawn.append(norm_line(key, computed.along, f"{key} curve"))
        units = go.Scatter(
            mode="markers",
            name=NORMS[key].label,
            showlegend=not curved,
            marker={
                "size": 6 if curved else 10,
                "color": f"var(--ln-{key})",
                "symbol": "circle" if curved else SYMBOLS[key],
            },
        )
        drawn.append(plotted(units, x=computed.x, y=f"{key} units"))
    reach = float(computed.along.max())
    said = "; ".join(f"{NORMS[key].label} {{{key} size:2}}" for key in SHOWN[family])
    return chart(
        TITLES[family],
        drawn,
        linear("input, before it is scaled", -reach, reach, room=False),
        linear("output", -1.05 * TOP, 1.05 * TOP, room=False),
        "Output against input before scaling, at input scale {input scale}. Root mean square of "
        f"the outputs: {said}.",
        height=340,
    )


def _table() -> Grid:
    return Grid(
        "Outputs at input scale {input scale}: root mean square, largest in size, and root mean "
        "square of the change from scale 1",
        "norm",
        TOP,
        values="table",
    )


def _words(units: int, cases: int, case: int) -> Row:
    """What the norm pointed at does, and what the scale does to tanh."""
    half = units // 2
    batch = f"over the {cases} cases of the batch, of which only this one, case {case}, is scaled"
    said = {
        "layer": "subtracts the vector's mean, {mean:3 value}, and divides by its standard "
        "deviation, {std:3 value}. Both grow with the vector, so nothing changes but what ε "
        "does.",
        "rms": "divides by the vector's root mean square, {rms:3 value}. It grows with the vector. "
        "The mean stays in.",
        "scale": "divides by the vector's length and multiplies by one number, which starts at "
        f"√{units}: there it is RMSNorm, and its dots lie on RMSNorm's. It learns that one number "
        "where RMSNorm learns a gain for each unit.",
        "ada": "does what LayerNorm does, then multiplies each result y by 1 − "
        f"{SLOPE:g} y. The curve is bent, but it is the same at every scale.",
        "group": f"takes mean and standard deviation of units 1 to {half} for these, and of units "
        f"{half + 1} to {units} for those: two straight lines, so no single curve.",
        "none": "lets the input through.",
        "weight": "divides each unit by the length of its weights, drawn at random here. The "
        "input has no part in that.",
        "dyt": f"takes tanh of {ALPHA:g} times each number by itself. A number comes out the "
        "same whatever its neighbors are.",
        "derf": f"takes the error function of {ALPHA:g} times each number by itself, with no shift "
        "here.",
        "batch": f"takes mean and standard deviation of each unit {batch}. The larger it is, the "
        "more of the statistics is its own.",
        "power": f"divides each unit by its root mean square {batch}. In the paper's last form "
        "a running value takes the batch's place, and the vector is divided by a constant.",
    }
    in_code = {key: f"is {norm.code} in PyTorch." for key, norm in NORMS.items()}
    return (
        *(
            Readout(
                f"{NORMS[key].label} {said.get(key, in_code[key])}",
                when={"norm": tuple((row, column) for column in range(len(COLUMNS)))},
            )
            for row, key in enumerate(ROWS)
        ),
        Readout(
            "At input scale {input scale} LayerNorm puts out a root mean square of "
            "{layer size:2 value}, DyT one of {dyt size:2 value}, and no norm one of "
            f"{{none size:2 value}}. {{flat:0 value}} of {units} units come out of DyT beyond "
            f"±{CUT:g}, where tanh is all but flat.",
            "verdict",
        ),
    )


PRINTED = ("layer", "rms", "scale", "ada", "group", "dyt", "derf", "batch", "power")


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for values, key in zip(printed[0], PRINTED, strict=True):
        yield values, shown.lookup(f"{key} units", state)


# Epsilon is counted in another way in ScaleNorm's own formula.
FIGURE = Figure("curves", build, (CASE,), prints=Prints(_printed, within=2e-3))
