"""The curvature along a gain, as all inputs are multiplied."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Readout, Slider, Swept, program
from lnviz.lessons.geometry.model import SHOWN, curves, model
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import legend, mark, powers
from lnviz.lessons.prints import Pairs, Prints, State
from lnviz.topics.geometry import gain_curvature

SCALE = Slider.decades("input scale", -2, 2, 50, 1.0)


def build() -> Explorable:
    """How far a step of one gain moves the model, for every scale of the inputs."""
    glm = model("linear")
    found = {
        norm.key: gain_curvature(glm, norm, SCALE.values).diagonal(dim1=-2, dim2=-1).mean(-1)
        for norm in SHOWN
    }  # C each, averaged over the units
    scales = torch.tensor(SCALE.values).log10()
    heights = torch.stack(list(found.values()), -1).log10().float()  # C,norms
    return Explorable(
        title="Curvature along a gain, against the scale of the inputs",
        controls=(SCALE,),
        tensors={
            "at": Swept((SCALE.name,), scales[:, None].repeat(1, len(SHOWN)), 3),
            "on": Swept((SCALE.name,), heights, 3),
            "layer": Swept((SCALE.name,), found["layer"].float()),
            "none": Swept((SCALE.name,), found["none"].float()),
        },
        views=(
            (_chart(scales, heights),),
            (
                Readout(
                    "At input scale {input scale} the curvature along a gain is {layer:g3 value} "
                    "with LayerNorm, as at any scale, and {none:g3 value} without a norm, as with "
                    "WeightNorm: the two lines lie on each other. Without a norm there is no gain "
                    "to move; there the weight vector itself is made longer (the paper's equation "
                    "35)."
                ),
            ),
        ),
        code=program(__file__),
    )


def _chart(scales: Float[Tensor, " C"], heights: Float[Tensor, "C norms"]) -> Chart:
    places = scales.tolist()
    figure = go.Figure([*curves(places, heights.T.tolist()), mark(token=[n.key for n in SHOWN])])
    figure.add_scatter(
        x=[places[0], -1.4],
        y=[0.4, -3.5],
        mode="text",
        text=["BatchNorm, LayerNorm,<br>RMSNorm", "no norm, WeightNorm"],
        textposition=["top right", "middle right"],
        textfont={"color": "var(--ln-soft)"},
        showlegend=False,
    )
    powers(figure, "x", (-2, 2), SCALE.name)
    powers(
        figure,
        "y",
        (math.floor(heights.min()), math.ceil(heights.max())),
        "curvature along a gain",
    )
    legend(figure)
    return Chart(
        "Curvature along one gain, averaged over the units",
        figure,
        {len(SHOWN): {"x": "at", "y": "on"}},
        "Curvature along a gain against the input scale. At input scale {input scale} it is "
        "{layer:g3} with LayerNorm and {none:g3} without a norm.",
        height=340,
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    yield printed[0].log10(), shown.lookup("on", state)


FIGURE = Figure("gain", build, prints=Prints(_printed))
