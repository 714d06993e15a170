"""Scale and geometry: how far a step in weights moves what a model predicts."""

from __future__ import annotations

import math

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import (
    Along,
    Chart,
    Choice,
    Explorable,
    Option,
    Pick,
    Readout,
    Slider,
    Swept,
    Whole,
)
from lnviz.geometry import FAMILIES, NORMS, PARTS, Glm, descend, draw, gains, steps, taught
from lnviz.lessons.geometry import code
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import decades, legend, logarithmic, norm_line, powers, span
from lnviz.norms import CATALOGUE

OCTAVES = 2
WEIGHT = Slider(
    "weight norm",
    tuple(float(f"{2 ** (i / 50):.3g}") for i in range(-50 * OCTAVES, 50 * OCTAVES + 1)),
    1.0,
    log=True,
)
ANGLE = Slider.linear("direction", 0, 180, 0.5, 90)
STEP = Slider.decades("step size", -2, 0, 100, 0.1)
SCALE = Slider.decades("input scale", -2, 2, 50, 1.0)
RATE = Slider.decades("learning rate", -2, 2, 50, 1.0)
SIZE = 0.01
RUN = 100
SHOWN = tuple(NORMS)
TAUGHT = 1
NORM = Choice(
    "norm",
    tuple(Option(norm, CATALOGUE[norm].label, norm, code=repr(norm)) for norm in SHOWN),
    "layer",
)

FAMILY = Pick(
    "family",
    "Model",
    (
        Option("softmax", "softmax"),
        Option("logistic", "logistic"),
        Option("linear", "linear"),
    ),
    "softmax",
)
PART = Pick(
    "part",
    "What moves",
    (Option("matrix", PARTS["matrix"]), Option("vector", PARTS["vector"])),
    "matrix",
)
SEED = Whole("seed", "Seed", 0, 9_999, 0, fresh="New model")


def _model(family: str, seed: int) -> Glm:
    return draw(FAMILIES[family], cases=code.CASES, inputs=code.INPUTS, units=code.UNITS, seed=seed)


def step(family: str = "softmax", part: str = "matrix", seed: int = 0) -> Explorable:
    """The divergence of a model from itself after a step, by direction and by the weight's norm."""
    moved = steps(
        _model(family, seed), SHOWN, WEIGHT.values, [SIZE], ANGLE.values, part=part, seed=seed
    )
    exact = moved.exact[:, :, 0]  # norms,W,A
    # The curves fall to 0 where a step lies along the weight; the axis shows them down to here.
    some = exact[..., ANGLE.index(30) : ANGLE.index(150)]
    low, high = math.floor(some.min().log10()), math.ceil(exact.max().log10())
    tensors = {
        norm: Swept((WEIGHT.name, ANGLE.name), decades(exact[at], low), 2)
        for at, norm in enumerate(SHOWN)
    }
    one, two = (WEIGHT.index(value) for value in (1.0, 2.0))
    for norm in ("none", "layer"):
        pair = exact[SHOWN.index(norm)][[one, two]]  # 2,A
        tensors[f"{norm} pair"] = Swept((ANGLE.name,), decades(pair, low).T, 3)
        pair = _known(pair)
        tensors[f"{norm} at 1"] = Swept((ANGLE.name,), pair[0])
        tensors[f"{norm} at 2"] = Swept((ANGLE.name,), pair[1])
        tensors[f"{norm} ratio"] = Swept((ANGLE.name,), pair[0] / pair[1])
        limit = _known(moved.quadratic[SHOWN.index(norm), [one, two], 0])
        tensors[f"{norm} limit"] = Swept((ANGLE.name,), limit[0] / limit[1])
    sigma = moved.sigma[SHOWN.index("layer")]
    octaves = [math.log2(value) for value in WEIGHT.values]
    tensors |= {
        "layer sigma": Swept((WEIGHT.name,), sigma.float()),
        "angle": Swept((ANGLE.name,), torch.tensor(ANGLE.values)[:, None], 1),
        "octave": Swept((WEIGHT.name,), torch.tensor(octaves)[:, None], 3),
    }
    return Explorable(
        title="A step in weight space, and how far it moves the model",
        controls=(WEIGHT, ANGLE),
        tensors=tensors,
        views=(
            (_by_norm(octaves, low, high), _by_direction(low, high)),
            (
                _ratio("layer", "LayerNorm"),
                Readout(
                    "LayerNorm: along the weight itself, at directions 0 and 180, the step moves "
                    "nothing. A longer weight is the same model. A divergence of 0 is drawn on the "
                    "bottom line.",
                    lacking="layer ratio",
                ),
                _ratio("none", "No norm"),
                Readout(
                    "At weight norm {weight norm}, LayerNorm's σ is {layer sigma:g3 stat}, "
                    "averaged over the cases. It grows with the weight, and every step is divided "
                    "by it."
                ),
            ),
        ),
        code=code.step(family, part, seed, SIZE),
    )


