"""A recurrent state whose magnitude is kept constant by a norm, and its gradient."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Slider, SweptTensor, load_program
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import linear_axis, log_axis, to_log10
from lnviz.lessons.charts import chart, norm_line
from lnviz.lessons.data_parameters import to_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.norms import LAYER, NONE
from lnviz.progress import subtasks
from lnviz.topics.recurrence import UntrainedNetwork, flow

INPUT = Slider.linear("input size", 0, 1, 0.01, 0.5)
NORMS = (NONE, LAYER)
RADIUS = 1.1
NETWORK = UntrainedNetwork(32, 200, 8, "identity", 1.0)
SHOWN = range(0, NETWORK.steps + 1, 2)
POWERS = (-30.0, 10.0)
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build charts of the magnitude of a state and its gradient, with and without LayerNorm."""
    said = CAPTIONS.render(
        {
            "steps": NETWORK.steps,
            "units": NETWORK.size,
            "sequences": NETWORK.cases,
            "radius": RADIUS,
        }
    )
    return Explorable(
        title=said.title,
        steps=said.steps,
        controls=(INPUT,),
        tensors=_tensors(),
        views=((_tracks("state"), _tracks("gradient")), said.readouts),
        code=load_program(
            __file__, size=str(NETWORK.size), steps=str(NETWORK.steps), radius=str(RADIUS)
        ),
    )


def _tensors() -> dict[str, SweptTensor]:
    """Return tensors of the magnitudes at each step, and of the values quoted in captions."""
    sizes = to_tensor(INPUT.values)
    over = (INPUT.name,)
    tensors: dict[str, SweptTensor] = {}
    for norm in subtasks(NORMS):
        track = flow(norm.key, torch.full_like(sizes, RADIUS), NETWORK, input_scale=sizes)
        tensors |= {
            f"{norm.key} state": SweptTensor(over, to_log10(track.state[:, SHOWN]), 2),
            f"{norm.key} gradient": SweptTensor(over, to_log10(track.gradient[:, SHOWN]), 2),
            f"{norm.key} last": SweptTensor(over, track.state[:, -1]),
            f"{norm.key} first": SweptTensor(over, track.gradient[:, 0]),
        }
    return tensors


def _tracks(what: str) -> Chart:
    title, end = {
        "state": ("Size of the state, step by step", "last"),
        "gradient": ("Size of the gradient, from the last step back", "first"),
    }[what]
    return chart(
        title,
        [norm_line(norm.key, SHOWN, f"{norm.key} {what}") for norm in NORMS],
        linear_axis("step", 0, 1.03 * NETWORK.steps, padded=False),
        log_axis(f"size of the {what}", *POWERS),
        f"{title}, at input size {{input size}}: it ends at {{none {end}:g3}} without a norm and "
        f"at {{layer {end}:g3}} with LayerNorm. Logarithmic axis.",
        height=320,
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for curves, name in zip(printed, ("state", "gradient"), strict=True):
        for norm, curve in zip(NORMS, curves.log10()[:, SHOWN], strict=True):
            yield curve, shown.lookup(f"{norm.key} {name}", state)


FIGURE = FigureSpec(
    "level", build, cpu_seconds=1.0, program_output=ProgramOutput(_printed, tolerance=0.02)
)
