"""The gain figure of /geometry: curvature of the divergence along a gain, by input scale."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Slider, SweptTensor, load_program
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import log_axis
from lnviz.lessons.charts import ROUND, chart, labels
from lnviz.lessons.geometry.model import SHOWN, curves, draw_model
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.topics.geometry import gain_curvature

SCALE = Slider.decades("input scale", -2, 2, 50, 1.0)
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build a chart of each norm's curvature along one gain, against the scale of the inputs."""
    glm = draw_model("linear")
    curvatures = {
        norm.key: gain_curvature(glm, norm, SCALE.values).diagonal(dim1=-2, dim2=-1).mean(-1)
        for norm in SHOWN
    }  # C each, averaged over the units
    heights = torch.stack(list(curvatures.values())).log10().float()  # norms,C
    captions = CAPTIONS.render()
    return Explorable(
        title=captions.title,
        controls=(SCALE,),
        tensors={
            norm: SweptTensor((SCALE.name,), values.float()) for norm, values in curvatures.items()
        },
        views=((_chart(heights),), captions.readouts),
        code=load_program(__file__),
    )


def _chart(heights: Float[Tensor, "norms C"]) -> Chart:
    words = labels(
        [-2.0, -1.4],
        [0.4, -3.5],
        ["BatchNorm, LayerNorm,<br>RMSNorm", "no norm, WeightNorm"],
        ["top right", "middle right"],
        textfont={"color": "var(--ln-soft)"},
    )
    low, high = math.floor(heights.min()), math.ceil(heights.max())
    return chart(
        "Curvature along one gain, averaged over the units",
        [curves(SCALE, list(heights), mark=ROUND), words],
        log_axis(SCALE.name, -2, 2),
        log_axis("curvature along a gain", low, high),
        "At input scale {input scale}, the curvature along a gain is {layer:g3} with LayerNorm "
        "and {none:g3} without a norm. Curves over all scales, on logarithmic axes.",
        height=340,
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    values = torch.stack([shown.lookup(norm.key, state) for norm in SHOWN])
    yield printed[0].log10(), values.log10()


FIGURE = FigureSpec("gain", build, program_output=ProgramOutput(_printed))
