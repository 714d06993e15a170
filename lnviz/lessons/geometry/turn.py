"""The turn figure of /geometry: the angle by which a fixed step turns weights, by their length."""

from __future__ import annotations

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
    1.0,
    log=True,
)
SIZE = 0.5
NORMS = (NONE, LAYER)
ROOM = 0.3  # around the weights, in the unit of their length
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build charts of the weights before and after an orthogonal step, and of the output change."""
    captions = CAPTIONS.render({"size": SIZE, "cases": CASES, "inputs": INPUTS, "units": UNITS})
    return Explorable(
        title=captions.title,
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
    tensors = {
        f"{name} {axis}": SweptTensor(over, torch.stack(pair, -1), 3)
        for name, (x, along, y, across) in places.items()
        for axis, pair in (("x", (x, along)), ("y", (y, across)))
    }
    for norm in NORMS:
        divergence = divergences(draw_model("linear"), norm, LENGTH.values, [SIZE], [90.0]).exact
        # The divergence of Gaussian outputs is half the square of their difference.
        moved = 2 * divergence[:, 0, 0].float()
        tensors |= {
            f"{norm.key} moved": SweptTensor(over, moved),
            norm.key: SweptTensor(over, moved.log10(), 3),
        }
    return tensors | {"angle": SweptTensor(over, (SIZE / lengths).atan().rad2deg(), 1)}


def _weights() -> Chart:
    most = LENGTH.values[-1]
    return chart(
        "All weights as one arrow, and a step across",
        [
            line("weights before", "ink", "before x", "before y", width=4),
            line("step", "ink", "step x", "step y", width=3, dash="dot"),
            line("weights after", "soft", "after x", "after y", width=4, dash="dash"),
        ],
        linear_axis("along the weights", -ROOM, most + ROOM, padded=False, dtick=1),
        linear_axis(
            "across",
            -4 * ROOM,
            4 * ROOM,
            padded=False,
            dtick=1,
            scaleanchor="x",
            constrain="domain",
        ),
        f"An arrow of length {{weight length}}, and at its tip a step of {SIZE:g} at right angles. "
        "It turns the arrow by {angle:1} degrees.",
        height=320,
    )


def _moved() -> Chart:
    return chart(
        "How far the step moves the outputs",
        [norm_line(norm.key, LENGTH, norm.key) for norm in NORMS],
        log_axis(LENGTH.name, *OCTAVES, base=2, ticks=[2.0**octave for octave in range(-1, 3)]),
        log_axis("mean squared change", -1.2, 0.5),
        "Mean squared change of the outputs against the weight length, logarithmic. At weight "
        "length {weight length} it is {none moved:g3} without a norm and {layer moved:g3} with "
        "LayerNorm.",
        height=320,
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    angle, moved = printed
    yield angle, shown.lookup("angle", state)
    yield moved, torch.stack([shown.lookup(f"{norm.key} moved", state) for norm in NORMS])


FIGURE = FigureSpec("turn", build, program_output=ProgramOutput(_printed))
