"""The loss along the gradient, while a small network trains on real digits."""

from __future__ import annotations

import math

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Option, Pick, Readout, Slider, Swept
from lnviz.geometry.landscape import LENGTHS, NORMS, STEPS, Network, landscape
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import legend, logarithmic, norm_line, span
from lnviz.norms import CATALOGUE

AT = Slider("training step", tuple(float(step) for step in STEPS), 20.0, decimals=0)
SHOWN = tuple(NORMS)
PIXELS = Pick(
    "pixels", "Pixels", (Option("raw", "as they are"), Option("centered", "centered")), "raw"
)


def build(pixels: str = "raw") -> Explorable:
    """The loss down the gradient at each step of a training, and its range over the training."""
    network = Network(centered=pixels == "centered")
    found = landscape(network=network)
    lowest, highest = found.variation.lowest, found.variation.highest
    widths = found.variation.width
    none, batch, layer = widths.median(-1).values.tolist()
    tensors = {"here": Swept((AT.name,), torch.tensor(AT.values)[:, None], 0)}
    for at, norm in enumerate(SHOWN):
        tensors[f"{norm} loss"] = Swept((AT.name,), found.loss[at].log10().float(), 3)
        tensors[f"{norm} low"] = Swept((AT.name,), lowest[at].float(), 3)
        tensors[f"{norm} high"] = Swept((AT.name,), highest[at].float(), 3)
        tensors[f"{norm} smoothness"] = Swept((AT.name,), found.smoothness[at].float())
    return Explorable(
        title="The loss along the gradient",
        controls=(AT,),
        tensors=tensors,
        views=(
            (_along(float(lowest.min()), float(highest.max())), _widths(widths)),
            (
                Readout(
                    "At training step {training step} the loss down the gradient goes from "
                    "{none low:g3 value} to {none high:g3 value} without a norm, from "
                    "{batch low:g3 value} to {batch high:g3 value} with BatchNorm, and from "
                    "{layer low:g3 value} to {layer high:g3 value} with LayerNorm. The median of "
                    f"highest less lowest, over all {len(STEPS)} steps: {none:.3g} without a norm, "
                    f"{batch:.3g} with BatchNorm, {layer:.3g} with LayerNorm."
                ),
                Readout(
                    "How much the gradient itself turns and stretches on the way: the length of "
                    "its change, divided by the distance walked in the space of all weights. A "
                    "small number says that the gradient can be trusted for longer. The largest on "
                    "the way is {none smoothness:g3 value} without a norm, "
                    "{batch smoothness:g3 value} with BatchNorm and {layer smoothness:g3 value} "
                    "with LayerNorm."
                ),
            ),
        ),
        code=_code(network),
    )


def _along(low: float, high: float) -> Chart:
    figure = go.Figure([norm_line(norm, x=list(LENGTHS)) for norm in SHOWN])
    figure.update_xaxes(range=span(LENGTHS), title="how far, in steps of the training")
    logarithmic(figure, "loss", low, high)
    legend(figure)
    return Chart(
        "Loss down the gradient, at training step {training step}",
        figure,
        {at: {"y": f"{norm} loss"} for at, norm in enumerate(SHOWN)},
        "The loss of a mini-batch along its gradient at training step {training step}, "
        f"logarithmic. {_NOW}",
        height=360,
    )


def _widths(widths: Float[Tensor, "norms steps"]) -> Chart:
    steps = list(STEPS)
    figure = go.Figure(
        [
            norm_line(norm, x=steps, y=widths[at].log10().tolist()).update(line={"width": 1.5})
            for at, norm in enumerate(SHOWN)
        ]
    )
    low, high = float(widths.min()), float(widths.max())
    figure.add_scatter(
        y=[math.log10(low)],
        mode="markers",
        showlegend=False,
        marker={"symbol": "triangle-up", "size": 13, "color": "var(--ln-ink)"},
    )
    figure.update_xaxes(range=span(steps), title="training step")
    logarithmic(figure, "highest less lowest loss", low, high)
    legend(figure)
    return Chart(
        "How much the loss varies down the gradient, over the training",
        figure,
        {len(SHOWN): {"x": "here"}},
        "For each norm the difference of the highest and the lowest loss along the gradient, over "
        f"the training, logarithmic. {_NOW}",
        height=360,
    )


_NOW = (
    "At training step {training step} the loss lies between "
    + ", ".join(
        f"{{{norm} low:g3}} and {{{norm} high:g3}} with {CATALOGUE[norm].label}" for norm in SHOWN
    )
    + "."
)


def _code(network: Network) -> str:
    """The training up to a step, and the loss along the gradient there."""
    center = "x = x - x.mean(0)\n" if network.centered else ""
    return f"""import torch
from sklearn.datasets import load_digits
from torch.nn import functional as F

digits = load_digits()
x = torch.from_numpy(digits.data) / 16
{center}y = torch.from_numpy(digits.target)
sizes = [64, *[{network.width}] * {network.depth}, 10]
per_pass = len(x) // {network.batch}


def logits(x, weights, gains, biases, norm):
    for i, (weight, bias) in enumerate(zip(weights, biases)):
        x = (torch.relu(x) if i else x) @ weight.T
        if norm == "none" or i == len(gains):
            x = x + bias
        elif norm == "batch":
            x = F.batch_norm(x, None, None, gains[i], bias, training=True)
        else:
            x = F.layer_norm(x, x.shape[1:], gains[i], bias)
    return x


curves = []
for norm in ("none", "batch", "layer"):
    generator = torch.Generator().manual_seed({network.seed})
    weights = [
        (torch.randn(after, before, generator=generator) * (2 / before) ** 0.5).double()
        for before, after in zip(sizes, sizes[1:])
    ]
    gains = [torch.ones(size, dtype=torch.float64) for size in sizes[1:-1]]
    biases = [torch.zeros(size, dtype=torch.float64) for size in sizes[1:]]
    generator = torch.Generator().manual_seed({network.seed})
    parameters = [*weights, *biases] if norm == "none" else [*weights, *gains, *biases]

    def loss(parameters, rows):
        n = len(weights)
        parts = parameters[:n], parameters[n:-n], parameters[-n:]
        return F.cross_entropy(logits(x[rows], *parts, norm), y[rows])

    for step in range(«training step» + 1):
        if step % per_pass == 0:  # all cases were seen: shuffle them anew
            order = torch.randperm(len(x), generator=generator)
        start = step % per_pass * {network.batch}
        rows = order[start : start + {network.batch}]
        parameters = [p.requires_grad_() for p in parameters]
        slopes = torch.autograd.grad(loss(parameters, rows), parameters)
        here = [p.detach() for p in parameters]
        parameters = [p - {network.rate} * slope for p, slope in zip(here, slopes)]
    lengths = [length * {network.rate} for length in {list(LENGTHS)}]
    down = [[p - length * slope for p, slope in zip(here, slopes)] for length in lengths]
    curves.append(torch.stack([loss(point, rows) for point in down]))
print(torch.stack(curves))
"""


FIGURE = Figure("landscape", build, (PIXELS,))
