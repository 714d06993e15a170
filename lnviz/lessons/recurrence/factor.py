"""A state multiplied by a factor at every step: its magnitude without a norm and with LayerNorm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Slider, SweptTensor, load_program
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import linear_axis, log_axis, to_log10
from lnviz.lessons.charts import chart, line, norm_line, points, threshold
from lnviz.lessons.data_parameters import to_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.number_format import number, superscript
from lnviz.topics.recurrence import Drift, drift, steps_in_range

FACTOR = Slider.linear("per-step factor", 0.8, 1.25, 0.002, 1.12)
STEPS = 100
SIZE = 32
HALF, SINGLE = torch.finfo(torch.float16), torch.finfo(torch.float32)
LEAST = HALF.tiny * HALF.eps  # float16's smallest positive number, below its normal ones
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build the chart of a state's magnitude over many steps, without a norm and with LayerNorm."""
    tracks = drift(to_tensor(FACTOR.values), steps=STEPS, size=SIZE)
    half = _half(tracks)
    said = _captions(half)
    return Explorable(
        title=said.title,
        steps=said.steps,
        controls=(FACTOR,),
        tensors=_tensors(tracks, half),
        views=((_magnitudes(),), said.readouts),
        code=load_program(__file__),
    )


@dataclass(frozen=True, eq=False)
class Half:
    """The step at which the state leaves the range of float16, for every factor.

    Attributes:
        lasts: the last step at which it can represent the state.
        grows: whether the next step overflows.
        shrinks: whether every unit is zero after the next step.
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


def _tensors(tracks: Drift, half: Half) -> dict[str, SweptTensor]:
    moved = (FACTOR.name,)
    drawn = to_log10(tracks.half)
    end = torch.where(half.grows | half.shrinks, half.lasts, torch.nan)[:, None]
    height = drawn.gather(1, half.lasts.long()[:, None])
    exact = torch.tensor(FACTOR.values, dtype=torch.float64)  # 1.002 is less in float32
    fails = steps_in_range(exact, torch.float32)
    return {
        "single": SweptTensor(moved, tracks.single.log10(), 3),
        "half": SweptTensor(moved, drawn, 3),
        "layer": SweptTensor(moved, tracks.layer.log10(), 3),
        "end": SweptTensor(moved, end, 0),
        "end height": SweptTensor(moved, height, 3),
        "last single": SweptTensor(moved, tracks.single[:, -1]),
        "last layer": SweptTensor(moved, tracks.layer[:, -1]),
        "half fails": SweptTensor(moved, half.lasts + 1, 0),
        "single fails": SweptTensor(moved, fails),
    }


def _captions(half: Half) -> RenderedCaptions:
    factors = to_tensor(FACTOR.values).to(half.grows.device)
    ways = {
        "growing": factors > 1,
        "shrinking": factors < 1,
        "neither growing nor shrinking": factors == 1,
        "overflow": half.grows,
        "underflow": half.shrinks,
        "lasting": ~(half.grows | half.shrinks),
    }
    return CAPTIONS.render(
        {
            "steps": STEPS,
            "steps-above": superscript(STEPS),
            "units": SIZE,
            "half-largest": number(HALF.max, "g"),
            "half-least": number(LEAST, "p2"),
            "single-largest": number(SINGLE.max, "p2"),
            "single-least": number(SINGLE.tiny, "p2"),
        },
        {name: (CaptionVariant({FACTOR.name: _where(mask)}),) for name, mask in ways.items()},
    )


def _where(mask: Bool[Tensor, " F"]) -> tuple[float, ...]:
    return tuple(
        value for value, inside in zip(FACTOR.values, mask.tolist(), strict=True) if inside
    )


def _magnitudes() -> Chart:
    steps = [float(step) for step in range(STEPS + 1)]
    end = points(
        "float16 ends",
        "ink",
        "end",
        "end height",
        11,
        marker_style={"symbol": "x"},
        cliponaxis=False,
    )
    most = f"float16’s largest number, {number(HALF.max, 'g')}"
    least = f"float16’s smallest positive number, {number(LEAST, 'p2')}"
    return chart(
        "Size of the state",
        [
            line("no norm, float16", "none", steps, "half", width=8, opacity=0.35),
            line("no norm, float32", "none", steps, "single", width=2.5),
            norm_line("layer", steps, "layer"),
            end,
            threshold(math.log10(HALF.max), most),
            # On the left, away from where a shrinking state ends.
            threshold(math.log10(LEAST), least, above=False, anchor="left"),
        ],
        linear_axis("step", 0, 1.02 * STEPS, padded=False),
        log_axis("root mean square", -10, 10),
        f"In {STEPS} steps at per-step factor {{per-step factor}}, the state’s size goes from 1 to "
        "{last single:g3} without a norm, and stays at {last layer:g3} with LayerNorm. "
        "Logarithmic axis.",
        height=300,
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for curve, name in zip(printed[0], ("single", "layer"), strict=True):
        yield curve.log10(), shown.lookup(name, state)


FIGURE = FigureSpec("factor", build, program_output=ProgramOutput(_printed))
