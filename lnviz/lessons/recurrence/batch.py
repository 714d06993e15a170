"""Recurrent BatchNorm: statistics for every step, and what its small gain does to tanh."""

from __future__ import annotations

import math

import plotly.graph_objects as go
import torch

from lnviz.explorable import Along, Chart, Choice, Explorable, Option, Readout, Slider, Swept
from lnviz.lessons.inputs import literal, swept
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import legend, line, mark, note, powers
from lnviz.lessons.recurrence.trained import compared
from lnviz.recurrence import Network, flow, saturation
from lnviz.recurrence.saturation import FLAT

GAIN = Slider.decades("gain", -2, 0, 100, 1.0)
NETWORK = Network(size=32, steps=50, cases=8, inputs=1.0, separate=True)
VALUES = torch.linspace(-3, 3, 61)
REACH = 3.0  # of the heat map's colors


def remembered_figure() -> Explorable:
    """A heat map of what BatchNorm remembers for the cell: steps x units, and past the end."""
    result = compared()
    found = result.remembered["norm_cell"]
    mean, std = torch.tensor(found.mean), torch.tensor(found.var).sqrt()  # T,D
    longest, units = mean.shape
    steps = tuple(float(step) for step in range(1, 2 * longest + 1))
    step = Slider("sequence step", steps, float(longest), decimals=0)
    used = [min(at, longest) - 1 for at in range(1, 2 * longest + 1)]
    both = torch.stack([mean, std])[:, used]  # 2,steps,D
    shown = Choice(
        "statistic",
        (
            Option("mean", "mean", code="mean"),
            Option("std", "standard deviation", code="var.sqrt()"),
        ),
        "std",
    )
    label = result.kinds["lstm-batch"].label
    return Explorable(
        title="What recurrent BatchNorm remembers for every step",
        controls=(shown, step),
        tensors={
            "values": Swept((shown.name,), both.flatten(1), 3),
            "column": Swept((step.name,), torch.tensor(steps)[:, None].repeat(1, 2), 0),
            "used": Swept((step.name,), torch.tensor(used) + 1.0, 0),
            "mean here": Swept((step.name,), both[0].abs().mean(1), 3),
            "std here": Swept((step.name,), both[1].mean(1), 3),
        },
        views=(
            (_map(longest, units),),
            (
                Readout(
                    "At step {sequence step} of a sequence, the norm on the cell uses the "
                    "statistics of step {used:0 value}: over the units, the standard deviation is "
                    "{std here:3 value} on average and the mean {mean here:3 value} away from 0.",
                ),
                Readout(
                    f"No sequence in training had more than {longest} steps. From step "
                    f"{longest + 1} on, the last step's statistics are used again.",
                    "verdict",
                    {step.name: steps[longest:]},
                ),
                Readout(
                    f"Running statistics of the trained network {label}, seed "
                    f"{result.specification.seeds[0]}, of the next section. Each column is a step "
                    f"with {units} means and {units} variances of its own; layer normalization "
                    "would keep none."
                ),
            ),
        ),
        code=f"""import torch

# Steps 1 to {longest}, {units} units each.
mean = torch.tensor({literal(mean)})
var = torch.tensor({literal(torch.tensor(found.var))})
step = min(«sequence step», len(mean))
print((«statistic»)[step - 1])
""",
    )


def _map(longest: int, units: int) -> Chart:
    steps = range(1, 2 * longest + 1)
    scale = [[0, "var(--ln-cool)"], [0.5, "var(--ln-page)"], [1, "var(--ln-warm)"]]
    figure = go.Figure(
        [
            go.Heatmap(
                x=[step for step in steps for _ in range(units)],
                y=[unit for _ in steps for unit in range(1, units + 1)],
                colorscale=scale,
                zmin=-REACH,
                zmax=REACH,
                colorbar={"thickness": 12, "len": 1.0, "outlinewidth": 0},
            ),
            line("step", "ink", width=2),
        ]
    )
    figure.data[1].y = [0.5, units + 0.5]
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
        {0: {"z": "values"}, 1: {"x": "column"}},
        f"Heat map of the {{statistic}} of {units} units over steps. After step {longest} all "
        "columns are alike. At step {sequence step} the statistics of step {used:0} are used.",
        height=380,
    )


