"""The loss along the gradient, while a small network trains on real digits."""

from __future__ import annotations

import plotly.graph_objects as go
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Option, Pick, Readout, Slider, Swept
from lnviz.invariance import LABELS
from lnviz.landscape import LENGTHS, NORMS, STEPS, Network, landscape

AT = Slider("training step", tuple(float(step) for step in STEPS), float(STEPS[4]), decimals=0)
SHOWN = tuple(NORMS)
PIXELS = Pick(
    "pixels", "Pixels", (Option("raw", "as they are"), Option("centered", "centered")), "raw"
)
_LEGEND = {"orientation": "h", "y": 1.02, "yanchor": "bottom"}


def landscape_figure(pixels: str = "raw") -> Explorable:
    """The loss down the gradient at each step of a training, and its range over the training."""
    found = landscape(network=Network(centered=pixels == "centered"))
    tensors = {}
    for at, norm in enumerate(SHOWN):
        tensors[f"{norm} loss"] = Swept((AT.name,), found.loss[at].float(), 3)
        tensors[f"{norm} smoothness"] = Swept((AT.name,), found.smoothness[at].float())
    return Explorable(
        title="The loss along the gradient",
        controls=(AT,),
        tensors=tensors,
        views=(
            (_along(), _ranges(found.variation.lowest, found.variation.highest)),
            (
                Readout(
                    "At training step {training step} the gradient changes, per unit of "
                    "distance, by "
                    "at most {none smoothness:g3 value} without a norm, {batch smoothness:g3 "
                    "value} "
                    "with BatchNorm and {layer smoothness:g3 value} with LayerNorm."
                ),
            ),
        ),
        code=f"""from lnviz.landscape import Network, landscape

network = Network(centered={pixels == "centered"})
found = landscape(steps=[«training step»], network=network)
print(found.norms)
print(found.loss[:, 0])
""",
    )


def _along() -> Chart:
    figure = go.Figure(
        [
            go.Scatter(
                x=list(LENGTHS),
                mode="lines",
                name=LABELS[norm],
                line={"color": f"var(--ln-{norm})", "width": 3},
            )
            for norm in SHOWN
        ]
    )
    figure.update_xaxes(
        range=[0, LENGTHS[-1]], title="how far, in steps of the training", fixedrange=True
    )
    figure.update_yaxes(range=[0, 4], title="loss", fixedrange=True)
    figure.update_layout(showlegend=True, legend=_LEGEND)
    return Chart(
        "Loss down the gradient, at training step {training step}",
        figure,
        {at: {"y": f"{norm} loss"} for at, norm in enumerate(SHOWN)},
        "The loss of a mini-batch along its gradient at training step {training step}, without a "
        "norm, with BatchNorm and with LayerNorm.",
        height=340,
    )


def _ranges(lowest: Tensor, highest: Tensor) -> Chart:
    steps = list(STEPS)
    figure = go.Figure()
    for norm, low, high in zip(SHOWN, lowest.tolist(), highest.tolist(), strict=True):
        figure.add_scatter(
            x=steps + steps[::-1],
            y=high + low[::-1],
            fill="toself",
            mode="lines",
            line={"width": 0, "color": f"var(--ln-{norm})"},
            opacity=0.35,
            name=LABELS[norm],
        )
    figure.update_xaxes(range=[0, steps[-1]], title="training step", fixedrange=True)
    figure.update_yaxes(range=[0, 4], title="loss, lowest to highest", fixedrange=True)
    figure.update_layout(showlegend=True, legend=_LEGEND)
    return Chart(
        "Range of the loss along the gradient, over the training",
        figure,
        {},
        "Bands from the lowest to the highest loss along the gradient over the training, for no "
        "norm, "
        "BatchNorm and LayerNorm.",
        height=340,
    )