def _known(values: Tensor) -> Float[Tensor, "..."]:
    """The values without those that are 0 but for rounding."""
    return torch.where(values > 1e-12, values, torch.nan).float()


def _ratio(norm: str, label: str) -> Readout:
    return Readout(
        f"{label}: a step of length {SIZE:g} moves the model by {{{norm} at 1:g3 value}} nats at "
        f"weight norm 1, and by {{{norm} at 2:g3 value}} at weight norm 2. The first is "
        f"{{{norm} ratio:g3 value}} times the second; for ever smaller steps it would be "
        f"{{{norm} limit:g3}} times.",
        given=f"{norm} ratio",
    )


def _by_norm(octaves: list[float], low: int, high: int) -> Chart:
    figure = go.Figure([norm_line(norm, x=octaves) for norm in SHOWN])
    figure.add_scatter(
        x=[0, 1],
        mode="markers",
        showlegend=False,
        marker={"size": 11, "color": "var(--ln-layer)", "symbol": "circle"},
    )
    _here(figure, low)
    ticks = list(range(-OCTAVES, OCTAVES + 1))
    figure.update_xaxes(
        range=span(octaves),
        tickvals=ticks,
        ticktext=[f"{2.0**tick:g}" for tick in ticks],
        title="weight norm",
    )
    _divergence(figure, low, high)
    return Chart(
        "By the weight's norm, at direction {direction}",
        figure,
        _curves(WEIGHT) | {len(SHOWN): {"y": "layer pair"}, len(SHOWN) + 1: {"x": "octave"}},
        "Divergence against the weight norm at direction {direction} degrees, both axes "
        f"logarithmic. {_NOW}",
        height=400,
    )


def _by_direction(low: int, high: int) -> Chart:
    figure = go.Figure([norm_line(norm, x=list(ANGLE.values)) for norm in SHOWN])
    _here(figure, low)
    figure.update_xaxes(
        range=span(ANGLE.values),
        tickvals=list(range(0, 181, 30)),
        title="direction, in degrees",
    )
    _divergence(figure, low, high)
    return Chart(
        "By direction, at weight norm {weight norm}",
        figure,
        _curves(ANGLE) | {len(SHOWN): {"x": "angle"}},
        f"Divergence, logarithmic, against the direction at weight norm {{weight norm}}. {_NOW}",
        height=400,
    )


_NOW = (
    "At weight norm {weight norm} and direction {direction} the base-10 logarithm of the "
    "divergence is "
    + ", ".join(f"{{{norm}:2}} with {CATALOGUE[norm].label}" for norm in SHOWN)
    + "."
)


def _curves(control: Slider) -> dict[int, dict[str, str | Along]]:
    return {at: {"y": Along(norm, control.name)} for at, norm in enumerate(SHOWN)}


def _here(figure: go.Figure, low: float) -> None:
    """Where the slider stands, at the bottom of the chart."""
    figure.add_scatter(
        y=[low],
        mode="markers",
        showlegend=False,
        marker={"symbol": "triangle-up", "size": 13, "color": "var(--ln-ink)"},
    )


def _divergence(figure: go.Figure, low: int, high: int) -> None:
    powers(figure, "y", (low, high), "divergence, nats", floor=True)
    legend(figure)


