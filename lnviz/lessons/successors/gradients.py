"""Backpropagation through a norm, with and without the derivatives of its statistics."""

from __future__ import annotations

import torch

from lnviz.data.examples import MAX_SEED, digits
from lnviz.device import device
from lnviz.explorable import (
    Chart,
    Choice,
    Explorable,
    IntParameter,
    Option,
    Slider,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import bars, chart, points
from lnviz.lessons.data_parameters import tensor_literal, to_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import program_output
from lnviz.number_format import number
from lnviz.topics.successors import VARIANTS, Backward, backward

EQUAL = Slider.linear("equal part", -2, 2, 0.1, 1)
PARALLEL = Slider.linear("parallel part", -2, 2, 0.1, -1.5)
VARIANT = Choice(
    "variant",
    tuple(Option(key, variant.label, code=repr(key)) for key, variant in VARIANTS.items()),
    "both",
)
SEED = IntParameter("gradient", "Seed", 0, MAX_SEED, 0, reroll_label="New gradient")
UNITS = 12
IMAGE = 3
OVER = (EQUAL.name, PARALLEL.name)
PARTS = {"mean": ("mean", "circle", "ink"), "parallel": ("along x̂", "diamond", "soft")}
HEIGHT = 320
CAPTIONS = load_captions(__file__)


def build(gradient: int = 0) -> Explorable:
    """Build charts of the gradient at a norm's output and input, and of two of its components."""
    x = digits(features=UNITS).values[IMAGE].to(device())
    back = backward(x, to_tensor(EQUAL.values), to_tensor(PARALLEL.values), seed=gradient)
    start = (EQUAL.index(0.0), PARALLEL.index(0.0))
    captions = CAPTIONS.render({"sigma": number(float(back.sigma), "3")})
    return Explorable(
        title=captions.title,
        controls=(EQUAL, PARALLEL, VARIANT),
        tensors=_tensors(back),
        views=((_bars(back), _parts(back)), captions.readouts),
        code=load_program(
            __file__,
            x=f"torch.tensor({tensor_literal(x)})",
            rest=f"torch.tensor({tensor_literal(back.arriving[start])})",
            gain=f"torch.tensor({tensor_literal(back.gain)})",
        ),
    )


def _tensors(back: Backward) -> dict[str, SweptTensor]:
    over = (*OVER, VARIANT.name)
    stacked = torch.stack([back.gradients[key] for key in VARIANTS], 2)  # E,P,V,D
    tensors = {
        "arriving": SweptTensor(OVER, back.arriving, 3),
        "arriving size": SweptTensor(OVER, back.arriving.square().mean(-1).sqrt(), 3),
        "arriving mean": SweptTensor(OVER, back.arriving.mean(-1), 3),
        "arriving parallel": SweptTensor(OVER, (back.arriving * back.x_hat).mean(-1), 3),
        "gradient": SweptTensor(over, stacked, 2),
        "size": SweptTensor(over, torch.stack([back.size(key) for key in VARIANTS], -1), 3),
    }
    for part in PARTS:
        values = torch.stack([getattr(back, part)(key) for key in VARIANTS], -1)  # E,P,V
        tensors[part] = SweptTensor(over, values, 3)
        tensors[f"{part} of all"] = SweptTensor(OVER, values, 3)
        for at, key in enumerate(VARIANTS):
            tensors[f"{part} {key}"] = SweptTensor(OVER, values[..., at], 3)
    return tensors


def _bars(back: Backward) -> Chart:
    units = [str(unit) for unit in range(1, len(back.x) + 1)]
    top = max(float(v.abs().max()) for v in (back.arriving, *back.gradients.values()))
    return chart(
        "The gradient, unit by unit: {variant}",
        [
            bars("at the norm’s output", "soft", units, "arriving"),
            bars("at its input", "layer", units, "gradient"),
        ],
        linear_axis("unit", type="category"),
        linear_axis("gradient", -1.03 * top, 1.03 * top, padded=False),
        "What becomes of a gradient on its way back through {variant}, unit by unit: its RMS is "
        "{arriving size:2} at the norm’s output and {size:2} at its input. At the output, the "
        "equal part is {equal part} and the parallel part {parallel part}.",
        height=HEIGHT,
        bargap=0.25,
    )


def _parts(back: Backward) -> Chart:
    labels = [variant.label for variant in VARIANTS.values()]
    dots_of = []
    for part, (name, symbol, token) in PARTS.items():
        size, look = 13 if part == "mean" else 10, {"symbol": symbol}
        dots_of.append(
            points(name, token, f"{part} of all", range(len(labels)), size, marker_style=look)
        )
    top = max(float(getattr(back, part)(key).abs().max()) for part in PARTS for key in VARIANTS)
    parts = "; ".join(
        f"{variant.label} {{mean {key}:2}} and {{parallel {key}:2}}"
        for key, variant in VARIANTS.items()
    )
    ticks = dict(enumerate(labels))
    return chart(
        "Equal and parallel part, for every variant",
        dots_of,
        linear_axis("part of the gradient at the input", -1.1 * top, 1.1 * top, padded=False),
        linear_axis("", len(labels) - 0.5, -0.5, padded=False, ticks=ticks, zeroline=False),
        "What each variant leaves of the two parts, as the gradient’s mean and its part along x̂. "
        f"From an equal part of {{equal part}} and a parallel part of {{parallel part}}: {parts}.",
        height=HEIGHT,
    )


FIGURE = FigureSpec(
    "gradients", build, (SEED,), cpu_seconds=0.7, program_output=program_output("gradient")
)
