"""The separate mean and variance that recurrent BatchNorm has to store for every time step."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from lnviz.explorable import Chart, Choice, Explorable, Option, Slider, SweptTensor, load_program
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import chart, heatmap, line, note, vline
from lnviz.lessons.data_parameters import tensor_literal
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.lessons.recurrence.bands import lengths, runs
from lnviz.topics.recurrence.reader import KINDS
from lnviz.topics.recurrence.train import RECURRENCE

KIND, PLAIN = "lstm-batch", "lstm"
CAPTIONS = load_captions(__file__)
STATISTIC = Choice(
    "statistic",
    (
        Option("mean", "mean", code='"mean"'),
        Option("std", "standard deviation", code='"std"'),
    ),
    "std",
)
COLORS = {
    "mean": ((0, "cool"), (0.5, "page"), (1, "warm")),
    "std": ((0, "page"), (1, "warm")),
}


def build() -> Explorable:
    """Build a heat map of BatchNorm's stored statistics of the cell state, steps x units."""
    mean, var = (
        RECURRENCE.result.tensor(f"norm_cell_{statistic}", "position", "unit")
        for statistic in ("mean", "var")
    )  # T,D
    longest = len(mean)
    steps = tuple(float(step) for step in range(1, 2 * longest + 1))
    step = Slider("sequence step", steps, float(longest), decimals=0)
    used = [min(at, longest) - 1 for at in range(1, 2 * longest + 1)]
    both = {"mean": mean[used], "std": var.sqrt()[used]}  # steps,D each
    said = _captions(longest, step)
    return Explorable(
        title=said.title,
        controls=(STATISTIC, step),
        tensors={
            **{name: SweptTensor((), values.flatten(), 3) for name, values in both.items()},
            "column": SweptTensor((step.name,), torch.tensor(steps)[:, None].repeat(1, 2), 0),
            "used": SweptTensor((step.name,), torch.tensor(used) + 1.0, 0),
            "mean here": SweptTensor((step.name,), both["mean"].abs().mean(1), 3),
            "std here": SweptTensor((step.name,), both["std"].mean(1), 3),
        },
        views=(
            tuple(_map(name, mean.shape, float(both[name].abs().max())) for name in both),
            said.readouts,
        ),
        code=load_program(
            __file__,
            mean=f"torch.tensor({tensor_literal(mean)})",
            var=f"torch.tensor({tensor_literal(var)})",
        ),
    )


def _captions(longest: int, step: Slider) -> RenderedCaptions:
    result, asked = RECURRENCE.result, lengths()
    far = min(asked, key=lambda length: abs(length - 2 * longest))
    near_at, far_at = asked.index(longest), asked.index(far)
    right, plain = (runs(kind, "accuracy_after").mean(0).tolist() for kind in (KIND, PLAIN))
    units, seeds = result.specification.units, result.specification.seeds
    return CAPTIONS.render(
        {
            "longest": longest,
            "near": right[near_at],
            "far-steps": far,
            "far": right[far_at],
            "plain-near": plain[near_at],
            "plain-far": plain[far_at],
            "seeds": len(seeds),
            "network": KINDS[KIND].label,
            "seed": seeds[0],
            "units": units,
        },
        {
            "training": (CaptionVariant({step.name: step.values[:longest]}),),
            "past training": (CaptionVariant({step.name: step.values[longest:]}),),
        },
    )


def _map(statistic: str, shape: tuple[int, ...], most: float) -> Chart:
    longest, units = shape
    steps, reach = range(1, 2 * longest + 1), math.ceil(2 * most) / 2
    columns = [at for at in steps for _ in range(units)]
    rows = [unit for _ in steps for unit in range(1, units + 1)]
    ends = (-reach if statistic == "mean" else 0, reach)
    return chart(
        "The {statistic} that the norm on the cell uses, step by step",
        [
            heatmap(columns, rows, statistic, COLORS[statistic], ends),
            line("step", "ink", "column", [0.5, units + 0.5], width=2),
            vline(longest + 0.5, "ink", 2),
            note(longest + 0.2, 1, "seen in training", xref="x", yref="paper"),
            note(longest + 0.8, 1, f"step {longest}, again", anchor="left", xref="x", yref="paper"),
        ],
        linear_axis("step", 0.5, 2 * longest + 0.5, padded=False),
        linear_axis("unit", 0.5, units + 0.5, padded=False),
        f"The {{statistic}} of {units} units, step by step, as a heat map. After step {longest}, "
        "all columns are the same: at step {sequence step}, the norm uses the statistics of step "
        "{used:0}.",
        height=340,
        when={STATISTIC.name: (statistic,)},
        legend=False,
        margin={"t": 24, "l": 8, "r": 8, "b": 8},
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    statistic, step = shown.controls
    columns = shown.tensors[STATISTIC.options[state[statistic.name]].value].values
    yield printed[0], columns.unflatten(0, (step.size, -1))[state[step.name]]


FIGURE = FigureSpec("remembered", build, program_output=ProgramOutput(_printed))
