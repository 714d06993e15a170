"""The home page's figure of one example, shifted and scaled, before and after LayerNorm."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Explorable, Slider, SweptTensor, load_program
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import ChartTrace, chart, line, points
from lnviz.lessons.data_parameters import load_examples, tensor_literal, to_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import program_output
from lnviz.norms import LAYER, NONE, normalize

EPS = 1e-5
UNITS = 6
CAPTIONS = load_captions(__file__)
# Not at 0 and 1, so that the two rows differ from the start.
SHIFT = Slider.linear("shift", -3, 3, 0.04, 2)
SCALE = Slider.linear("scale", 0.2, 2, 0.02, 1.5)
BEFORE, AFTER = 1.0, 0.0  # y of the two rows
LANE = 0.07
PADDING = 0.5  # padding of the axis beyond the sliders' range


def build() -> Explorable:
    """Build the figure of a digit's features, shifted and scaled, before and after LayerNorm."""
    example = load_examples("digits", 0, units=UNITS)
    shifts, scales = to_tensor(SHIFT.values), to_tensor(SCALE.values)
    x = scales[:, None] * example.values[0] + shifts[:, None, None]  # shifts, scales, units
    result = normalize(x, -1, eps=EPS)
    over = ("shift", "scale")
    captions = CAPTIONS.render()
    tensors = {
        "x": SweptTensor(over, x, 2),
        "y": SweptTensor(over, result.y, 2),
        "threads": SweptTensor(over, _connecting_lines(x, result.y), 2),
        "mean": SweptTensor(over, result.mean.squeeze(-1), 2),
        "std": SweptTensor(over, result.var.sqrt().squeeze(-1), 2),
        "mean after": SweptTensor(over, result.y.mean(-1), 2),
        "std after": SweptTensor(over, result.y.std(-1, correction=0), 2),
    }
    return Explorable(
        title=captions.title,
        controls=(SHIFT, SCALE),
        tensors=tensors,
        views=((_rows(x, result.y, example.feature_labels),), captions.readouts),
        code=load_program(__file__, example=f"torch.tensor({tensor_literal(example.values[0])})"),
    )


def _connecting_lines(
    x: Float[Tensor, "*state units"], y: Float[Tensor, "*state units"]
) -> Float[Tensor, "*state ends"]:
    """Return line coordinates from each value to its normalized value, separated by NaN."""
    ends = torch.stack([x, y, torch.full_like(x, torch.nan)], -1)  # *state, units, 3
    return ends.flatten(-2)


def _rows(
    x: Float[Tensor, "*state units"], y: Float[Tensor, "*state units"], labels: tuple[str, ...]
) -> Chart:
    lanes = [LANE * (1 if unit % 2 else -1) for unit in range(UNITS)]  # neighbors do not overlap
    ends = [place for lane in lanes for place in (BEFORE + lane, AFTER + lane, math.nan)]
    low, high = (float(of(torch.stack([x, y]))) for of in (torch.min, torch.max))
    return chart(
        "Six numbers of one example, before LayerNorm and after it",
        [
            line("", "soft", "threads", ends, width=1, opacity=0.6),
            _dots(NONE.key, "x", [BEFORE + lane for lane in lanes], labels, draggable=SHIFT),
            _dots(LAYER.key, "y", [AFTER + lane for lane in lanes], labels),
        ],
        linear_axis("value", low - PADDING, high + PADDING, padded=False, zerolinewidth=2),
        linear_axis(
            "",
            AFTER - 0.3,
            BEFORE + 0.3,
            padded=False,
            ticks={AFTER: "after", BEFORE: "before"},
            zeroline=False,
            showgrid=False,
        ),
        "Two rows of six dots. Before LayerNorm they lie around {mean}, with standard deviation "
        "{std}. After it they lie around {mean after}, with standard deviation {std after}, and "
        "do not move.",
        height=300,
        legend=False,
    )


def _dots(
    token: str,
    x: str,
    heights: list[float],
    labels: tuple[str, ...],
    draggable: Slider | None = None,
) -> list[ChartTrace]:
    return points(
        LAYER.label,
        token,
        x,
        heights,
        20,
        draggable=draggable,
        marker_style={"line": {"color": "var(--ln-page)", "width": 1}},
        mode="markers+text",
        text=labels,
        textfont={"color": "var(--ln-on-accent)", "size": 12},
    )


FIGURE = FigureSpec("shift", build, program_output=program_output("y"))
