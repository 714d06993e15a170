"""A constant added to all components of a vector: LayerNorm removes it, RMSNorm does not."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.data.examples import MAX_SEED, digits
from lnviz.device import device
from lnviz.explorable import (
    Chart,
    Explorable,
    IntParameter,
    Option,
    Slider,
    SweptTensor,
    Toggle,
    load_program,
)
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import ChartAxis, linear_axis
from lnviz.lessons.charts import chart, line, norm_line, note, vline
from lnviz.lessons.data_parameters import tensor_literal, to_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import program_output
from lnviz.norms import LAYER, RMS, Normalized

UNITS = 32
EPS = 1e-5
DIGIT = 3  # the image whose pre-activations the row is
OFFSET = Slider.linear("offset", -2, 2, 0.02, 1)
CENTERED = Toggle(
    "row comes in",
    (
        Option("as-is", "mean kept", code="False"),
        Option("centered", "mean subtracted first", code="True"),
    ),
    "as-is",
)
DRAW = IntParameter("weights", "Seed", 0, MAX_SEED, 0, reroll_label="New weights")
EQUAL = 1e-5
"""The largest difference at which vectors count as equal: no more than rounding errors."""
HEIGHT = 300
CAPTIONS = load_captions(__file__)


@dataclass(frozen=True, eq=False)
class Rows:
    """A vector plus each constant (P), uncentered (0) and centered (1), before and after two norms.

    Attributes:
        x: the row before the norm.
        layer: the row after LayerNorm.
        rms: the row after RMSNorm.
    """

    x: Float[Tensor, "P 2 D"]
    layer: Normalized
    rms: Normalized


def build(weights: int = 0) -> Explorable:
    """Build charts of a digit's pre-activations plus a constant, after LayerNorm and RMSNorm."""
    row = drawn_row(weights)
    tensors = _tensors(rows(row))
    captions = CAPTIONS.render({"units": UNITS, "digit": DIGIT, "eps": f"{EPS:.5f}"})
    return Explorable(
        title=captions.title,
        controls=(OFFSET, CENTERED),
        tensors=tensors,
        views=((_rows(tensors), _means(float(row.mean()))), captions.readouts),
        code=load_program(__file__, row=f"torch.tensor({tensor_literal(row)})"),
        steps=captions.steps,
    )


def drawn_row(seed: int) -> Float[Tensor, " D"]:
    """Return the pre-activations of one digit in a layer with random weights."""
    return digits(seed=seed, examples=DIGIT + 1, features=UNITS).values[DIGIT].to(device())


def rows(row: Float[Tensor, " D"]) -> Rows:
    """Return a vector plus each constant, before and after LayerNorm and RMSNorm."""
    moved = row + to_tensor(OFFSET.values)[:, None]  # P,D
    x = torch.stack([moved, moved - moved.mean(-1, keepdim=True)], 1)  # P,2,D
    return Rows(x, LAYER.apply(x, "ND", eps=EPS), RMS.apply(x, "ND", eps=EPS))


def _tensors(normed: Rows) -> dict[str, SweptTensor]:
    over = (OFFSET.name, CENTERED.name)
    difference = (normed.layer.y - normed.rms.y).abs().amax(-1)
    numbers = {
        "x": normed.x,
        "layer": normed.layer.y,
        "rms": normed.rms.y,
        "mean": normed.x.mean(-1),
        "sigma": normed.layer.var[..., 0].sqrt(),
        "size": normed.rms.var[..., 0].sqrt(),
        "layer mean": normed.layer.y.mean(-1),
        "rms mean": normed.rms.y.mean(-1),
        "difference": difference.where(difference >= EQUAL, torch.nan),
    }
    return {name: SweptTensor(over, values, 3) for name, values in numbers.items()}


def component_axes(end: float) -> tuple[ChartAxis, ChartAxis]:
    """Return the axes for a chart of a vector: component numbers, and values around 0."""
    return linear_axis("unit", 0.4, UNITS + 0.6, padded=False), linear_axis("value", -end, end)


def _rows(tensors: dict[str, SweptTensor]) -> Chart:
    places = range(1, UNITS + 1)
    drawn = torch.stack([tensors[name].values for name in ("x", "layer", "rms")])
    return chart(
        "The vector plus {offset} ({row comes in}), before and after each norm",
        [
            line("before", "soft", places, "x", width=2),
            norm_line("rms", places, "rms"),
            norm_line("layer", places, "layer"),
        ],
        *component_axes(math.ceil(float(drawn.abs().max()))),
        f"A vector of {UNITS} values plus {{offset}}, {{row comes in}}: the mean "
        "is {mean:2}. After LayerNorm the mean is {layer mean:2}, after RMSNorm {rms mean:2}.",
        height=HEIGHT,
    )


def _means(mean: float) -> Chart:
    anchor = "left" if mean > 0 else "right"
    return chart(
        "The mean after each norm",
        [
            norm_line("rms", OFFSET, "rms mean"),
            norm_line("layer", OFFSET, "layer mean"),
            vline(-mean),
            note(-mean, 1.1, " input’s mean is 0 ", above=False, anchor=anchor, xref="x"),
        ],
        linear_axis(OFFSET.name, OFFSET.values[0], OFFSET.values[-1]),
        linear_axis("mean", -1.1, 1.1, padded=False),
        "The mean after each norm against the offset, {row comes in}. At "
        "{offset} it is {layer mean:2} after LayerNorm and {rms mean:2} after RMSNorm.",
        height=HEIGHT,
    )


FIGURE = FigureSpec("offset", build, (DRAW,), program_output=program_output("layer", "rms"))
