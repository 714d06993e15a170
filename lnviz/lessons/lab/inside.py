"""What goes on inside the networks while they train: activations, gradients and gains by layer."""

from __future__ import annotations

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Along, Chart, Explorable, Readout, Row, Swept, program
from lnviz.lessons.lab.drawing import AXES, SCALES, layers, magnitudes, sticks
from lnviz.lessons.lab.runs import NORMS, SEEDS, SIZES, label, measured, size_slider, step_slider
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import decades, legend, line, norm_line, stacked

SIZE, STEP = size_slider("inside-batch-size"), step_slider("inside-step", 500)
LAYERS = ("hidden 1", "hidden 2", "softmax")
GAINED = tuple(norm for norm in NORMS if norm != "none")
HALF = 0.3  # of the room of a layer that the marks of its gains take up


def build() -> Explorable:
    """Three charts by layer that follow the training."""
    return Explorable(
        title="Inside the networks while they train",
        controls=(SIZE, STEP),
        tensors=_tensors(),
        views=(tuple(_scales(name) for name in SCALES), (_gains(),), _words()),
        code=program(__file__),
    )


def _scale(norm: str, name: str) -> Float[Tensor, "sizes points layers"]:
    return measured(norm, name).mT


def _tensors() -> dict[str, Swept]:
    over, tensors = (SIZE.name, STEP.name), dict[str, Swept]()
    for norm in NORMS:
        for name in SCALES:
            values = _scale(norm, name)
            tensors[f"{norm} {name}"] = Swept(over, decades(values), 3)
            tensors[f"{norm} {name} first"] = Swept(over, decades(values[..., 0]), 5)
            tensors[f"{norm} {name} last"] = Swept(over, decades(values[..., -1]), 5)
    for norm in GAINED:
        mean, spread = (_scale(norm, name) for name in ("gains", "gain_spreads"))
        tensors[f"{norm} gains"] = Swept(over, mean, 4)
        tensors[f"{norm} spread"] = Swept(over, sticks(mean - spread, mean + spread), 4)
        for at, layer in enumerate(LAYERS[:2]):
            tensors[f"{norm} {layer}"] = Swept(over, mean[..., at], 4)
            tensors[f"{norm} {layer} spread"] = Swept(over, spread[..., at], 4)
    return tensors


def _scales(name: str) -> Chart:
    norms = stacked(NORMS)
    figure = go.Figure()
    for norm in norms:
        figure.add_trace(norm_line(norm, range(len(LAYERS))).update(mode="lines+markers"))
    found = torch.cat([_scale(norm, name).flatten() for norm in NORMS])
    found = found[found > 0]
    layers(figure, LAYERS)
    magnitudes(figure, AXES[name], float(found.min()), float(found.max()))
    legend(figure)
    bind: dict[int, dict[str, str | Along]] = {
        at: {"y": f"{norm} {name}"} for at, norm in enumerate(norms)
    }
    return Chart(
        f"{name.capitalize()} after {{step}} steps in batches of {{batch size}}",
        figure,
        bind,
        f"{SCALES[name].capitalize()} by layer, logarithmic, after {{step}} steps in batches of "
        "{batch size}: "
        + "; ".join(
            f"{label(norm)} from {{{norm} {name} first:d2}} to {{{norm} {name} last:d2}}"
            for norm in ("none", "layer")
        )
        + ".",
        height=400,
    )


def _gains() -> Chart:
    figure, bind = go.Figure(), dict[int, dict[str, str | Along]]()
    low = high = 1.0
    for at, norm in enumerate(GAINED):
        offset = HALF * (2 * at / (len(GAINED) - 1) - 1)
        places = [place + offset for place in range(2)]
        figure.add_trace(
            line(label(norm), norm, [x for x in places for _ in range(3)], showlegend=False)
        )
        figure.add_trace(norm_line(norm, places).update(mode="markers", marker={"size": 10}))
        figure.data[-1].marker.color = f"var(--ln-{norm})"
        bind |= {2 * at: {"y": f"{norm} spread"}, 2 * at + 1: {"y": f"{norm} gains"}}
        mean, spread = (_scale(norm, name) for name in ("gains", "gain_spreads"))
        low = min(low, float((mean - spread).nan_to_num(low).min()))
        high = max(high, float((mean + spread).nan_to_num(high).max()))
    layers(figure, LAYERS[:2])
    figure.update_yaxes(range=[low - 0.05, high + 0.05], title="gain", zeroline=False)
    legend(figure)
    return Chart(
        "Gains after {step} steps in batches of {batch size}: mean and standard deviation over "
        "the units",
        figure,
        bind,
        "Learned gains by hidden layer, mean over the units with a line of one standard deviation "
        "to either side, after {step} steps in batches of {batch size}. LayerNorm: "
        + " and ".join(
            f"{{layer {layer}:2}} with {{layer {layer} spread:2}} in {layer}"
            for layer in LAYERS[:2]
        )
        + ".",
        height=360,
    )


def _words() -> Row:
    spoken = tuple(norm for norm in NORMS if norm != "batch")
    readouts = [
        Readout(
            f"After {{step}} steps in batches of {{batch size}}, {SCALES[name]}, first layer and "
            "last: "
            + "; ".join(
                f"{label(norm)} {{{norm} {name} first:d2 value}} and "
                f"{{{norm} {name} last:d2 value}}"
                for norm in norms
            )
            + ".",
            when={SIZE.name: sizes},
        )
        for name in SCALES
        for norms, sizes in ((NORMS, SIZE.values[1:]), (spoken, SIZE.values[:1]))
    ]
    gains = "; ".join(
        f"{label(norm)} {{{norm} {LAYERS[0]}:2 value}} ± {{{norm} {LAYERS[0]} spread:2}} and "
        f"{{{norm} {LAYERS[1]}:2 value}} ± {{{norm} {LAYERS[1]} spread:2}}"
        for norm in GAINED
        if norm != "batch"
    )
    batch = (
        f"; {label('batch')} {{batch {LAYERS[0]}:2 value}} ± {{batch {LAYERS[0]} spread:2}} and "
        f"{{batch {LAYERS[1]}:2 value}} ± {{batch {LAYERS[1]} spread:2}}"
    )
    return (
        *readouts,
        *(
            Readout(f"Gains in the two hidden layers: {said}.", when={SIZE.name: sizes})
            for said, sizes in (
                (gains + batch, SIZE.values[1:]),
                (gains, SIZE.values[:1]),
            )
        ),
        Readout(
            f"Means over {SEEDS} seeds, BatchNorm where the others are. Summed inputs are measured "
            "before the norm, on 128 validation images; gradients on the last batch alone, so they "
            "jump. Biases and gains have gradients of their own, "
            "which are not shown. WeightNorm's gains start as the lengths of the weights, those of "
            "the other norms at 1."
        ),
        Readout(
            f"In batches of {SIZES[0]} there is no BatchNorm.",
            when={SIZE.name: SIZE.values[:1]},
        ),
    )


FIGURE = Figure("inside", build)
