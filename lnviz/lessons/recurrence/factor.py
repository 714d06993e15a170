"""The magnitude of a state over many steps, without a norm and with LayerNorm."""

from __future__ import annotations

import math

import plotly.graph_objects as go
import torch
from jaxtyping import Bool
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Readout, Slider, Swept
from lnviz.lessons.inputs import swept
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import legend, level, line, powers, rounded, superscript
from lnviz.recurrence import drift, steps_in_range

FACTOR = Slider.linear("per-step factor", 0.8, 1.25, 0.002, 1.05)
STEPS = 100
SIZE = 32
HALF, SINGLE = torch.finfo(torch.float16), torch.finfo(torch.float32)
LEAST = HALF.tiny * HALF.eps  # float16's smallest positive number, below its normal ones


def build() -> Explorable:
    """The magnitude of a state over many steps, without a norm and with LayerNorm."""
    factors = swept(FACTOR.values)
    tracks = drift(factors, steps=STEPS, size=SIZE)
    usable = tracks.half.isfinite() & (tracks.half > 0)  # F,T
    lasts = usable.int().cumprod(1).sum(1) - 1  # F
    ended = lasts < STEPS
    after = tracks.half[
        torch.arange(len(factors), device=factors.device), (lasts + 1).clamp(max=STEPS)
    ]
    where = torch.where(ended, lasts.float(), torch.nan)
    half = torch.where(usable, tracks.half.log10(), torch.nan)
    moved = ("per-step factor",)
    single_ends = steps_in_range(factors, torch.float32)
    grows, shrinks = ended & after.isinf(), ended & (after == 0)
    return Explorable(
        title="The magnitude of a recurrent state",
        controls=(FACTOR,),
        tensors={
            "single": Swept(moved, tracks.single.log10(), 3),
            "half": Swept(moved, half, 3),
            "layer": Swept(moved, tracks.layer.log10(), 3),
            "end": Swept(moved, where[:, None], 0),
            "end height": Swept(
                moved, half[torch.arange(len(factors), device=factors.device), lasts][:, None], 3
            ),
            "last single": Swept(moved, tracks.single[:, -1]),
            "last layer": Swept(moved, tracks.layer[:, -1]),
            "half fails": Swept(moved, lasts + 1.0, 0),
            "single fails": Swept(moved, single_ends),
        },
        views=(
            (_magnitudes(),),
            (
                Readout(
                    f"{{per-step factor}}{superscript(STEPS)} = {{last single:g3 value}}",
                    "formula",
                ),
                Readout(
                    f"After {STEPS} steps the magnitude is {{last single:g3 value}} without a norm "
                    "and {last layer:g3 value} with LayerNorm."
                ),
                Readout(
                    "In float16 the state overflows at step {half fails:0 value}: the largest of "
                    f"its {SIZE} units passes {rounded(HALF.max)}. The magnitude drawn is the root "
                    f"mean square of all {SIZE}, which is smaller; the cross marks the last step "
                    "that float16 can hold. In float32 the magnitude would pass "
                    f"{rounded(SINGLE.max)} at step {{single fails:g6 value}}.",
                    "verdict",
                    {"per-step factor": _where(grows)},
                ),
                Readout(
                    "In float16 every unit is exactly zero from step {half fails:0 value} on: the "
                    f"smallest positive number is {rounded(LEAST)}. In float32 the magnitude would "
                    f"fall below {rounded(SINGLE.tiny)}, the smallest number of full precision, at "
                    "step {single fails:g6 value}.",
                    "verdict",
                    {"per-step factor": _where(shrinks)},
                ),
                Readout(
                    f"In float16 the state lasts all {STEPS} steps, too.",
                    "note",
                    {"per-step factor": _where(~ended)},
                ),
            ),
        ),
        code=f"""import torch
from torch.nn import functional as F

generator = torch.Generator().manual_seed(0)
turn, _ = torch.linalg.qr(torch.randn({SIZE}, {SIZE}, generator=generator, dtype=torch.float64))
h = torch.randn({SIZE}, generator=generator, dtype=torch.float64)
h = (h / h.square().mean().sqrt()).float()
weight = («per-step factor» * turn).float()

plain, normed = [h], [h]
for step in range({STEPS}):
    plain.append(weight @ plain[-1])
    normed.append(F.layer_norm(weight @ normed[-1], h.shape))


def magnitude(states):
    return torch.stack(states).square().mean(1).sqrt()


print(torch.stack([magnitude(plain), magnitude(normed)]))
""",
    )


def _where(mask: Bool[Tensor, " F"]) -> tuple[float, ...]:
    return tuple(
        value for value, inside in zip(FACTOR.values, mask.tolist(), strict=True) if inside
    )


def _magnitudes() -> Chart:
    steps = [float(step) for step in range(STEPS + 1)]
    figure = go.Figure(
        [
            line("no norm, float16", "none", steps, width=8),
            line("no norm, float32", "none", steps, width=2.5),
            line("LayerNorm", "layer", steps),
            go.Scatter(
                name="float16 ends",
                mode="markers",
                cliponaxis=False,
                marker={"symbol": "x", "size": 11, "color": "var(--ln-ink)"},
            ),
        ]
    )
    figure.data[0].opacity = 0.35
    figure.update_xaxes(range=[0, 1.02 * STEPS], title="step")
    powers(figure, "y", (-10, 10), "magnitude of the state")
    level(figure, math.log10(HALF.max), f"float16's largest number, {rounded(HALF.max)}")
    level(
        figure,
        math.log10(LEAST),
        f"float16's smallest positive number, {rounded(LEAST)}",
        above=False,
    )
    legend(figure)
    return Chart(
        "Magnitude (root mean square) of the state, logarithmic",
        figure,
        {
            0: {"y": "half"},
            1: {"y": "single"},
            2: {"y": "layer"},
            3: {"x": "end", "y": "end height"},
        },
        f"The magnitude of a state over {STEPS} steps, logarithmic. At per-step factor {{per-step "
        "factor} it goes from 1 to {last single:g3} without a norm, and stays at {last layer:g3} "
        "with LayerNorm.",
        height=400,
    )


FIGURE = Figure("factor", build)
