"""The reach figure of /geometry: how far a step moves a model, exactly and by the Fisher matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Choice, Explorable, Option, Slider, SweptTensor, load_program
from lnviz.lessons.captions import CaptionVariant, load_captions
from lnviz.lessons.chart_axes import linear_axis, log_axis, to_log10
from lnviz.lessons.charts import chart, line
from lnviz.lessons.geometry.model import SHOWN, draw_model
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.norms import NONE
from lnviz.progress import subtasks
from lnviz.topics.geometry import divergences

STEP = Slider.decades("step size", -2, 0, 100, 0.1)
NORM = Choice(
    "norm",
    tuple(Option(norm.key, norm.label, norm.key, code=repr(norm.key)) for norm in SHOWN),
    "layer",
)
ANGLES = tuple(float(degrees) for degrees in range(0, 181, 3))
LOW = -6
"""The base-10 logarithm of the least divergence that is distinguished."""
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build a chart of the exact and second-order divergence after a step, by direction."""
    glm = draw_model("softmax")
    moved = [divergences(glm, norm, [1.0], STEP.values, ANGLES) for norm in subtasks(SHOWN)]
    exact = torch.stack([one.exact[0] for one in moved])  # norms,S,A
    quadratic = torch.stack([one.quadratic[0] for one in moved])
    high = math.ceil(max(exact.max(), quadratic.max()).log10())
    normed = tuple(norm.key for norm in SHOWN if norm is not NONE)
    captions = CAPTIONS.render(
        variants={"zero": (CaptionVariant({STEP.name: (1.0,), NORM.name: normed}),)}
    )
    return Explorable(
        title=captions.title,
        controls=(STEP, NORM),
        tensors=_tensors({"exact": exact, "quadratic": quadratic}),
        views=((_chart(high),), captions.readouts),
        code=load_program(__file__),
    )


def _tensors(curves: dict[str, Float[Tensor, "norms S A"]]) -> dict[str, SweptTensor]:
    both = (NORM.name, STEP.name)
    across = ANGLES.index(90.0)
    tensors = {}
    for name, values in curves.items():
        tensors[name] = SweptTensor(both, to_log10(values, LOW), 2)
        tensors[f"{name} across"] = SweptTensor(both, values[..., across].float())
    return tensors


def _chart(high: int) -> Chart:
    return chart(
        "{norm}, softmax model, weight length 1: a step of {step size}",
        [
            line("exact", "ink", ANGLES, "exact"),
            line("by the Fisher matrix", "soft", ANGLES, "quadratic", dash="dash"),
        ],
        linear_axis("direction, in degrees", ANGLES[0], ANGLES[-1], ticks=range(0, 181, 30)),
        log_axis("divergence, nats", LOW, high, floor=True),
        "At direction 90, a step of {step size} with {norm} moves the model by {exact across:g3} "
        "nats; the Fisher matrix predicts {quadratic across:g3}. Curves over all directions.",
        height=360,
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for curve, name in zip(printed[0], ("exact", "quadratic"), strict=True):
        yield to_log10(curve, LOW), shown.lookup(name, state)


FIGURE = FigureSpec("reach", build, program_output=ProgramOutput(_printed))
