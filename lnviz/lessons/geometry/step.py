"""The divergence of a model from itself after a step, by direction and by the weight's norm."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import (
    Along,
    Chart,
    Explorable,
    Option,
    Pick,
    Readout,
    Slider,
    Swept,
    Whole,
    program,
)
from lnviz.lessons.geometry.model import SHOWN, curves, model
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import decades, legend, logs, mark, powers, span
from lnviz.lessons.prints import Pairs, Prints, State
from lnviz.norms import LAYER, NONE
from lnviz.numerals import number
from lnviz.progress import reporting
from lnviz.topics.geometry import FAMILIES, PARTS, Divergences, divergences

OCTAVE = 50
"""Positions from a weight norm to twice that."""
OCTAVES = (-2, 2)
LOWEST = tuple(round(2 ** (i / OCTAVE + OCTAVES[0]), 4) for i in range(OCTAVE))
WEIGHTS = (
    # Rounded within the lowest octave, so that twice a position is a position, too.
    *(value * 2**k for k in range(OCTAVES[1] - OCTAVES[0] + 1) for value in LOWEST),
    2.0 ** (OCTAVES[1] + 1),
)
"""Those of the slider, and one octave more."""
WEIGHT = Slider("weight norm", WEIGHTS[:-OCTAVE], 1.0, log=True)
DIRECTION = Slider.linear("direction", 0, 180, 1, 90)
SIZE = 0.01
BOTH = (WEIGHT.name, DIRECTION.name)

FAMILY = Pick(
    "family",
    "The model predicts",
    tuple(Option(family.key, family.label) for family in FAMILIES.values()),
    "softmax",
)
PART = Pick(
    "part", "What moves", tuple(Option(part, label) for part, label in PARTS.items()), "matrix"
)
SEED = Whole("seed", "Seed", 0, 9_999, 0, fresh="New model")


def build(family: str = "softmax", part: str = "matrix", seed: int = 0) -> Explorable:
    """How far one step moves the model, for every length of the weights and every direction."""
    glm = model(family, seed)
    moved = {
        norm.key: divergences(glm, norm, WEIGHTS, [SIZE], DIRECTION.values, part=part, seed=seed)
        for norm in reporting(SHOWN)
    }
    exact = torch.stack([one.exact[: WEIGHT.size, 0] for one in moved.values()])  # norms,W,A
    # The curves fall to 0 where a step lies along the weight; the axis shows them down to here.
    some = exact[..., DIRECTION.index(30) : DIRECTION.index(150)]
    low, high = math.floor(some.min().log10()), math.ceil(exact.max().log10())
    return Explorable(
        title="A step in weight space, and how far it moves the model",
        controls=(WEIGHT, DIRECTION),
        tensors=_tensors(moved, low),
        views=(
            (_by_weight(low, high), _by_direction(low, high)),
            (
                _said(LAYER.key, LAYER.label),
                Readout(
                    "LayerNorm: along the weight itself, at directions 0 and 180, the step moves "
                    "nothing. A longer weight is the same model. A divergence of 0 is drawn on the "
                    "bottom line.",
                    lacking="layer share",
                ),
                _said(NONE.key, "No norm"),
                _sigma(part),
            ),
        ),
        code=program(__file__, family=repr(family), part=repr(part), seed=str(seed)),
    )


def _tensors(moved: dict[str, Divergences], low: int) -> dict[str, Swept]:
    octaves = torch.tensor(WEIGHT.values).log2()
    twice = torch.where(octaves <= OCTAVES[1] - 1, octaves + 1, torch.nan)
    exact = {key: one.exact[:, 0] for key, one in moved.items()}  # W,A
    tensors = {
        key: Swept(BOTH, decades(values[: WEIGHT.size], low), 2) for key, values in exact.items()
    }
    for key in (NONE.key, LAYER.key):
        known = torch.where(exact[key] > 1e-12, exact[key], torch.nan)  # 0 but for rounding
        limit = moved[key].quadratic[:, 0]
        tensors[f"{key} nats"] = Swept(BOTH, _coarse(known[: WEIGHT.size].nan_to_num()))
        tensors[f"{key} share"] = Swept(BOTH, _at_twice(known), 4)
        tensors[f"{key} limit"] = Swept(BOTH, _at_twice(limit.where(known > 0, torch.nan)), 4)
    pair = torch.stack([exact[LAYER.key][: WEIGHT.size], exact[LAYER.key][OCTAVE:]], -1)  # W,A,2
    return tensors | {
        "pair": Swept(BOTH, decades(pair, low), 2),
        "at": Swept((WEIGHT.name,), torch.stack([octaves, twice], -1), 3),
        "octave": Swept((WEIGHT.name,), octaves[:, None], 3),
        "angle": Swept((DIRECTION.name,), torch.tensor(DIRECTION.values)[:, None], 0),
        "twice": Swept((WEIGHT.name,), 2 * torch.tensor(WEIGHT.values)),
        "sigma": Swept((WEIGHT.name,), moved[LAYER.key].sigma[: WEIGHT.size].float()),
    }


def _at_twice(values: Float[Tensor, "weights A"]) -> Float[Tensor, "W A"]:
    """What is left of each value when the weight is twice as long."""
    return (values[OCTAVE:] / values[:-OCTAVE]).float()


def _coarse(values: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """The values to three digits, in half the bytes: without float32's last 12 bits."""
    return (values.float().view(torch.int32) & ~0xFFF).view(torch.float32)


