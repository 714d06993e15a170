"""pRMSNorm, which estimates the RMS from a vector's first components only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Slider, SweptTensor, load_program
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import chart, line, norm_line
from lnviz.lessons.data_parameters import tensor_literal, to_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.lessons.rmsnorm.offset import DRAW, EPS, HEIGHT, UNITS, component_axes, drawn_row
from lnviz.norms.partial import partial_rms_norm

BEYOND = 5.0
"""The value at which the axis ends; larger values are drawn at its end."""
FRACTION = Slider(
    "fraction",
    tuple(k / UNITS for k in range(1, UNITS + 1)),
    2 / UNITS,
    decimals=4,
    url_name="share",
)
ROW = replace(DRAW, name="row")
CAPTIONS = load_captions(__file__)


def build(row: int = 0) -> Explorable:
    """Build charts of a vector after pRMSNorm and RMSNorm, for every number of components used."""
    drawn = drawn_row(row)
    tensors = _tensors(drawn)
    captions = CAPTIONS.render({"units": UNITS, "beyond": BEYOND})
    return Explorable(
        title=captions.title,
        controls=(FRACTION,),
        tensors=tensors,
        views=((_values(), _estimates(tensors)), captions.readouts),
        code=load_program(__file__, row=f"torch.tensor({tensor_literal(drawn)})"),
    )


def _tensors(row: Float[Tensor, " D"]) -> dict[str, SweptTensor]:
    over = (FRACTION.name,)
    part = partial_rms_norm(row, eps=EPS)
    estimate = part.var[..., 0].sqrt()  # D
    size = estimate[-1]
    factor = ((size**2 + EPS) / (estimate**2 + EPS)).sqrt()
    outside = (part.y.abs() > BEYOND).any(-1)
    return {
        "partial": SweptTensor(over, part.y.clamp(-BEYOND, BEYOND), 2),
        "rms": SweptTensor((), part.y[-1], 3),
        "size": SweptTensor((), size, 3),
        "all": SweptTensor((), size.repeat(2), 3),
        "estimate": SweptTensor(over, estimate, 3),
        "factor": SweptTensor(over, factor, 2),
        "count": SweptTensor(over, UNITS * to_tensor(FRACTION.values), 0),
        "outside": SweptTensor(over, torch.ones_like(factor).where(outside, torch.nan), 0),
    }


def _values() -> Chart:
    places = range(1, UNITS + 1)
    return chart(
        "The vector after pRMSNorm and after RMSNorm",
        [
            norm_line("rms", places, "rms"),
            line("pRMSNorm", "ink", places, "partial", width=2, dash="dot"),
        ],
        *component_axes(BEYOND),
        "A vector after RMSNorm and after pRMSNorm, which reads a fraction {fraction} of it: each "
        "of pRMSNorm’s outputs is {factor:2} times RMSNorm’s.",
        height=HEIGHT,
    )


def _estimates(tensors: dict[str, SweptTensor]) -> Chart:
    ends = [FRACTION.values[0], FRACTION.values[-1]]
    most = float(tensors["estimate"].values.max())
    return chart(
        "The estimated root mean square, by the fraction of components",
        [
            line("first components", "ink", FRACTION, "estimate", dash="dot", width=2),
            line("all components", "rms", ends, "all"),
        ],
        linear_axis("fraction of the components", 0, 1.03, padded=False),
        linear_axis("root mean square", 0, math.ceil(most), padded=False),
        "How well a part of the vector estimates its root mean square: {estimate:2} from a "
        "fraction {fraction} of it, {size:2} from all components.",
        height=HEIGHT,
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    rms, some = printed
    yield rms, shown.lookup("rms", state)
    yield some.clamp(-BEYOND, BEYOND), shown.lookup("partial", state)


FIGURE = FigureSpec("partial", build, (ROW,), program_output=ProgramOutput(_printed))
