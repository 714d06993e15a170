"""The turn figure of /geometry: how far a step of fixed size rotates weights of each length."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Slider, SweptTensor, load_program
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import linear_axis, log_axis
from lnviz.lessons.charts import chart, line, norm_line
from lnviz.lessons.data_parameters import to_tensor
from lnviz.lessons.geometry.model import CASES, INPUTS, UNITS, draw_model
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.norms import LAYER, NONE
from lnviz.topics.geometry import divergences

OCTAVE = 70
"""The number of positions from a length to twice that."""
OCTAVES = (-1, 2)
LENGTH = Slider(
    "weight length",
    tuple(round(2 ** (i / OCTAVE), 3) for i in range(OCTAVES[0] * OCTAVE, OCTAVES[1] * OCTAVE + 1)),
    2.0,
    log=True,
)
SIZE = 0.5
NORMS = (NONE, LAYER)
ROOM = 0.3  # around the weights, in the unit of their length
RISE = 2.3  # the highest point that is drawn of a circle
ARC = 0.7  # the radius at which the angle is marked
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build charts of the weights before and after an orthogonal step, and of the output change."""
    captions = CAPTIONS.render(
        {
            "size": SIZE,
            "cases": CASES,
            "inputs": INPUTS,
            "units": UNITS,
            "at-one": math.degrees(math.atan(SIZE)),
        }
    )
    return Explorable(
        title=captions.title,
        steps=captions.steps,
        controls=(LENGTH,),
        tensors=_tensors(),
        views=((_weights(), _moved()), captions.readouts),
        code=load_program(__file__, size=str(SIZE)),
    )


def _tensors() -> dict[str, SweptTensor]:
    lengths, over = to_tensor(LENGTH.values), (LENGTH.name,)
    none = torch.zeros_like(lengths)
    step = torch.full_like(lengths, SIZE)
    places = {
        "before": (none, lengths, none, none),
        "step": (lengths, lengths, none, step),
        "after": (none, lengths, none, step),
    }
    angle = (SIZE / lengths).atan()
    # A quarter of a circle with the radius of the weights, as far as it is in the picture.
    around = (RISE / lengths).clamp(max=1).asin()[:, None] * torch.linspace(0, 1, 41)
    mark = angle[:, None] * torch.linspace(0, 1, 15)
    tensors = {
        f"{name} {axis}": SweptTensor(over, torch.stack(pair, -1), 3)
        for name, (x, along, y, across) in places.items()
        for axis, pair in (("x", (x, along)), ("y", (y, across)))
    } | {
        f"{name} {axis}": SweptTensor(over, radius * of(directions), 3)
        for name, radius, directions in (
            ("circle", lengths[:, None], around.to(lengths.device)),
            ("angle", ARC, mark.to(lengths.device)),
        )
        for axis, of in (("x", torch.cos), ("y", torch.sin))
    }
    for norm in NORMS:
        divergence = divergences(draw_model("linear"), norm, LENGTH.values, [SIZE], [90.0]).exact
        # The divergence of Gaussian outputs is half the square of their difference.
        moved = (2 * divergence[:, 0, 0]).sqrt().float()
        tensors |= {
            f"{norm.key} moved": SweptTensor(over, moved),
            norm.key: SweptTensor(over, moved.log2(), 3),
        }
    return tensors | {"angle": SweptTensor(over, angle.rad2deg(), 1)}


def _weights() -> Chart:
    most = LENGTH.values[-1]
    return chart(
        "The step turns the weights by {angle:1}°",
        [
            line("same length", "soft", "circle x", "circle y", width=1.5, dash="dot"),
            line("at length 1", "soft", [0, 1, 1, 0], [0, 0, SIZE, 0], width=1.5),
            line("weights", "ink", "before x", "before y", width=4),
            line("step", "ink", "step x", "step y", width=3, dash="dot"),
            line("after the step", "ink", "after x", "after y", width=4, dash="dash"),
            line("angle", "accent", "angle x", "angle y", width=3, showlegend=False),
        ],
        linear_axis("along the weights", -ROOM, most + ROOM, padded=False, dtick=1),
        linear_axis(
            "across",
            -ROOM,
            RISE + ROOM / 2,
            padded=False,
            dtick=1,
            scaleanchor="x",
            constrain="domain",
        ),
        f"An arrow of length {{weight length}} takes a step of {SIZE:g} perpendicular to it, which "
        "turns it by {angle:1} degrees. Thin: the same step at length 1.",
        height=320,
    )


def _moved() -> Chart:
    return chart(
        "How far the step moves the outputs",
        [norm_line(norm.key, LENGTH, norm.key) for norm in NORMS],
        log_axis(LENGTH.name, *OCTAVES, base=2, ticks=[2.0**octave for octave in range(-1, 3)]),
        log_axis("change in the outputs (length)", -2, 1, base=2, ticks=[0.25, 0.5, 1, 2]),
        "At weight length {weight length}, the step changes the outputs by {none moved:g3} without "
        "a norm and by {layer moved:g3} with LayerNorm. Curves over all lengths, on logarithmic "
        "axes.",
        height=320,
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    angle, moved = printed
    yield angle, shown.lookup("angle", state)
    yield moved, torch.stack([shown.lookup(f"{norm.key} moved", state) for norm in NORMS])


FIGURE = FigureSpec("turn", build, program_output=ProgramOutput(_printed))
