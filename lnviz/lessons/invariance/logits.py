"""No LayerNorm on the logits: what it would do to a classifier's confidence."""

from __future__ import annotations

import math

import plotly.graph_objects as go
import torch

from lnviz.explorable import Chart, Explorable, Readout, Slider, Swept
from lnviz.invariance import CLASSES, TRAINING_CASES, confidence, digits_classifier
from lnviz.lessons.inputs import literal, swept
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import legend
from lnviz.norms import LAYER

SCALE = Slider.decades("logit scale", -1, 1, 100, 1.0)
IMAGES = 20
IMAGE = Slider.linear("held-out image", 1, IMAGES, 1, 1)


def build() -> Explorable:
    """A trained digits classifier: its probabilities with and without LayerNorm on the logits."""
    trained = digits_classifier()
    scales = swept(SCALE.values)
    found = confidence(trained.logits, scales.cpu())
    scaled = scales.cpu()[:, None, None] * trained.logits[:IMAGES].float()  # S,N,10
    normed = LAYER.apply(scaled, "ND", eps=0.0).y
    both = ("logit scale", "held-out image")
    nats = torch.stack([found.entropy.mean(1), found.entropy_layer.mean(1)])  # 2,S
    place = scales.cpu().log10()[:, None].repeat(1, 2)
    tensors = {
        "plain": Swept(both, scaled.softmax(-1), 4),
        "normed": Swept(both, normed.softmax(-1), 4),
        "top": Swept(both, found.top[:, :IMAGES].float(), 3),
        "top layer": Swept(both, found.top_layer[:, :IMAGES].float(), 3),
        "entropy": Swept(both, found.entropy[:, :IMAGES].float(), 3),
        "entropy layer": Swept(both, found.entropy_layer[:, :IMAGES].float(), 3),
        "mean entropy": Swept(("logit scale",), nats[0].float(), 3),
        "mean entropy layer": Swept(("logit scale",), nats[1].float(), 3),
        "shown": Swept(("held-out image",), trained.targets[:IMAGES].float(), 0),
        "at": Swept(("logit scale",), place, 3),
        "on": Swept(("logit scale",), nats.T.float(), 3),
    }
    right = float(trained.right.double().mean())
    return Explorable(
        title="A classifier's confidence, and what LayerNorm on the logits makes of it",
        controls=(SCALE, IMAGE),
        tensors=tensors,
        views=(
            (_probabilities(),),
            (
                Readout(
                    "Entropy says how unsure the probabilities are: 0 for one sure digit, "
                    f"{math.log(CLASSES):.3f} nats for {CLASSES} equal chances. Here it is "
                    "{entropy:3 value} nats from the logits as they are, {entropy layer:3 stat} "
                    "behind LayerNorm."
                ),
            ),
            (_entropies(nats),),
            (
                Readout(
                    f"The classifier was trained on {TRAINING_CASES:,} images. Over the "
                    f"{len(trained.targets)} others: mean entropy "
                    "{mean entropy:3 value} nats without the norm, {mean entropy layer:3 stat} "
                    f"with it. For {right:.1%} of these images the largest logit is that of the "
                    f"digit shown, with the norm and without it. With {CLASSES} classes no "
                    f"probability behind LayerNorm can exceed {found.most:.3f}."
                ),
            ),
        ),
        code=f"""import torch
from torch.nn import functional as F

# Logits of a trained classifier for {IMAGES} held-out images.
logits = torch.tensor({literal(trained.logits[:IMAGES].float())})
z = «logit scale» * logits[«held-out image» - 1]
print(torch.stack([z.softmax(0), F.layer_norm(z, z.shape, eps=0.0).softmax(0)]))
""",
    )


def _probabilities() -> Chart:
    digits = [str(digit) for digit in range(CLASSES)]
    figure = go.Figure(
        [
            go.Bar(x=digits, name="softmax of the logits", marker_color="var(--ln-none)"),
            go.Bar(x=digits, name="softmax behind LayerNorm", marker_color="var(--ln-layer)"),
        ]
    )
    figure.update_xaxes(title="digit", tickvals=digits, type="category")
    figure.update_yaxes(range=[0, 1], title="probability")
    legend(figure)
    return Chart(
        "What the classifier says of image {held-out image}, which shows a {shown:0}",
        figure,
        {0: {"y": "plain"}, 1: {"y": "normed"}},
        "Bars of the probabilities of the digits for image {held-out image}, which shows a "
        "{shown:0}, with and without LayerNorm on the logits, at logit scale {logit scale}. The "
        "largest probability is {top:3} without the norm and {top layer:3} with it; the entropy is "
        "{entropy:3} nats without it and {entropy layer:3} with it.",
        height=300,
    )


def _entropies(nats: torch.Tensor) -> Chart:
    scales = [math.log10(value) for value in SCALE.values]
    names = ("no norm", "LayerNorm on the logits")
    colors = ("none", LAYER.key)
    figure = go.Figure(
        [
            go.Scatter(
                x=scales,
                y=values,
                mode="lines",
                name=name,
                line={"color": f"var(--ln-{color})", "width": 3},
            )
            for name, color, values in zip(names, colors, nats.tolist(), strict=True)
        ]
    )
    figure.add_scatter(
        mode="markers",
        showlegend=False,
        marker={
            "size": 13,
            "color": [f"var(--ln-{color})" for color in colors],
            "line": {"color": "var(--ln-page)", "width": 2},
        },
    )
    # A range of its own: the marker at an end would widen Plotly's.
    figure.update_xaxes(
        range=[scales[0] - 0.05, scales[-1] + 0.05],
        tickvals=[-1, 0, 1],
        ticktext=["0.1", "1", "10"],
        title="logit scale",
    )
    figure.update_yaxes(range=[0, 2.4], title="mean entropy, nats")
    legend(figure)
    return Chart(
        "Mean entropy over all images held out of the training",
        figure,
        {2: {"x": "at", "y": "on"}},
        "Mean entropy against the logit scale, from "
        f"{SCALE.values[0]:g} to {SCALE.values[-1]:g}. Without a norm it falls from "
        f"{nats[0, 0]:.3f} nats to {nats[0, -1]:.3f}; behind LayerNorm it lies between "
        f"{nats[1].min():.3f} and {nats[1].max():.3f}. At logit scale {{logit scale}} it is "
        "{mean entropy:3} nats without the norm and {mean entropy layer:3} with it.",
        height=260,
    )


FIGURE = Figure("logits", build)