def gain_figure() -> Explorable:
    """How far tanh saturates behind a norm, and what a step then multiplies a gradient by."""
    gains = swept(GAIN.values)
    found = saturation(gains)
    back = flow("batch", torch.ones_like(gains), NETWORK, gain=gains).gradient[:, 0]
    each = back.double().pow(1 / NETWORK.steps).float()
    moved = (GAIN.name,)
    logs = gains.log10()[:, None]
    return Explorable(
        title="The gain of a norm before tanh",
        controls=(GAIN,),
        tensors={
            "curve": Swept(moved, (gains[:, None] * swept(tuple(VALUES.tolist()))).tanh(), 3),
            "slope": Swept(moved, found.slope, 4),
            "flat": Swept(moved, 100 * found.flat, 1),
            "each": Swept(moved, each, 4),
            "back": Swept(moved, back),
            "at": Swept(moved, logs.repeat(1, 2), 3),
            "on": Swept(moved, torch.stack([found.slope, each], 1), 3),
        },
        views=(
            (_tanh(), _slopes()),
            (
                Readout(
                    "Behind one norm with gain {gain}, tanh has a mean slope of {slope:3 value}, "
                    f"and {{flat:1 value}} percent of values lie where its slope is below {FLAT}."
                ),
                Readout(
                    f"Through {NETWORK.steps} steps of a plain network with recurrent BatchNorm, "
                    "{back:g2 value} of the gradient comes back: {each:3 value} for each step.",
                    "verdict",
                ),
                Readout(
                    f"A random network of {NETWORK.size} units before training, {NETWORK.cases} "
                    "sequences, a norm on the input's part and another on the state's, the same "
                    "gain in both: its tanh sees their sum, about √2 times as far from 0. "
                    "A small gain makes the state small, and the norm at the next "
                    "step divides by just that: what the gain takes from a gradient, the division "
                    "gives back."
                ),
            ),
        ),
        code=_code(),
    )


def _tanh() -> Chart:
    figure = go.Figure(line("tanh", "batch", VALUES.tolist()))
    density = (-(VALUES**2) / 2).exp() * 0.8 - 1.05
    figure.add_scatter(
        x=VALUES.tolist(), y=density.tolist(), mode="lines", line={"width": 1.5, "dash": "dot"}
    )
    figure.data[1].line.color = "var(--ln-soft)"
    note(figure, 0.5, -0.9, "how often", anchor="center")
    figure.update_xaxes(range=[-3, 3], title="normalized value")
    figure.update_yaxes(range=[-1.1, 1.1], title="tanh(gain × value)")
    return Chart(
        "tanh behind the norm, at gain {gain}",
        figure,
        {0: {"y": "curve"}},
        "tanh of gain times value, for normalized values from -3 to 3, at gain {gain}. Its mean "
        "slope is {slope:3}.",
        height=300,
    )


def _slopes() -> Chart:
    scales = [math.log10(value) for value in GAIN.values]
    figure = go.Figure(
        [
            line("mean slope behind one norm", "soft", scales, dash="dash"),
            line("gradient, for each step", "batch", scales),
            mark(token=["soft", "batch"]),
        ]
    )
    powers(figure, "x", (-2, 0), "gain")
    figure.update_yaxes(range=[0, 1.05], title="multiplied by")
    legend(figure)
    return Chart(
        "What one step multiplies a gradient by",
        figure,
        {
            0: {"y": Along("slope", GAIN.name)},
            1: {"y": Along("each", GAIN.name)},
            2: {"x": "at", "y": "on"},
        },
        "Mean slope of tanh and the measured factor of the gradient for each step, against the "
        "gain. At gain {gain} they are {slope:3} and {each:3}.",
        height=300,
    )


def _code() -> str:
    size, steps, cases = NETWORK.size, NETWORK.steps, NETWORK.cases
    return f"""import torch
from torch.nn import functional as F

gain = «gain»
generator = torch.Generator().manual_seed({NETWORK.seed})


def normal(*shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def norm(a):
    return gain * F.batch_norm(a, None, None, training=True)


# The normal distribution, cut into equally likely parts.
values = torch.special.ndtri((torch.arange(4096, dtype=torch.float64) + 0.5) / 4096)
slope = (1 - (gain * values).tanh().square()).mean()

weight = normal({size}, {size})
weight = (weight / torch.linalg.eigvals(weight).abs().max()).float()
first = normal({cases}, {size})
first = (first / first.square().mean(-1, keepdim=True).sqrt()).float().requires_grad_()
inputs = normal({steps}, {cases}, {size}).float()
last = normal({cases}, {size}).float()

h = first
for x in inputs:
    h = (norm(h @ weight.T) + norm(x)).tanh()
(back,) = torch.autograd.grad((h * last).sum(), first)
share = back.square().mean().sqrt() / last.square().mean().sqrt()
print(slope, share, share ** (1 / {steps}))
"""


FIGURES = (Figure("remembered", remembered_figure), Figure("gain", gain_figure))
