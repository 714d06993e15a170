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
    Readout,
    Slider,
    Swept,
    program,
)
from lnviz.lessons.inputs import tensor_of
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import legend, line, mark, note, powers
from lnviz.lessons.prints import prints
from lnviz.lessons.recurrence.bands import runs
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


def build() -> Explorable:
    """How far tanh saturates behind a norm, and what a step then multiplies a gradient by."""
    gains = tensor_of(GAIN.values)
    found = saturation(gains)
    back = torch.stack([torch.stack([_back(gains, each) for each in row]) for row in NETWORKS])
    each = back.double().pow(1 / STEPS).float()  # matrices,inputs,G
    slope = found.slope.expand_as(each)
    moved = (GAIN.name,)
    return Explorable(
        title="The gain of a norm before tanh",
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
        views=((_tanh(), _slopes(float(each.max()))), _words()),
        code=program(__file__),
    )


def _back(gains: torch.Tensor, network: Untrained) -> torch.Tensor:
    """The length of the gradient that comes back, for every gain."""
    return flow("batch", torch.ones_like(gains), network, gain=gains).gradient[:, 0]


def _words() -> tuple[Readout, ...]:
    return (
        Readout(
            "Behind one norm with gain {gain}, tanh has a mean slope of {slope:3 value}, and "
            f"{{flat:1 value}} percent of values lie where its slope is below {FLAT}."
        ),
        Readout(
            f"Back through {STEPS} steps of a plain network with recurrent BatchNorm, the gradient "
            "is multiplied by {back:g2 value}: by {each:3 value} at each step. Gain 0.1 leaves "
            "{tenth:g2 value} of it and gain 1 leaves {one:g2 value}.",
            "verdict",
        ),
        Readout(
            "The state's part and the input's are each normalized and have the same gain, so half "
            "of what stands in the new state's variance is the input's. At a small gain, where "
            "tanh is straight, the norm at the next step divides the state's part by that, too: "
            "about 1/√2 = 0.71 is left of a gradient at each step, however steep tanh is.",
            when={COMING.name: ("input",)},
        ),
        Readout(
            "Nothing comes in. At a small gain, where tanh is straight, the norm at the next step "
            "gives back what the gain has taken, apart from ε: it weighs more, the smaller the "
            "gain. What is left to decide is tanh and the matrix.",
            when={COMING.name: ("none",)},
        ),
        Readout(
            f"A network of {SIZE} units before training, {CASES} sequences, a norm on the input's "
            "part and another on the state's. The random matrix is drawn from a normal "
            "distribution and has spectral radius 1."
        ),
        Readout(
            "What a network learns is another question. The share of test images that the trained "
            "networks of the last section name right at the end: "
            f"{_learned('lstm-batch'):.2f} where the gains started from 0.1, "
            f"{_learned('lstm-batch-gain-1'):.2f} where they started from 1."
        ),
    )


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