def reach() -> Explorable:
    """The same step, exactly and by the Fisher matrix: how long it may be for the two to agree."""
    angles = [float(degrees) for degrees in range(0, 181, code.TURN)]
    moved = steps(_model("softmax", 0), SHOWN, [1.0], STEP.values, angles)
    exact, quadratic = moved.exact[:, 0], moved.quadratic[:, 0]  # norms,S,A
    across = angles.index(90.0)
    low, high = -6, math.ceil(max(exact.max(), quadratic.max()).log10())
    both = (NORM.name, STEP.name)
    tensors = {
        "exact": Swept(both, decades(exact, low), 2),
        "quadratic": Swept(both, decades(quadratic, low), 2),
        "exact across": Swept(both, exact[..., across].float()),
        "quadratic across": Swept(both, quadratic[..., across].float()),
    }
    figure = go.Figure(
        [
            go.Scatter(
                x=angles,
                mode="lines",
                name="exact",
                line={"color": "var(--ln-ink)", "width": 3},
            ),
            go.Scatter(
                x=angles,
                mode="lines",
                name="by the Fisher matrix",
                line={"color": "var(--ln-batch)", "width": 3, "dash": "dash"},
            ),
        ]
    )
    figure.update_xaxes(
        range=span(angles),
        tickvals=list(range(0, 181, 30)),
        title="direction, in degrees",
    )
    _divergence(figure, low, high)
    return Explorable(
        title="A step's divergence, exactly and to second order",
        controls=(STEP, NORM),
        tensors=tensors,
        views=(
            (
                Chart(
                    "{norm}, softmax model, weight norm 1: a step of {step size}",
                    figure,
                    {0: {"y": "exact"}, 1: {"y": "quadratic"}},
                    "Divergence, logarithmic, against the direction, exactly and by the Fisher "
                    "matrix, with {norm} at step size {step size}. At direction 90 it is "
                    "{exact across:g3} nats exactly and {quadratic across:g3} by the matrix.",
                    height=360,
                ),
            ),
            (
                Readout(
                    "At direction 90 the step moves the model by {exact across:g3 value} nats. The "
                    "Fisher matrix says {quadratic across:g3 value}."
                ),
                Readout(
                    "At direction 180 this step ends at weights of length 0. There every "
                    "standardized value is 0, and the model predicts from its bias alone.",
                    "verdict",
                    {
                        STEP.name: (1.0,),
                        NORM.name: tuple(norm for norm in SHOWN if norm != "none"),
                    },
                ),
            ),
        ),
        code=code.reach("softmax", 0),
    )


def gain() -> Explorable:
    """The curvature along a gain, as all inputs are multiplied."""
    found = gains(_model("linear", 0), SHOWN, SCALE.values).mean
    scales = [math.log10(value) for value in SCALE.values]
    figure = go.Figure(
        [
            norm_line(norm, x=scales, y=curve.log10().tolist())
            for norm, curve in zip(SHOWN, found, strict=True)
        ]
    )
    figure.add_scatter(
        mode="markers",
        showlegend=False,
        marker={"size": 11, "color": [f"var(--ln-{norm})" for norm in SHOWN]},
    )
    figure.add_scatter(
        x=[scales[0], scales[-1]],
        y=[0.15, 1.8],
        mode="text",
        text=["BatchNorm, LayerNorm,<br>RMSNorm", "no norm,<br>WeightNorm"],
        textposition=["top right", "middle left"],
        textfont={"color": "var(--ln-soft)"},
        showlegend=False,
    )
    ends = found.log10()
    powers(figure, "x", (-2, 2), SCALE.name)
    reached = (math.floor(ends.min()), math.ceil(ends.max()))
    powers(figure, "y", reached, "curvature along a gain")
    legend(figure)
    return Explorable(
        title="Curvature along a gain, against the scale of the inputs",
        controls=(SCALE,),
        tensors={
            "at": Swept((SCALE.name,), torch.tensor(scales)[:, None].repeat(1, len(SHOWN)), 3),
            "on": Swept((SCALE.name,), found.T.log10().float(), 3),
            "layer": Swept((SCALE.name,), found[SHOWN.index("layer")].float()),
            "none": Swept((SCALE.name,), found[SHOWN.index("none")].float()),
        },
        views=(
            (
                Chart(
                    "Curvature along one gain, averaged over the units",
                    figure,
                    {len(SHOWN): {"x": "at", "y": "on"}},
                    "Curvature along a gain against the input scale, both logarithmic. At input "
                    "scale {input scale} it is {layer:g3} with LayerNorm and {none:g3} without a "
                    "norm.",
                    height=340,
                ),
            ),
            (
                Readout(
                    "At input scale {input scale} the curvature along a gain is {layer:g3 value} "
                    "with LayerNorm, as at any scale, and {none:g3 value} without a norm, as with "
                    "WeightNorm: the two lines lie on each other. Without a norm there is no gain "
                    "to move; there the weight vector itself is made longer (equation 35)."
                ),
            ),
        ),
        code=code.gain(0),
    )


