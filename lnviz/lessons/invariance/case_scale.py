"""One case multiplied: what LayerNorm and BatchNorm make of it."""

from __future__ import annotations

import math

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Grid, Pointer, Readout, Slider, Swept
from lnviz.invariance import largest_change, rescale_case
from lnviz.lessons.inputs import cases, literal, swept
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import legend
from lnviz.norms import BATCH, LAYER, Norm

CASE = 1
SCALE = Slider.decades("case scale", -2, 2, 50, 1.0)
_EPSILONS = Slider.decades("epsilon", -12, -1, 10, 1e-5)
EPSILON = Slider("epsilon", (0.0, *_EPSILONS.values), 1e-5, log=True)
FLOOR = -8.0
"""Changes below 10 to this power are drawn there: float32 rounds to about seven digits."""


def build() -> Explorable:
    """One case multiplied: what LayerNorm and BatchNorm make of it, for every epsilon."""
    source = cases("worked", 0, units=6)
    x = source.values
    scaled = rescale_case(x, CASE, swept(SCALE.values))  # S,N,D
    eps = swept(EPSILON.values)[:, None, None]  # E,1,1
    batches = scaled[:, None]  # S,1,N,D
    layer, batch = (norm.apply(batches, "ND", eps=eps).y for norm in (LAYER, BATCH))  # S,E,N,D
    rest = [n for n in range(len(x)) if n != CASE]
    layer_change = _change(LAYER, x, eps, layer, [CASE])  # S,E
    batch_change = _change(BATCH, x, eps, batch, rest)  # S,E
    moved = ("case scale", "epsilon", "cell")
    curve = ("epsilon",)
    tensors = {
        "x": Swept(("case scale", "cell"), scaled.flatten(1), 2),
        "layer": Swept(moved, layer.flatten(2), 2),
        "batch": Swept(moved, batch.flatten(2), 2),
        "layer change": Swept(("case scale", "epsilon"), 100 * layer_change, 4),
        "batch change": Swept(("case scale", "epsilon"), 100 * batch_change, 4),
        "rows": Swept(("cell",), LAYER.groups(x.shape, "ND").flatten(), 0),
        "columns": Swept(("cell",), BATCH.groups(x.shape, "ND").flatten(), 0),
        "layer curve": Swept(curve, _decades(layer_change).T, 3),
        "batch curve": Swept(curve, _decades(batch_change).T, 3),
        "at": Swept(("case scale",), swept(SCALE.values).log10()[:, None].repeat(1, 2), 3),
        "on": Swept(
            ("case scale", "epsilon"), _decades(torch.stack([layer_change, batch_change], -1)), 3
        ),
    }
    labels = tuple(
        f"{label} × {{case scale}}" if n == CASE else label
        for n, label in enumerate(source.case_labels)
    )
    reach = 3.0
    return Explorable(
        title="One case multiplied",
        controls=(
            SCALE,
            EPSILON,
            Pointer("cell", source.case_labels, source.unit_labels, "feature", (CASE, 1)),
        ),
        tensors=tensors,
        views=(
            (Grid("Summed inputs", "cell", reach, "x", heads=labels),),
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
                    "At epsilon 0 a scaled row gives the same numbers, up to float32's rounding. "
                    "Only with an epsilon does the size of the input leave a trace.",
                    "verdict",
                    {"epsilon": (0.0,)},
                ),
            ),
            (_changes(),),
        ),
        # Written out: PyTorch's batch_norm refuses an epsilon of 0.
        code=f"""import torch

x = torch.tensor({literal(x)})
x[{CASE}] *= «case scale»  # one case


def normalize(x, over, eps=«epsilon»):
    mean = x.mean(over, keepdim=True)
    var = x.var(over, correction=0, keepdim=True)
    return (x - mean) / (var + eps).sqrt()


print(normalize(x, 1))  # LayerNorm: over the units of each case
print(normalize(x, 0))  # BatchNorm: over the cases of each unit
""",
    )


def _change(
    norm: Norm,
    x: Float[Tensor, "N D"],
    eps: Float[Tensor, "E 1 1"],
    y: Float[Tensor, "S E N D"],
    rows: list[int],
) -> Float[Tensor, "S E"]:
    """How far these rows have moved from where they are at scale 1."""
    before = norm.apply(x, "ND", eps=eps).y  # E,N,D
    return largest_change(before[:, rows], y[:, :, rows])


def _decades(change: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    return change.log10().clamp(min=FLOOR)


def _changes() -> Chart:
    """The change against the scale, at the epsilon chosen, and where the slider stands."""
    scales = [math.log10(value) for value in SCALE.values]
    figure = go.Figure(
        [
            go.Scatter(
                x=scales,
                mode="lines",
                name="BatchNorm, the other rows",
                line={"color": "var(--ln-batch)", "width": 3},
            ),
            go.Scatter(
                x=scales,
                mode="lines",
                name="LayerNorm, the scaled row",
                line={"color": "var(--ln-layer)", "width": 3},
            ),
            go.Scatter(
                mode="markers",
                name="now",
                showlegend=False,
                marker={
                    "size": 13,
                    "color": ["var(--ln-layer)", "var(--ln-batch)"],
                    "line": {"color": "var(--ln-page)", "width": 2},
                },
            ),
        ]
    )
    ticks = [-2, -1, 0, 1, 2]
    figure.update_xaxes(
        range=[-2.05, 2.05],
        tickvals=ticks,
        ticktext=[f"{10.0**tick:g}" for tick in ticks],
        title="case scale",
    )
    powers = [-8, -6, -4, -2, 0]
    figure.update_yaxes(
        range=[FLOOR - 0.3, 1.3],
        tickvals=powers,
        ticktext=["10<sup>-8</sup> or less", *(f"10<sup>{p}</sup>" for p in powers[1:-1]), "1"],
        title="largest relative change",
    )
    legend(figure)
    return Chart(
        "Largest change against scale 1, at epsilon {epsilon}",
        figure,
        {
            0: {"y": "batch curve"},
            1: {"y": "layer curve"},
            2: {"x": "at", "y": "on"},
        },
        "Largest relative change of the output against the case scale, both axes logarithmic, at "
        "epsilon {epsilon}. At case scale {case scale} the scaled row under LayerNorm has changed "
        "by {layer change:g2} percent, the other rows under BatchNorm by {batch change:g2} "
        "percent.",
        height=340,
    )


FIGURE = Figure("case-scale", build)
