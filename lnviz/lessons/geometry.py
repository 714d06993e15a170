"""Scale and geometry: how far a step in weights moves what a model predicts."""

from __future__ import annotations

import math

import plotly.graph_objects as go
import torch
from torch import Tensor

from lnviz.explorable import Along, Chart, Explorable, Option, Pick, Readout, Slider, Swept, Whole
from lnviz.geometry import FAMILIES, NORMS, PARTS, descend, draw, gains, steps, taught
from lnviz.invariance import LABELS
from lnviz.lessons.landscape import PIXELS, landscape_figure
from lnviz.lessons.lesson import Figure, Lesson

WEIGHT = Slider.decades("weight norm", -1, 1, 30, 1.0)
STEP = Slider.decades("step size", -2, 0, 10, 0.1)
ANGLE = Slider.linear("direction", 0, 180, 3, 90)
SCALE = Slider.decades("input scale", -2, 2, 50, 1.0)
RATE = Slider.decades("learning rate", -2, 2, 50, 1.0)
RUN = 100
SHOWN = tuple(NORMS)

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

_LEGEND = {"orientation": "h", "y": 1.02, "yanchor": "bottom"}


def step(family: str = "softmax", part: str = "matrix", seed: int = 0) -> Explorable:
    """The divergence of a model from itself after a step, by direction and by the weight's norm."""
    moved = steps(
        draw(FAMILIES[family], seed=seed),
        SHOWN,
        WEIGHT.values,
        STEP.values,
        ANGLE.values,
        part=part,
        seed=seed,
    )
    over = (WEIGHT.name, STEP.name, ANGLE.name)
    tensors = {}
    for norm in SHOWN:
        found = moved.of(norm)
        tensors[f"{norm} exact"] = Swept(over, _decades(found.exact), 2)
        tensors[f"{norm} quadratic"] = Swept(over, _decades(found.quadratic), 2)
        tensors[f"{norm} sigma"] = Swept((WEIGHT.name,), found.sigma.float())
    positions = {
        "here": (ANGLE.name, [[angle] for angle in ANGLE.values]),
        "norm here": (WEIGHT.name, [[math.log10(value)] for value in WEIGHT.values]),
    }
    for name, (control, values) in positions.items():
        tensors[name] = Swept((control,), torch.tensor(values), 3)
    return Explorable(
        title="A step in weight space, and how far it moves the model",
        controls=(WEIGHT, STEP, ANGLE),
        tensors=tensors,
        views=(
            (
                _divergences(
                    "By direction",
                    list(ANGLE.values),
                    ANGLE.name,
                    "direction: 0 makes the weight longer, 180 shorter",
                    quadratic=True,
                ),
            ),
            (
                _divergences(
                    "By the weight's norm",
                    [math.log10(value) for value in WEIGHT.values],
                    WEIGHT.name,
                    "weight norm",
                    ticks=(-1, 0, 1),
                ),
            ),
            (
                Readout(
                    "At weight norm {weight norm}, LayerNorm's sigma is {layer sigma:g3 stat}. It "
                    "grows with the weight, and every step is divided by it."
                ),
            ),
        ),
        code=_step_code(family, part, seed),
    )


def gain(family: str = "linear", seed: int = 0) -> Explorable:
    """The curvature along a gain, as all inputs are multiplied."""
    found = gains(draw(FAMILIES[family], seed=seed), SHOWN, SCALE.values).mean
    scales = [math.log10(value) for value in SCALE.values]
    figure = go.Figure(
        [
            go.Scatter(
                x=scales,
                y=_decades(curve).tolist(),
                mode="lines",
                name=LABELS[norm],
                line={"color": f"var(--ln-{norm})", "width": 3},
            )
            for norm, curve in zip(SHOWN, found, strict=True)
        ]
    )
    figure.add_scatter(
        mode="markers",
        showlegend=False,
        marker={"size": 11, "color": [f"var(--ln-{norm})" for norm in SHOWN]},
    )
    _powers(figure, "x", (-2, -1, 0, 1, 2), SCALE.name)
    _powers(figure, "y", tuple(range(-6, 5, 2)), "curvature along a gain")
    figure.update_layout(showlegend=True, legend=_LEGEND)
    return Explorable(
        title="Curvature along a gain, against the scale of the inputs",
        controls=(SCALE,),
        tensors={
            "at": Swept((SCALE.name,), torch.tensor(scales)[:, None].repeat(1, len(SHOWN)), 3),
            "on": Swept((SCALE.name,), _decades(found.T), 3),
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
                    height=320,
                ),
            ),
            (
                Readout(
                    "At input scale {input scale} the curvature along a gain is {layer:g3 value} "
                    "with LayerNorm, as at any scale, and {none:g3 value} without a norm."
                ),
            ),
        ),
        code=_gain_code(family, seed),
    )


def descent(family: str = "softmax", seed: int = 0) -> Explorable:
    """Gradient descent: the weights' length, and the learning rate that is left of the one set."""
    model = draw(FAMILIES[family], seed=seed)
    run = descend(model, taught(model), SHOWN, RATE.values, steps=RUN)
    tensors = {}
    for at, norm in enumerate(SHOWN):
        tensors[f"{norm} length"] = Swept((RATE.name,), run.length[at].log10().float(), 3)
        tensors[f"{norm} loss"] = Swept((RATE.name,), run.loss[at].log10().float(), 3)
    layer = SHOWN.index("layer")
    tensors["left"] = Swept((RATE.name,), run.effective[layer, :, -1].float())
    tensors["grown"] = Swept((RATE.name,), run.length[layer, :, -1].float())
    return Explorable(
        title="Gradient descent at one learning rate",
        controls=(RATE,),
        tensors=tensors,
        views=(
            (
                _runs("Length of the weight matrix", "length", (0, 1, 2)),
                _runs("Loss", "loss", (-1, 0, 1, 2)),
            ),
            (
                Readout(
                    "With LayerNorm, learning rate {learning rate} has made the weights "
                    "{grown:g3 value} long after 100 steps. On weights of length 1 the same steps "
                    "would have a learning rate of {left:g3 value}."
                ),
            ),
        ),
        code=_descent_code(family, seed),
    )


