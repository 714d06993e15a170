"""One vector, multiplied by a scale factor, after two norms and an elementwise function."""

from __future__ import annotations

from itertools import cycle

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.data.examples import worked_example
from lnviz.device import device
from lnviz.explorable import Chart, Explorable, IntParameter, Slider, SweptTensor, load_program
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import ChartTrace, chart, drawing_order, norm_line, points
from lnviz.lessons.data_parameters import tensor_literal, to_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import program_output
from lnviz.topics.successors import NORMS, Curves, curves, treats_units_alike

STEPS = 20  # of the slider, to a factor of two
LARGE = Slider(
    "input scale",
    tuple(round(2 ** (i / STEPS), 3) for i in range(-3 * STEPS, 3 * STEPS + 1)),
    2.0,
    log=True,
)
CASE = IntParameter("case", "Example", 1, len(worked_example().values), 1)
POINTS = 81
TOP = 3.0  # upper end of the charts; larger values are not drawn
CUT = 0.95  # value from which tanh counts as saturated
HEIGHT = 320
SHOWN = {
    "Normalized by shared statistics": ("layer", "rms"),
    "Elementwise": ("none", "dyt"),
}
"""The norms that each chart shows, keyed by the chart's title."""
SYMBOLS = dict(
    zip(
        (key for key in NORMS if not treats_units_alike(key)),
        cycle(("square", "cross", "diamond", "triangle-up", "star", "hexagon")),
        strict=False,
    )
)
"""Marker symbols of norms that do not treat all units the same, and so have no curve."""
CAPTIONS = load_captions(__file__)


def build(case: int = 1) -> Explorable:
    """Build two charts of units after normalization: one of norms, one of elementwise functions."""
    batch, computed = compute_curves(case)
    once = computed.outputs["dyt"][LARGE.index(1.0)].square().mean().sqrt()
    captions = CAPTIONS.render(
        {
            "units": len(computed.x),
            "top": f"{TOP:g}",
            "cut": f"{CUT:g}",
            "once": once.item(),
        }
    )
    return Explorable(
        title=captions.title,
        controls=(LARGE,),
        tensors=_tensors(computed),
        views=(
            tuple(
                draw_curves(title, keys, computed, size=7, height=HEIGHT)
                for title, keys in SHOWN.items()
            ),
            captions.readouts,
        ),
        code=load_program(__file__, x=f"torch.tensor({tensor_literal(batch[case - 1])})"),
        steps=captions.steps,
    )


def compute_curves(case: int) -> tuple[Float[Tensor, "N D"], Curves]:
    """Return the worked example, and the outputs of each norm for one of its rows at each scale."""
    batch = worked_example().values.to(device())
    reach = 1.15 * float(batch[case - 1].abs().max())
    along = torch.linspace(-reach, reach, POINTS, device=batch.device)
    return batch, curves(batch, case - 1, to_tensor(LARGE.values), along)


def inside(values: Tensor) -> Tensor:
    """Return the values with NaN in place of those outside the charts' range."""
    return values.where(values.abs() <= TOP, torch.nan)


def _tensors(computed: Curves) -> dict[str, SweptTensor]:
    over = (LARGE.name,)
    tensors = {}
    for key in (key for keys in SHOWN.values() for key in keys):
        y = computed.outputs[key]
        tensors[f"{key} units"] = SweptTensor(over, inside(y), 3)
        tensors[f"{key} size"] = SweptTensor(over, y.square().mean(1).sqrt(), 3)
        tensors[f"{key} curve"] = SweptTensor(over, inside(computed.functions[key]), 3)
    flat = (computed.outputs["dyt"].abs() > CUT).sum(1)
    return tensors | {"flat": SweptTensor(over, flat, 0)}


def draw_curves(
    title: str, keys: tuple[str, ...], computed: Curves, *, size: int, height: int
) -> Chart:
    """Draw the units after each norm as dots, on a curve if the norm treats all units the same.

    Args:
        title: The title.
        keys: The norms, in order.
        computed: The units after each norm.
        size: The width of a dot on a curve, in pixels.
        height: The height in CSS pixels.
    """
    parts: list[list[ChartTrace]] = []
    for key in drawing_order(keys):
        label, x, y = NORMS[key].label, computed.x, f"{key} units"
        if key in computed.functions:
            parts.append(norm_line(key, computed.along, f"{key} curve"))
            parts.append(points(label, key, x, y, size, showlegend=False))
        else:
            parts.append(points(label, key, x, y, 10, marker_style={"symbol": SYMBOLS[key]}))
    reach = float(computed.along.max())
    sizes = "; ".join(f"{NORMS[key].label} {{{key} size:2}}" for key in keys)
    return chart(
        title,
        parts,
        linear_axis("input before scaling", -reach, reach, padded=False),
        linear_axis("output", -1.05 * TOP, 1.05 * TOP, padded=False),
        "What becomes of each input value, at input scale {input scale}. RMS of the outputs: "
        f"{sizes}.",
        height=height,
    )


FIGURE = FigureSpec(
    "curves", build, (CASE,), program_output=program_output("layer units", "rms units", "dyt units")
)