def _said(norm: str, label: str) -> Readout:
    return Readout(
        f"{label}: at weight norm {{weight norm}} the step moves the model by "
        f"{{{norm} nats:g3 value}} nats. At twice that, {{twice:g3}}, it moves it by "
        f"{{{norm} share:g3 value}} times as much; for ever smaller steps it would be "
        f"{{{norm} limit:g3}} times.",
        given=f"{norm} share",
    )


def _sigma(part: str) -> Readout:
    at = "At weight norm {weight norm}, LayerNorm's σ is {sigma:g3 stat}, averaged over the cases. "
    if part == "matrix":
        return Readout(
            at
            + "It grows in step with the weight, and the sums, less their mean, are divided by it."
        )
    return Readout(
        at + "The three units share it, so it does not grow in step with one weight vector."
    )


def _by_weight(low: int, high: int) -> Chart:
    octaves = [math.log2(value) for value in WEIGHT.values]
    figure = go.Figure(curves(octaves))
    logs(figure, "x", 2)
    figure.add_traces([mark(token=LAYER.key), mark("triangle-up", y=[low])])
    ticks = list(range(OCTAVES[0], OCTAVES[1] + 1))
    figure.update_xaxes(
        range=span(octaves),
        tickvals=ticks,
        ticktext=[number(2.0**tick, "g") for tick in ticks],
        title=WEIGHT.name,
    )
    powers(figure, "y", (low, high), "divergence, nats", floor=True)
    legend(figure)
    bind = _along(WEIGHT)
    bind[len(SHOWN)] = {"x": "at", "y": "pair"}
    bind[len(SHOWN) + 1] = {"x": "octave"}
    return Chart(
        "By the weight's norm, at direction {direction}",
        figure,
        bind,
        f"Divergence against the weight norm at direction {{direction}} degrees. {_NOW}",
        height=400,
    )


def _by_direction(low: int, high: int) -> Chart:
    figure = go.Figure(curves(DIRECTION.values))
    figure.add_trace(mark("triangle-up", y=[low]))
    figure.update_xaxes(
        range=span(DIRECTION.values),
        tickvals=list(range(0, 181, 30)),
        title="direction, in degrees",
    )
    powers(figure, "y", (low, high), "divergence, nats", floor=True)
    legend(figure)
    return Chart(
        "By direction, at weight norm {weight norm}",
        figure,
        _along(DIRECTION) | {len(SHOWN): {"x": "angle"}},
        f"Divergence against the direction at weight norm {{weight norm}}. {_NOW}",
        height=400,
    )


_NOW = (
    "At weight norm {weight norm} and direction {direction} the step moves the model by "
    "{none nats:g3} nats without a norm and by {layer nats:g3} with LayerNorm."
)


def _along(control: Slider) -> dict[int, dict[str, str | Along]]:
    return {at: {"y": Along(norm.key, control.name)} for at, norm in enumerate(SHOWN)}


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    floor = min(float(shown.tensors[norm.key].values.min()) for norm in SHOWN)
    drawn = torch.stack([shown.lookup(norm.key, state) for norm in SHOWN])
    yield decades(printed[0], floor), drawn


FIGURE = Figure("step", build, (FAMILY, PART, SEED), seconds=1.0, prints=Prints(_printed))