def _divergences(
    title: str,
    x: list[float],
    along: str,
    label: str,
    *,
    quadratic: bool = False,
    ticks: tuple[int, ...] = (),
) -> Chart:
    """The divergence under every norm, along one control, and where that control stands."""
    figure = go.Figure()
    bind: dict[int, dict[str, str | Along]] = {}
    for norm in SHOWN:
        kinds = {"exact": "solid"} | ({"quadratic": "dot"} if quadratic else {})
        for kind, dash in kinds.items():
            bind[len(figure.data)] = {"y": Along(f"{norm} {kind}", along)}
            figure.add_scatter(
                x=x,
                mode="lines",
                name=LABELS[norm],
                showlegend=kind == "exact",
                line={
                    "color": f"var(--ln-{norm})",
                    "width": 2.5 if kind == "exact" else 1.5,
                    "dash": dash,
                },
            )
    bind[len(figure.data)] = {"x": "here" if along == ANGLE.name else "norm here"}
    figure.add_scatter(
        y=[-6], mode="markers", showlegend=False, marker={"symbol": "triangle-up", "size": 12}
    )
    figure.data[-1].marker.color = "var(--ln-ink)"
    if ticks:
        _powers(figure, "x", ticks, label)
    else:
        figure.update_xaxes(range=[x[0], x[-1]], dtick=30, title=label, fixedrange=True)
    _powers(figure, "y", (-6, -4, -2, 0, 2), "divergence, nats")
    figure.update_yaxes(range=[-6.2, 2.2])
    figure.update_layout(showlegend=True, legend=_LEGEND)
    dotted = ", dotted to second order" if quadratic else ""
    return Chart(
        f"{title}: divergence from the model before the step, exact{dotted}",
        figure,
        bind,
        "Divergence under five norms, logarithmic, at weight norm {weight norm}, step size "
        "{step size} and direction {direction} degrees.",
        height=340,
    )


def _runs(title: str, what: str, ticks: tuple[int, ...]) -> Chart:
    figure = go.Figure(
        [
            go.Scatter(
                x=list(range(RUN + 1)),
                mode="lines",
                name=LABELS[norm],
                line={"color": f"var(--ln-{norm})", "width": 2.5},
            )
            for norm in SHOWN
        ]
    )
    figure.update_xaxes(range=[0, RUN], title="step of gradient descent", fixedrange=True)
    _powers(figure, "y", ticks, what)
    figure.update_layout(showlegend=True, legend=_LEGEND)
    return Chart(
        title,
        figure,
        {at: {"y": f"{norm} {what}"} for at, norm in enumerate(SHOWN)},
        f"{title} over 100 steps of gradient descent under five norms, logarithmic, at learning "
        "rate {learning rate}.",
        height=340,
    )


def _powers(figure: go.Figure, axis: str, powers: tuple[int, ...], title: str) -> None:
    """A logarithmic axis whose data are logarithms: ticks at powers of ten."""
    text = [f"{10.0**p:g}" if abs(p) <= 2 else f"10<sup>{p}</sup>" for p in powers]
    settings = {
        "range": [powers[0] - 0.05, powers[-1] + 0.05],
        "tickvals": list(powers),
        "ticktext": text,
        "title": title,
        "fixedrange": True,
    }
    figure.update_layout({f"{axis}axis": settings})


def _decades(values: Tensor) -> Tensor:
    """Logarithms; rounding around 0 is no divergence and is left out."""
    return torch.where(values > 1e-12, values, torch.nan).log10().float()


def _step_code(family: str, part: str, seed: int) -> str:
    return f"""from lnviz.geometry import FAMILIES, NORMS, draw, steps

model = draw(FAMILIES["{family}"], seed={seed})
moved = steps(
    model, tuple(NORMS), [«weight norm»], [«step size»], [«direction»], part="{part}", seed={seed}
)
print(moved.norms)
print(moved.exact.flatten(), moved.quadratic.flatten())
"""


def _gain_code(family: str, seed: int) -> str:
    return f"""from lnviz.geometry import FAMILIES, NORMS, draw, gains

model = draw(FAMILIES["{family}"], seed={seed})
found = gains(model, tuple(NORMS), [«input scale»])
print(found.norms, found.mean.flatten())
"""


def _descent_code(family: str, seed: int) -> str:
    return f"""from lnviz.geometry import FAMILIES, NORMS, descend, draw, taught

model = draw(FAMILIES["{family}"], seed={seed})
run = descend(model, taught(model), tuple(NORMS), [«learning rate»], steps={RUN})
print(run.norms)
print(run.length[:, 0, -1], run.loss[:, 0, -1])
"""


LESSON = Lesson(
    slug="geometry",
    title="Scale and geometry",
    section="Why it works",
    figures=(
        Figure("step", step, (FAMILY, PART, SEED)),
        Figure("gain", gain),
        Figure("descent", descent),
        Figure("landscape", landscape_figure, (PIXELS,)),
    ),
)
