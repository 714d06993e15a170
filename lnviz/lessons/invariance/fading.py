"""Change in a norm's outputs when one example is scaled, by scale factor and epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from lnviz.explorable import Chart, Explorable, SweptTensor, load_program
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import log_axis, to_log10
from lnviz.lessons.charts import chart, norm_line
from lnviz.lessons.data_parameters import load_examples, tensor_literal, to_tensor
from lnviz.lessons.invariance import case_scale
from lnviz.lessons.invariance.case_scale import CASE, layer_changes
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.topics.invariance import one_case

SCALE = replace(case_scale.SCALE, start=0.01, url_name="fading-scale")
EPSILON = replace(case_scale.EPSILON, url_name="fading-epsilon")
ROOM = 0.1  # decades to the right of the curves, for the mark
FLOOR = -8.0
"""The logarithm to which smaller changes are raised: float32 has about seven digits."""
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build the chart of the change in outputs against the scale factor of one example."""
    source = load_examples("worked", 0, units=6)
    multiplied = one_case(source.values, CASE, to_tensor(SCALE.values), to_tensor(EPSILON.values))
    captions = CAPTIONS.render()
    moved = (SCALE.name, EPSILON.name)
    return Explorable(
        title=captions.title,
        controls=(SCALE, EPSILON),
        tensors={
            **layer_changes(multiplied),
            "batch change": SweptTensor(moved, 100 * multiplied.batch_change, 4),
            "layer curve": SweptTensor(moved, to_log10(multiplied.layer_change, FLOOR), 3),
            "batch curve": SweptTensor(moved, to_log10(multiplied.batch_change, FLOOR), 3),
        },
        views=((_changes(),), captions.readouts),
        code=load_program(__file__, x=tensor_literal(source.values)),
    )


def _changes() -> Chart:
    """Draw the relative change of outputs against the scale factor, at the selected epsilon."""
    low, *_, high = to_log10(to_tensor(SCALE.values)).tolist()
    return chart(
        "Largest change: LayerNorm’s scaled row, BatchNorm’s other rows",
        [
            norm_line("batch", SCALE, "batch curve", label_at_end=True),
            norm_line("layer", SCALE, "layer curve", label_at_end=True),
        ],
        log_axis("example scale", low, high + ROOM, ticks=(0.01, 0.1, 1.0, 10.0, 100.0)),
        log_axis(
            "change",
            FLOOR,
            1,
            ticks={10**FLOOR: "≤ 10⁻⁶%", 1e-4: "0.01%", 1.0: "100%"},
        ),
        "At example scale {example scale} and epsilon {epsilon}, LayerNorm’s scaled row has "
        "changed by {layer change:g2} percent, and BatchNorm’s other rows by {batch change:g2} "
        "percent. Curves over all scales of example 2, on logarithmic axes.",
        height=300,
        legend=False,
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for percent, norm in zip(printed[0], ("layer", "batch"), strict=True):
        yield percent, shown.lookup(f"{norm} change", state)


FIGURE = FigureSpec("fading", build, program_output=ProgramOutput(_printed, tolerance=1e-3))
