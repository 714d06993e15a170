"""Effects of a norm's gain on the saturation of the tanh after it, and on gradients."""

from __future__ import annotations

import torch

from lnviz.device import device
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
EDGES = torch.linspace(-4, 4, 41)
VALUES = (EDGES[1:] + EDGES[:-1]) / 2
FLOOR, RISE = -1.1, 1.6
"""The height at which a density of 0 is drawn, and the height of the largest above it."""
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build charts of the tanh's saturation and of the gradient's change per step, by gain."""
    gains, edges = to_tensor(GAIN.values), EDGES.to(device())
    saturated = [[saturation("batch", gains, each, edges) for each in row] for row in NETWORKS]
    slope, flat, density = (
        torch.stack([torch.stack([getattr(each, name) for each in row]) for row in saturated])
        for name in ("slope", "flat", "density")
    )  # matrices,inputs,G and bins
    back = torch.stack([torch.stack([_back(gains, each) for each in row]) for row in NETWORKS])
    per_step = back.double().pow(1 / STEPS).float()  # matrices,inputs,G
    every = (*NETWORK, GAIN.name)
    captions = CAPTIONS.render(
        {"flat-below": FLAT, "steps": STEPS, "units": SIZE, "cases": CASES},
    )
    return Explorable(
        title=captions.title,
        controls=(GAIN, MATRIX, COMING),
        tensors={
            "curve": SweptTensor(
                (GAIN.name,), (gains[:, None] * VALUES.to(gains.device)).tanh(), 3
            ),
            "often": SweptTensor(
                every, FLOOR + RISE * density / density.amax((-2, -1), keepdim=True), 3
            ),
            "slope": SweptTensor(every, slope, 4),
            "flat": SweptTensor(every, 100 * flat, 1),
            "each": SweptTensor(every, per_step, 4),
            "back": SweptTensor(every, back),
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
    return chart(
        "tanh after the norm, at gain {gain}",
        [
            line("tanh", "batch", VALUES, "curve"),
            line("density", "soft", VALUES, "often", width=1.5, dash="dot"),
            note(0.8, -0.4, "density", anchor="left"),
        ],
        # Fixed, since a tick more or less at an end would change the margins, and these the ticks.
        linear_axis("value before the gain", -4, 4, padded=False, dtick=1),
        linear_axis("tanh(gain × value)", FLOOR, 1.1, padded=False),
        "tanh of gain times value at gain {gain}, and the density of the values. The mean slope "
        "of tanh is {slope:3}.",
        height=300,
        legend=False,
    )


def _slopes(most: float) -> Chart:
    return chart(
        "The gradient’s factor per step",
        [
            line("mean slope of tanh", "soft", GAIN, "slope", dash="dash"),
            line("gradient", "batch", GAIN, "each"),
        ],
        log_axis("gain", -2, 0),
        linear_axis("factor", 0, 1.05 * max(most, 1), padded=False),
        "At gain {gain}, the mean slope of tanh is {slope:3}, and each step multiplies a gradient "
        "by {each:3}. Curves over all gains.",
        height=300,
    )


FIGURE = FigureSpec(
    "gain",
    build,
    cpu_seconds=1.3,
    program_output=program_output("slope", "back", "each", tolerance=1e-3),
)
