"""The grid figure of /axes: a batch before and after each norm, and the cells that share a mean."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Num
from torch import Tensor

from lnviz.explorable import (
    CUSTOM,
    CellPicker,
    Choice,
    Control,
    Explorable,
    IntParameter,
    Option,
    Slider,
    StepChoice,
    SweptTensor,
    Toggle,
    load_program,
)
from lnviz.lessons.axes.by_hand import norm_code
from lnviz.lessons.axes.notes import group_sizes, render_captions
from lnviz.lessons.axes.views import (
    STEPS,
    NumberStyle,
    inputs,
    margins,
    number_style,
    outputs,
)
from lnviz.lessons.axes.window import Window, window
from lnviz.lessons.captions import load_captions
from lnviz.lessons.data_parameters import DATA, SEED, load_examples, table_edits, tensor_literal
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.norms import LAYER, Norm

# As many as in the next lesson, so that a digit has the same values in both.
DIGIT_UNITS = 6
DRAWN_BY = dict(zip(STEPS, ("x - mean", "(x - mean).square()", "x_hat", "y"), strict=True))
"""The variables of the program that hold each step's result."""
DRAWN = dict(zip(STEPS, ("centered", "squared", "x_hat", "y"), strict=True))
CODE_CELLS = 4096
CAPTIONS = load_captions(__file__)


def build(data: str = "worked", seed: int = 0, case: int = 1, feature: int = 1) -> Explorable:
    """Build the figure: a batch before, during and after each norm, for every batch size."""
    seen = window(load_examples(data, seed, units=DIGIT_UNITS), case, feature)
    places = number_style(float(seen.shown.abs().max()))
    beside, statistics = margins(seen, places)
    sentences, cases_of_note = render_captions(CAPTIONS, seen, places)
    return Explorable(
        title=sentences.title,
        controls=_controls(seen),
        tensors=_tensors(seen, places) | statistics | cases_of_note,
        views=(
            (inputs(seen, places, beside), *outputs(seen, places, beside)),
            sentences.readouts,
            sentences.sections["notes"],
        ),
        code=load_program(__file__, x=_batch_source(seen)),
        # Edits address cells of the whole table, not of a window.
        steps=sentences.steps,
        edits=table_edits(data, "cell") if seen.shown.shape == seen.source.values.shape else None,
    )


def _controls(window: Window) -> tuple[Control, ...]:
    n, width = window.batch.shape
    return (
        Choice("norm", tuple(_option(norm, width) for norm in window.norms), LAYER.key),
        Slider.linear("batch size", 1, n, 1, n),
        StepChoice(
            "step", tuple(Option(step, step, code=DRAWN_BY[step]) for step in STEPS), STEPS[2]
        ),
        Toggle(
            "layout",
            (Option("rows", "Examples as rows"), Option("columns", "Examples as columns")),
            "rows",
        ),
        CellPicker(
            "cell",
            window.source.example_labels[window.cases],
            window.source.feature_labels[window.units],
            "feature",
            (0, 1),
        ),
    )


def _option(norm: Norm, width: int) -> Option:
    return Option(norm.key, norm.label, norm.key, norm_code(norm, width))


def _tensors(window: Window, places: NumberStyle) -> dict[str, SweptTensor]:
    """Return the figure's tensors: visible inputs, and each norm's results at each batch size."""
    walk, shown = window.walk, window.shown
    n = len(shown)
    counts = group_sizes(window).to(shown.device)
    gain, bias = window.gain[window.units], window.bias[window.units]
    biases = torch.stack([bias * norm.center for norm in window.norms])

    def each(values: Num[Tensor, "norms B N U *M"], decimals: int | None) -> SweptTensor:
        return SweptTensor(("norm", "batch size", "cell"), values.flatten(2, 3), decimals)

    tensors = {
        "x": SweptTensor(("cell",), shown.flatten(), places.decimals),
        "mean": each(walk.mean, places.decimals),
        "var": each(walk.var, places.decimals),
        "terms": each(walk.terms, places.decimals),
        "total": each(walk.mean.double() * counts, places.decimals),
        "squares": each(walk.squares, places.decimals),
        "total squares": each(walk.var.double() * counts, places.decimals),
        "centered": each(walk.centered, places.decimals),
        "squared": each(walk.centered.square(), places.decimals),
        "x_hat": each(walk.x_hat, 4),
        "y": each(walk.y, 4),
        "groups": each(walk.groups, 0),
        "inside": SweptTensor(("batch size", "cell"), _one_or_nan(walk.inside[0]).flatten(1), 0),
        "finite": each(_one_or_nan(walk.var.isfinite()), 0),
        "gain": SweptTensor(("cell",), gain.repeat(n), 2),
        "bias": SweptTensor(("norm", "cell"), biases.repeat(1, n), 2),
        "gain row": SweptTensor((), gain, 2),
        "bias row": SweptTensor((), bias, 2),
    }
    if window.source.images is not None:
        tensors["pictures"] = SweptTensor((), window.source.images[window.cases], 4)
    return tensors


def _one_or_nan(given: Bool[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Return 1 where a condition holds and NaN elsewhere, to show or hide readouts."""
    return torch.where(given, 1.0, torch.nan)


def _batch_source(window: Window) -> str:
    """Return Python source that creates the batch, or loads a large batch from a file."""
    if window.batch.numel() <= CODE_CELLS:
        return f"torch.tensor({tensor_literal(window.batch)})"
    first, last = window.cases.start, window.cases.stop
    return f'torch.load("array.pt")[{first}:{last}]  # your array, saved by torch.save'


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    (cell,) = (control for control in shown.controls if isinstance(control, CellPicker))
    step = DRAWN[STEPS[state["step"]]]
    table = shown.lookup(step, {**state, cell.name: slice(None)}).view(len(cell.rows), -1)
    rows = printed[-1]
    yield rows[:, : len(cell.columns)], table[: len(rows)]
    standardized = shown.lookup("x_hat", {**state, cell.name: slice(None)}).view_as(table)
    for ours in printed[:-1]:  # by PyTorch's own module
        yield ours[:, : len(cell.columns)], standardized[: len(rows)]


FIGURE = FigureSpec(
    "grid",
    build,
    (
        DATA,
        SEED,
        IntParameter("case", "First example", 1, 1_000_000, 1, when={"data": (CUSTOM,)}),
        IntParameter("feature", "First feature", 1, 1_000_000, 1, when={"data": (CUSTOM,)}),
    ),
    program_output=ProgramOutput(_printed),
)
