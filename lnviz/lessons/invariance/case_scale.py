"""One case multiplied: what LayerNorm and BatchNorm make of it."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from lnviz.data.examples import Cases
from lnviz.explorable import Chart, Explorable, Grid, Pointer, Readout, Row, Slider, Swept, program
from lnviz.lessons.chart_axes import decades, powers
from lnviz.lessons.charts import chart, norm_line
from lnviz.lessons.inputs import cases, literal, tensor_of
from lnviz.lessons.lesson import Figure
from lnviz.lessons.prints import Pairs, Prints, State
from lnviz.norms import BATCH, LAYER
from lnviz.topics.invariance import OneCase, one_case

CASE = 1
SCALE = Slider.decades("case scale", -2, 2, 50, 1.0)
_EPSILONS = Slider.decades("epsilon", -12, -1, 10, 1e-5)
EPSILON = Slider("epsilon", (0.0, *_EPSILONS.values), 1e-5, log=True)
FLOOR = -8.0
"""Changes below 10 to this power are drawn there: float32 rounds to about seven digits."""


def build() -> Explorable:
    """Build one case multiplied: what LayerNorm and BatchNorm make of it, for every epsilon."""
    source = cases("worked", 0, units=6)
    multiplied = one_case(source.values, CASE, tensor_of(SCALE.values), tensor_of(EPSILON.values))
    cell = Pointer("cell", source.case_labels, source.unit_labels, "feature", (CASE, 1))
    return Explorable(
        title="One case multiplied",
        controls=(SCALE, EPSILON, cell),
        tensors=_tensors(multiplied),
        views=_views(source),
        code=program(__file__, x=literal(source.values)),
    )


def _tensors(multiplied: OneCase) -> dict[str, Swept]:
    scale, moved = ("case scale",), ("case scale", "epsilon")
    shape = multiplied.summed.shape[1:]
    return {
        "x": Swept((*scale, "cell"), multiplied.summed.flatten(1), 2),
        "layer": Swept((*moved, "cell"), multiplied.layer.flatten(2), 2),
        "batch": Swept((*moved, "cell"), multiplied.batch.flatten(2), 2),
        "rows": Swept(("cell",), LAYER.groups(shape, "ND").flatten(), 0),
        "columns": Swept(("cell",), BATCH.groups(shape, "ND").flatten(), 0),
        "layer change": Swept(moved, 100 * multiplied.layer_change, 4),
        "batch change": Swept(moved, 100 * multiplied.batch_change, 4),
        "layer curve": Swept(moved, decades(multiplied.layer_change, FLOOR), 3),
        "batch curve": Swept(moved, decades(multiplied.batch_change, FLOOR), 3),
    }


def _views(source: Cases) -> tuple[Row, ...]:
    reach = 3.0
    heads = tuple(
        f"{label} × {{case scale}}" if n == CASE else label
        for n, label in enumerate(source.case_labels)
    )
    return (
        (Grid("Summed inputs", "cell", reach, "x", heads=heads),),
        (
            Grid("After LayerNorm", "cell", reach, "layer", groups="rows", color=LAYER.key),
            Grid("After BatchNorm", "cell", reach, "batch", groups="columns", color=BATCH.key),
        ),
        (
            Readout(
                "Against case scale 1, no output of the scaled row under LayerNorm changed by "
                "more than {layer change:g2 value} percent of that row's largest output. Under "
                "BatchNorm the rows nobody touched changed by up to {batch change:g2 value} "
                "percent of their largest output."
            ),
            Readout(
                "At epsilon 0 the scaled row gives the same numbers under LayerNorm, up to "
                "float32's rounding. Only with an epsilon does the size of the row leave a trace "
                "there.",
                "verdict",
                {"epsilon": (0.0,)},
            ),
        ),
        (_changes(),),
    )


def _changes() -> Chart:
    """The change against the scale, at the epsilon chosen, and where the slider stands."""
    low, *_, high = decades(tensor_of(SCALE.values)).tolist()
    return chart(
        "Largest change against scale 1, at epsilon {epsilon}",
        [
            norm_line("batch", SCALE, "batch curve", name="BatchNorm, the other rows"),
            norm_line("layer", SCALE, "layer curve", name="LayerNorm, the scaled row"),
        ],
        powers("case scale", low, high),
        powers("largest relative change", FLOOR, 1, floor=True),
        "Largest relative change of the output against the case scale, both axes logarithmic, at "
        "epsilon {epsilon}. At case scale {case scale} the scaled row under LayerNorm has changed "
        "by {layer change:g2} percent, the other rows under BatchNorm by {batch change:g2} "
        "percent.",
        height=340,
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for table, norm in zip(printed, ("layer", "batch"), strict=True):
        yield table.flatten(), shown.lookup(norm, {**state, "cell": slice(None)})


FIGURE = Figure("case-scale", build, prints=Prints(_printed))
