"""The magnitude of a state over many steps, without a norm and with LayerNorm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Readout, Slider, Swept, program
from lnviz.lessons.inputs import tensor_of
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import (
    decades,
    legend,
    line,
    norm_line,
    powers,
    rounded,
    superscript,
    threshold,
)
from lnviz.lessons.prints import Pairs, Prints, State
from lnviz.topics.recurrence import Drift, drift, steps_in_range

FACTOR = Slider.linear("per-step factor", 0.8, 1.25, 0.002, 1.05)
STEPS = 100
SIZE = 32
HALF, SINGLE = torch.finfo(torch.float16), torch.finfo(torch.float32)
LEAST = HALF.tiny * HALF.eps  # float16's smallest positive number, below its normal ones


def build() -> Explorable:
    """The magnitude of a state over many steps, without a norm and with LayerNorm."""
    tracks = drift(tensor_of(FACTOR.values), steps=STEPS, size=SIZE)
    half = _half(tracks)
    return Explorable(
        title="The magnitude of a recurrent state",
        controls=(FACTOR,),
        tensors=_tensors(tracks, half),
        views=((_magnitudes(),), _words(half)),
        code=program(__file__),
    )


@dataclass(frozen=True, eq=False)
class Half:
    """How long float16 can hold the state, for every factor.

    Attributes:
        lasts: the last step that it can hold.
        grows: whether the step after overflows.
        shrinks: whether every unit is zero after it.
    """

    lasts: Float[Tensor, " F"]
    grows: Bool[Tensor, " F"]
    shrinks: Bool[Tensor, " F"]


def _half(tracks: Drift) -> Half:
    usable = tracks.half.isfinite() & (tracks.half > 0)  # F,T
    lasts = usable.int().cumprod(1).sum(1) - 1  # F
    after = tracks.half.gather(1, (lasts + 1).clamp(max=STEPS)[:, None])[:, 0]
    ended = lasts < STEPS
    return Half(lasts.float(), ended & after.isinf(), ended & (after == 0))


def _tensors(tracks: Drift, half: Half) -> dict[str, Swept]:
    moved = (FACTOR.name,)
    drawn = decades(tracks.half)
    end = torch.where(half.grows | half.shrinks, half.lasts, torch.nan)[:, None]
    height = drawn.gather(1, half.lasts.long()[:, None])
    fails = steps_in_range(tensor_of(FACTOR.values), torch.float32)
    return {
        "single": Swept(moved, tracks.single.log10(), 3),
        "half": Swept(moved, drawn, 3),
        "layer": Swept(moved, tracks.layer.log10(), 3),
        "end": Swept(moved, end, 0),
        "end height": Swept(moved, height, 3),
        "last single": Swept(moved, tracks.single[:, -1]),
        "last layer": Swept(moved, tracks.layer[:, -1]),
        "half fails": Swept(moved, half.lasts + 1, 0),
        "single fails": Swept(moved, fails),
    }


def _words(half: Half) -> tuple[Readout, ...]:
    return (
        Readout(f"{{per-step factor}}{superscript(STEPS)} = {{last single:g3 value}}", "formula"),
        Readout(
            f"After {STEPS} steps the magnitude is {{last single:g3 value}} without a norm "
            "and {last layer:g3 value} with LayerNorm."
        ),
        Readout(
            "In float16 the state overflows at step {half fails:0 value}: the largest of its "
            f"{SIZE} units passes {rounded(HALF.max)}. The magnitude drawn is the root mean "
            f"square of all {SIZE}, which is smaller; the cross marks the last step that float16 "
            f"can hold. In float32 the magnitude would pass {rounded(SINGLE.max)} at step "
            "{single fails:g6 value}.",
            "verdict",
            {FACTOR.name: _where(half.grows)},
        ),
        Readout(
            "In float16 every unit is exactly zero from step {half fails:0 value} on: the "
            f"smallest positive number is {rounded(LEAST)}. In float32 the magnitude would fall "
            f"below {rounded(SINGLE.tiny)}, the smallest number of full precision, at step "
            "{single fails:g6 value}.",
            "verdict",
            {FACTOR.name: _where(half.shrinks)},
        ),
        Readout(
            f"In float16 the state lasts all {STEPS} steps, too.",
            when={FACTOR.name: _where(~(half.grows | half.shrinks))},
        ),
    )


def _where(mask: Bool[Tensor, " F"]) -> tuple[float, ...]:
    return tuple(
        value for value, inside in zip(FACTOR.values, mask.tolist(), strict=True) if inside
    )


def _magnitudes() -> Chart:
    steps = [float(step) for step in range(STEPS + 1)]
    figure = go.Figure(
        [
            line("no norm, float16", "none", steps, width=8, opacity=0.35),
            line("no norm, float32", "none", steps, width=2.5),
            norm_line("layer", steps),
            go.Scatter(
                name="float16 ends",
                mode="markers",
                cliponaxis=False,
                marker={"symbol": "x", "size": 11, "color": "var(--ln-ink)"},
            ),
        ]
    )
    figure.update_xaxes(range=[0, 1.02 * STEPS], title="step")
    powers(figure, "y", (-10, 10), "magnitude of the state")
    threshold(figure, math.log10(HALF.max), f"float16's largest number, {rounded(HALF.max)}")
    least = f"float16's smallest positive number, {rounded(LEAST)}"
    # On the left, away from where a shrinking state ends.
    threshold(figure, math.log10(LEAST), least, above=False, anchor="left")
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


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for curve, name in zip(printed[0], ("single", "layer"), strict=True):
        yield curve.log10(), shown.lookup(name, state)


FIGURE = Figure("factor", build, prints=Prints(_printed))
