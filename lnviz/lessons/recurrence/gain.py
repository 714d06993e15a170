"""What the gain of a norm does to the tanh behind it, and to a gradient."""

from __future__ import annotations

import math

import plotly.graph_objects as go
import torch

from lnviz.explorable import (
    Along,
    Chart,
    Choice,
    Explorable,
    Option,
    Slider,
    Swept,
    program,
)
from lnviz.lessons.inputs import tensor_of
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import legend, line, mark, note, powers
from lnviz.lessons.prints import prints
from lnviz.lessons.recurrence.bands import runs
from lnviz.lessons.words import words
from lnviz.topics.recurrence import Untrained, flow, saturation
from lnviz.topics.recurrence.saturation import FLAT

GAIN = Slider.decades("gain", -2, 0, 100, 1.0)
MATRIX = Choice(
    "recurrent matrix",
    (
        Option("random", "random", code='"random"'),
        Option("identity", "identity", code='"identity"'),
    ),
    "random",
)
COMING = Choice(
    "coming in",
    (
        Option("input", "an input at each step", code="1.0"),
        Option("none", "nothing", code="0.0"),
    ),
    "input",
)
SIZE, STEPS, CASES = 32, 50, 8
NETWORKS = [
    [
        Untrained(SIZE, STEPS, CASES, inputs=inputs, separate=True, identity=identity)
        for inputs in (1.0, 0.0)
    ]
    for identity in (False, True)
]
NETWORK = (MATRIX.name, COMING.name)
VALUES = torch.linspace(-3, 3, 61)
WORDS = words(__file__)


def build() -> Explorable:
    """How far tanh saturates behind a norm, and what a step then multiplies a gradient by."""
    gains = tensor_of(GAIN.values)
    found = saturation(gains)
    back = torch.stack([torch.stack([_back(gains, each) for each in row]) for row in NETWORKS])
    each = back.double().pow(1 / STEPS).float()  # matrices,inputs,G
    slope = found.slope.expand_as(each)
    moved = (GAIN.name,)
    said = WORDS.said(
        {
            "flat-below": FLAT,
            "steps": STEPS,
            "units": SIZE,
            "cases": CASES,
            "learned-small": _learned("lstm-batch"),
            "learned-one": _learned("lstm-batch-gain-1"),
        }
    )
    return Explorable(
        title=said.title,
        controls=(GAIN, MATRIX, COMING),
        tensors={
            "curve": Swept(moved, (gains[:, None] * tensor_of(tuple(VALUES.tolist()))).tanh(), 3),
            "slope": Swept(moved, found.slope, 4),
            "flat": Swept(moved, 100 * found.flat, 1),
            "each": Swept((*NETWORK, *moved), each, 4),
            "back": Swept((*NETWORK, *moved), back),
            "tenth": Swept(NETWORK, back[..., GAIN.index(0.1)]),
            "one": Swept(NETWORK, back[..., GAIN.index(1.0)]),
            "at": Swept(moved, gains.log10()[:, None].repeat(1, 2), 3),
            "on": Swept((*NETWORK, *moved), torch.stack([slope, each], -1), 3),
        },
        views=((_tanh(), _slopes(float(each.max()))), said.readouts),
        code=program(__file__),
    )


def _back(gains: torch.Tensor, network: Untrained) -> torch.Tensor:
    """The length of the gradient that comes back, for every gain."""
    return flow("batch", torch.ones_like(gains), network, gain=gains).gradient[:, 0]


def _learned(kind: str) -> float:
    """The share of test images named right at the end of training, over all seeds."""
    return float(runs(kind, "accuracy")[:, -1].mean())


def _tanh() -> Chart:
    figure = go.Figure(line("tanh", "batch", VALUES.tolist()))
    density = (-(VALUES**2) / 2).exp() * 0.8 - 1.05
    figure.add_trace(
        line("how often", "soft", VALUES.tolist(), width=1.5, dash="dot", y=density.tolist())
    )
    note(figure, 0.5, -0.9, "how often", anchor="center")
    # Given: a tick more or less at an end, and with it another margin, would ask for the other one.
    figure.update_xaxes(range=[-3, 3], dtick=1, title="normalized value")
    figure.update_yaxes(range=[-1.1, 1.1], title="tanh(gain × value)")
    return Chart(
        "tanh behind the norm, at gain {gain}",
        figure,
        {0: {"y": "curve"}},
        "tanh of gain times value, for normalized values from -3 to 3, at gain {gain}. Its mean "
        "slope is {slope:3}.",
        height=300,
    )


def _slopes(most: float) -> Chart:
    scales = [math.log10(value) for value in GAIN.values]
    figure = go.Figure(
        [
            line("mean slope behind one norm", "soft", scales, dash="dash"),
            line("gradient, for each step", "batch", scales),
            mark(token=["soft", "batch"]),
        ]
    )
    powers(figure, "x", (-2, 0), "gain")
    figure.update_yaxes(range=[0, 1.05 * max(most, 1)], title="multiplied by")
    legend(figure)
    return Chart(
        "What one step multiplies a gradient by",
        figure,
        {
            0: {"y": Along("slope", GAIN.name)},
            1: {"y": Along("each", GAIN.name)},
            2: {"x": "at", "y": "on"},
        },
        "Mean slope of tanh and the measured factor of the gradient for each step, against the "
        "gain. At gain {gain} they are {slope:3} and {each:3}.",
        height=300,
    )


FIGURE = Figure("gain", build, seconds=0.4, prints=prints("slope", "back", "each"))
