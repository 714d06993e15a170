"""Charts of one vector, multiplied by a scale factor, after every norm and norm replacement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from lnviz.explorable import CellPicker, Chart, Explorable, Grid, SweptTensor, load_program
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.data_parameters import tensor_literal
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.lessons.successors.curves import LARGE, TOP, compute_curves, draw_curves, inside
from lnviz.norms import ALPHA, SLOPE, Family
from lnviz.topics.successors import NORMS, Curves

SIZE = replace(LARGE, url_name="every scale")
CASE = 1
TITLES: dict[Family, str] = {
    "case": "Statistics of the vector itself",
    "values": "No statistics of the input",
    "batch": "Statistics of each unit over the batch",
}
SHOWN = {
    family: tuple(key for key, norm in NORMS.items() if norm.family == family) for family in TITLES
}
"""The norms that each chart shows, in the order of the charts and of the table."""
ROWS = tuple(key for keys in SHOWN.values() for key in keys)
COLUMNS = ("size", "largest", "change")
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build charts of all norms' outputs, grouped by the axes of the statistics, and a table."""
    batch, computed = compute_curves(CASE)
    pointer = CellPicker(
        "norm", tuple(NORMS[key].label for key in ROWS), COLUMNS, "", (0, len(COLUMNS) - 1)
    )
    said = _captions(len(computed.x), len(batch))
    return Explorable(
        title=said.title,
        controls=(SIZE, pointer),
        tensors=_tensors(computed),
        views=(
            (
                _chart("case", computed),
                _chart("values", computed),
            ),
            (_chart("batch", computed), _table()),
            said.readouts,
        ),
        code=load_program(
            __file__, batch=f"torch.tensor({tensor_literal(batch)})", case=str(CASE - 1)
        ),
    )


def _tensors(computed: Curves) -> dict[str, SweptTensor]:
    over = (SIZE.name,)
    once = SIZE.index(1.0)
    tensors = {}
    cells = []
    for key in ROWS:
        y = computed.outputs[key]
        tensors[f"{key} units"] = SweptTensor(over, inside(y), 3)
        change = (y - y[once]).square().mean(1).sqrt()
        cells.append(torch.stack([y.square().mean(1).sqrt(), y.abs().amax(1), change], 1))
    for key, values in computed.functions.items():
        tensors[f"{key} curve"] = SweptTensor(over, inside(values), 3)
    table = torch.stack(cells, 1)  # S,norms,3
    tensors["table"] = SweptTensor(over, table.flatten(1), 3)
    for at, key in enumerate(ROWS):
        tensors[f"{key} size"] = SweptTensor(over, table[:, at, 0], 3)
    for name in ("mean", "std", "rms"):
        tensors[name] = SweptTensor(over, getattr(computed, name), 4)
    return tensors


def _chart(family: Family, computed: Curves) -> Chart:
    return draw_curves(TITLES[family], SHOWN[family], computed, size=6, height=340)


def _table() -> Grid:
    return Grid(
        "Outputs at input scale {input scale}: RMS, largest, and change from scale 1",
        "norm",
        TOP,
        values="table",
    )


def _captions(units: int, cases: int) -> RenderedCaptions:
    written = {paragraph.variant for paragraph in CAPTIONS.paragraphs}
    by_norm: dict[str, tuple[CaptionVariant, ...]] = {"others": ()}
    for row, key in enumerate(ROWS):
        here = {"norm": tuple((row, column) for column in range(len(COLUMNS)))}
        if key in written:
            by_norm[key] = (CaptionVariant(here),)
        else:
            values = {"label": NORMS[key].label, "code": NORMS[key].code}
            by_norm["others"] += (CaptionVariant(here, values),)
    return CAPTIONS.render(
        {
            "units": units,
            "half": units // 2,
            "next": units // 2 + 1,
            "cases": cases,
            "case": CASE,
            "alpha": f"{ALPHA:g}",
            "slope": f"{SLOPE:g}",
        },
        by_norm,
    )


PRINTED = ("layer", "rms", "scale", "ada", "group", "dyt", "derf", "batch", "power")


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for values, key in zip(printed[0], PRINTED, strict=True):
        yield values, shown.lookup(f"{key} units", state)


# ScaleNorm's own formula uses epsilon in another way.
FIGURE = FigureSpec("catalogue", build, program_output=ProgramOutput(_printed, tolerance=2e-3))
