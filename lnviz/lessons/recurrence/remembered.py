"""Recurrent BatchNorm remembers a mean and a variance for every step."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go
import torch
from torch import Tensor

from lnviz.explorable import Chart, Choice, Explorable, Option, Readout, Slider, Swept, program
from lnviz.lessons.inputs import literal
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import line, note
from lnviz.lessons.prints import Pairs, Prints, State
from lnviz.lessons.recurrence.bands import lengths, runs
from lnviz.topics.recurrence.reader import KINDS
from lnviz.topics.recurrence.train import RECURRENCE

KIND = "lstm-batch"
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
    """A heat map of what BatchNorm remembers for the cell: steps x units, and past the end."""
    mean, var = (
        RECURRENCE.result.tensor(f"norm_cell_{statistic}", "position", "unit")
        for statistic in ("mean", "var")
    )  # T,D
    longest = len(mean)
    steps = tuple(float(step) for step in range(1, 2 * longest + 1))
    step = Slider("sequence step", steps, float(longest), decimals=0)
    used = [min(at, longest) - 1 for at in range(1, 2 * longest + 1)]
    both = {"mean": mean[used], "std": var.sqrt()[used]}  # steps,D each
    return Explorable(
        title="What recurrent BatchNorm remembers for every step",
        controls=(STATISTIC, step),
        tensors={
            **{name: Swept((), values.flatten(), 3) for name, values in both.items()},
            "column": Swept((step.name,), torch.tensor(steps)[:, None].repeat(1, 2), 0),
            "used": Swept((step.name,), torch.tensor(used) + 1.0, 0),
            "mean here": Swept((step.name,), both["mean"].abs().mean(1), 3),
            "std here": Swept((step.name,), both["std"].mean(1), 3),
        },
        views=(
            tuple(_map(name, mean.shape, float(both[name].abs().max())) for name in both),
            _words(longest, step),
        ),
        code=program(
            __file__,
            mean=f"torch.tensor({literal(mean)})",
            var=f"torch.tensor({literal(var)})",
        ),
    )


def _words(longest: int, step: Slider) -> tuple[Readout, ...]:
    result, asked = RECURRENCE.result, lengths()
    far = min(asked, key=lambda length: abs(length - 2 * longest))
    right = runs(KIND, "accuracy_after").mean(0)
    near_share, far_share = (float(right[asked.index(at)]) for at in (longest, far))
    units, seeds = result.specification.units, result.specification.seeds
    return (
        Readout(
            "At step {sequence step} of a sequence, the norm on the cell uses the statistics of "
            "step {used:0 value}: over the units, the standard deviation is {std here:3 value} on "
            "average and the mean {mean here:3 value} away from 0.",
        ),
        Readout(
            f"No sequence in training had more than {longest} steps. From step {longest + 1} on, "
            f"the last step's statistics are used again. After {longest} steps these networks "
            f"name {near_share:.2f} of the test images right, after {far} steps {far_share:.2f} "
            f"(mean over {len(seeds)} seeds).",
            "verdict",
            {step.name: step.values[longest:]},
        ),
        Readout(
            f"Running statistics of the trained network {KINDS[KIND].label}, seed "
            f"{seeds[0]}, of the last section. Each column is a step with {units} means "
            f"and {units} variances of its own; layer normalization would keep none."
        ),
    )


def _map(statistic: str, shape: tuple[int, ...], most: float) -> Chart:
    longest, units = shape
    steps, reach = range(1, 2 * longest + 1), math.ceil(2 * most) / 2
    figure = go.Figure(
        [
            go.Heatmap(
                x=[step for step in steps for _ in range(units)],
                y=[unit for _ in steps for unit in range(1, units + 1)],
                colorscale=[[at, f"var(--ln-{token})"] for at, token in COLORS[statistic]],
                zmin=-reach if statistic == "mean" else 0,
                zmax=reach,
                colorbar={"thickness": 12, "len": 1.0, "outlinewidth": 0},
            ),
            line("step", "ink", width=2, y=[0.5, units + 0.5]),
        ]
    )
    figure.add_vline(longest + 0.5, line={"color": "var(--ln-ink)", "width": 2, "dash": "dot"})
    for x, anchor, text in (
        (longest + 0.2, "right", "seen in training"),
        (longest + 0.8, "left", f"step {longest}, again"),
    ):
        note(figure, x, 1, text, anchor=anchor)
        figure.layout.annotations[-1].update(xref="x", yref="paper")
    figure.update_xaxes(range=[0.5, 2 * longest + 0.5], title="step")
    figure.update_yaxes(range=[0.5, units + 0.5], title="unit")
    figure.update_layout(margin={"t": 24, "l": 8, "r": 8, "b": 8})
    return Chart(
        "The {statistic} that the norm on the cell uses, step by step",
        figure,
        {0: {"z": statistic}, 1: {"x": "column"}},
        f"Heat map of the {{statistic}} of {units} units over steps. After step {longest} all "
        "columns are alike. At step {sequence step} the statistics of step {used:0} are used.",
        height=380,
        when={STATISTIC.name: (statistic,)},
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    statistic, step = shown.controls
    columns = shown.tensors[STATISTIC.options[state[statistic.name]].value].values
    yield printed[0], columns.unflatten(0, (step.size, -1))[state[step.name]]


FIGURE = Figure("remembered", build, prints=Prints(_printed))