def descent() -> Explorable:
    """Gradient descent: the weights' length, and the learning rate that is left of the one set."""
    model = _model("softmax", 0)
    run = descend(model, taught(model, TAUGHT), SHOWN, RATE.values, steps=RUN)
    tensors = {}
    for at, norm in enumerate(SHOWN):
        tensors[f"{norm} length"] = Swept((RATE.name,), run.length[at].log10().float(), 3)
        tensors[f"{norm} loss"] = Swept((RATE.name,), run.loss[at].log10().float(), 3)
    layer, none = SHOWN.index("layer"), SHOWN.index("none")
    lengths = run.length[layer]
    tensors["left"] = Swept((RATE.name,), (lengths[:, 0] / lengths[:, -1]).square().float())
    tensors["grown"] = Swept((RATE.name,), run.length[layer, :, -1].float())
    tensors["end"] = Swept((RATE.name,), run.loss[layer, :, -1].float())
    tensors["none end"] = Swept((RATE.name,), run.loss[none, :, -1].float())
    tensors["none grown"] = Swept((RATE.name,), run.length[none, :, -1].float())
    return Explorable(
        title="Gradient descent at one learning rate",
        controls=(RATE,),
        tensors=tensors,
        views=(
            (
                _runs("Length of the weight matrix", "length", run.length),
                _runs("Loss", "loss", run.loss),
            ),
            (
                Readout(
                    f"After {RUN} steps at learning rate {{learning rate}}, with LayerNorm: loss "
                    "{end:g3 value}, and weights {grown:g3 value} long. On weights as long as at "
                    "the start, the last step would need only {left:g3 stat} times the learning "
                    "rate that was set."
                ),
                Readout(
                    "Without a norm: loss {none end:g3 value}, and weights {none grown:g3 value} "
                    "long."
                ),
            ),
        ),
        code=code.descent("softmax", 0, RUN, TAUGHT),
    )


def _runs(title: str, what: str, values: Float[Tensor, "norms rates states"]) -> Chart:
    figure = go.Figure([norm_line(norm, x=list(range(RUN + 1))) for norm in SHOWN])
    figure.update_xaxes(range=span([0, RUN]), title="step of gradient descent")
    logarithmic(figure, what, float(values.min()), float(values.max()))
    legend(figure)
    ends = {"length": ("none grown", "grown"), "loss": ("none end", "end")}[what]
    return Chart(
        title,
        figure,
        {at: {"y": f"{norm} {what}"} for at, norm in enumerate(SHOWN)},
        f"{title} over {RUN} steps of gradient descent under {len(SHOWN)} norms, logarithmic, at "
        f"learning rate {{learning rate}}. At the end it is {{{ends[0]}:g3}} without a norm and "
        f"{{{ends[1]}:g3}} with LayerNorm.",
        height=340,
    )


FIGURES = (
    Figure("step", step, (FAMILY, PART, SEED)),
    Figure("reach", reach),
    Figure("gain", gain),
    Figure("descent", descent),
)
