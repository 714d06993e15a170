"""One example of a batch multiplied by a scale factor: the outputs of LayerNorm and BatchNorm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from lnviz.explorable import CellPicker, Chart, Explorable, Grid, Slider, SweptTensor, load_program
from lnviz.lessons.captions import CaptionVariant, load_captions
from lnviz.lessons.chart_axes import log_axis, to_log10
from lnviz.lessons.charts import chart, norm_line
from lnviz.lessons.data_parameters import load_examples, tensor_literal, to_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.norms import BATCH, LAYER
from lnviz.topics.invariance import OneCase, one_case

CASE = 1
SCALE = replace(Slider.decades("example scale", -2, 2, 50, 10.0), url_name="case-scale")
_EPSILONS = Slider.decades("epsilon", -12, -1, 10, 1e-5)
EPSILON = replace(_EPSILONS, values=(0.0, *_EPSILONS.values))
REACH = 3.0  # end of the color scale
ROOM = 0.1  # decades to the right of the curves, for the mark
FLOOR = -8.0
"""The logarithm to which smaller changes are raised: float32 has about seven digits."""

CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build the figure of an example multiplied by a factor, under LayerNorm and BatchNorm."""
    source = load_examples("worked", 0, units=6)
    multiplied = one_case(source.values, CASE, to_tensor(SCALE.values), to_tensor(EPSILON.values))
    examples = tuple(f"example {n}" for n in range(1, len(source.values) + 1))
    cell = CellPicker("cell", examples, source.feature_labels, "feature", (CASE, 1))
    before, *after = _grids(examples)
    captions = CAPTIONS.render(
        {"example": CASE + 1},
        {
            "scaled": (
                CaptionVariant({SCALE.name: tuple(value for value in SCALE.values if value != 1)}),
            )
        },
    )
    return Explorable(
        title=captions.title,
        controls=(SCALE, EPSILON, cell),
        tensors=_tensors(multiplied),
        views=((before, _changes()), tuple(after), captions.readouts),
        code=load_program(__file__, x=tensor_literal(source.values)),
    )


def _tensors(multiplied: OneCase) -> dict[str, SweptTensor]:
    scale, moved = (SCALE.name,), (SCALE.name, EPSILON.name)
    shape = multiplied.summed.shape[1:]
    return {
        "x": SweptTensor((*scale, "cell"), multiplied.summed.flatten(1), 2),
        "layer": SweptTensor((*moved, "cell"), multiplied.layer.flatten(2), 2),
        "batch": SweptTensor((*moved, "cell"), multiplied.batch.flatten(2), 2),
        "rows": SweptTensor(("cell",), LAYER.groups(shape, "ND").flatten(), 0),
        "columns": SweptTensor(("cell",), BATCH.groups(shape, "ND").flatten(), 0),
        "layer change": SweptTensor(moved, 100 * multiplied.layer_change, 4),
        "batch change": SweptTensor(moved, 100 * multiplied.batch_change, 4),
        "layer curve": SweptTensor(moved, to_log10(multiplied.layer_change, FLOOR), 3),
        "batch curve": SweptTensor(moved, to_log10(multiplied.batch_change, FLOOR), 3),
    }


def _grids(examples: tuple[str, ...]) -> tuple[Grid, Grid, Grid]:
    heads = tuple(
        f"{label} × {{{SCALE.name}}}" if n == CASE else label for n, label in enumerate(examples)
    )
    return (
        Grid("Before the norm", "cell", REACH, "x", row_labels=heads),
        Grid("After LayerNorm", "cell", REACH, "layer", groups="rows", color=LAYER.key),
        Grid("After BatchNorm", "cell", REACH, "batch", groups="columns", color=BATCH.key),
    )


def _changes() -> Chart:
    """Draw the relative change of outputs against the scale factor, at the selected epsilon."""
    low, *_, high = to_log10(to_tensor(SCALE.values)).tolist()
    return chart(
        "Largest change by scale: LayerNorm’s scaled row, BatchNorm’s other rows",
        [
            norm_line("batch", SCALE, "batch curve", label_at_end=True),
            norm_line("layer", SCALE, "layer curve", label_at_end=True),
        ],
        log_axis("", low, high + ROOM, ticks=(0.01, 0.1, 1.0, 10.0, 100.0)),
        log_axis(
            "",
            FLOOR,
            1,
            ticks={10**FLOOR: "≤ 10<sup>−6</sup> %", 1e-4: "0.01 %", 1.0: "100 %"},
        ),
        "Largest relative change of the output against the scale of example 2, both axes "
        "logarithmic, at epsilon {epsilon}. At scale {example scale} the scaled row under "
        "LayerNorm has changed by {layer change:g2} percent, the other rows under BatchNorm by "
        "{batch change:g2} percent.",
        height=180,
        legend=False,
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for table, norm in zip(printed, ("layer", "batch"), strict=True):
        yield table.flatten(), shown.lookup(norm, {**state, "cell": slice(None)})


FIGURE = FigureSpec("case-scale", build, program_output=ProgramOutput(_printed))
