"""How a norm's gain saturates the tanh after it, and how it scales a gradient per step."""

from __future__ import annotations

import torch

from lnviz.explorable import (
    Chart,
    Choice,
    Explorable,
    Option,
    Slider,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import linear_axis, log_axis
from lnviz.lessons.charts import chart, line, note
from lnviz.lessons.data_parameters import to_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import program_output
from lnviz.topics.recurrence import UntrainedNetwork, flow, saturation
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
        UntrainedNetwork(SIZE, 1 + STEPS, CASES, inputs=inputs, separate=True, identity=identity)
        for inputs in (1.0, 0.0)
    ]
    for identity in (False, True)
]
NETWORK = (MATRIX.name, COMING.name)
VALUES = torch.linspace(-3, 3, 61)
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build charts of the tanh's saturation and the gradient's factor per step, by gain."""
    gains = to_tensor(GAIN.values)
    saturated = saturation(gains)
    back = torch.stack([torch.stack([_back(gains, each) for each in row]) for row in NETWORKS])
    per_step = back.double().pow(1 / STEPS).float()  # matrices,inputs,G
    moved = (GAIN.name,)
    captions = CAPTIONS.render(
        {
            "flat-below": FLAT,
            "steps": STEPS,
            "units": SIZE,
            "cases": CASES,
        }
    )
    return Explorable(
        title=captions.title,
        controls=(GAIN, MATRIX, COMING),
        tensors={
            "curve": SweptTensor(
                moved, (gains[:, None] * to_tensor(tuple(VALUES.tolist()))).tanh(), 3
            ),
            "slope": SweptTensor(moved, saturated.slope, 4),
            "flat": SweptTensor(moved, 100 * saturated.flat, 1),
            "each": SweptTensor((*NETWORK, *moved), per_step, 4),
            "back": SweptTensor((*NETWORK, *moved), back),
            "each at tenth": SweptTensor(NETWORK, per_step[..., GAIN.index(0.1)], 4),
            "tenth": SweptTensor(NETWORK, back[..., GAIN.index(0.1)]),
            "one": SweptTensor(NETWORK, back[..., GAIN.index(1.0)]),
        },
        views=((_tanh(), _slopes(float(per_step.max()))), captions.readouts),
        code=load_program(__file__),
    )


def _back(gains: torch.Tensor, network: UntrainedNetwork) -> torch.Tensor:
    """Return the length of a gradient backpropagated through all steps, for every gain.

    The gradient is taken from the second step on. The first step brings the state to the size that
    the norm sets; in that step, the gain would count without the norm before it.
    """
    return flow("batch", torch.ones_like(gains), network, gain=gains).gradient[:, 1]


def _tanh() -> Chart:
    density = (-(VALUES**2) / 2).exp() * 0.8 - 1.05
    return chart(
        "tanh after the norm, at gain {gain}",
        [
            line("tanh", "batch", VALUES, "curve"),
            line("how often", "soft", VALUES, density, width=1.5, dash="dot"),
            note(0.5, -0.9, "how often", anchor="center"),
        ],
        # Fixed, since a tick more or less at an end would change the margins, and these the ticks.
        linear_axis("normalized value", -3, 3, padded=False, dtick=1),
        linear_axis("tanh(gain × value)", -1.1, 1.1, padded=False),
        "tanh of gain times value, for normalized values from -3 to 3, at gain {gain}. Its mean "
        "slope is {slope:3}.",
        height=300,
        legend=False,
    )


def _slopes(most: float) -> Chart:
    return chart(
        "What one step multiplies a gradient by",
        [
            line("mean slope of tanh", "soft", GAIN, "slope", dash="dash"),
            line("gradient", "batch", GAIN, "each"),
        ],
        log_axis("gain", -2, 0),
        linear_axis("multiplied by", 0, 1.05 * max(most, 1), padded=False),
        "Mean slope of tanh and the measured factor of the gradient for each step, against the "
        "gain. At gain {gain} they are {slope:3} and {each:3}.",
        height=300,
    )


FIGURE = FigureSpec(
    "gain", build, cpu_seconds=0.4, program_output=program_output("slope", "back", "each")
)
