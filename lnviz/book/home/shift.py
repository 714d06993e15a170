"""The home page's figure of LayerNorm's four steps, on six values of one example."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import (
    Chart,
    Choice,
    Explorable,
    Option,
    Slider,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import ChartTrace, chart, line, points
from lnviz.lessons.data_parameters import load_examples, tensor_literal, to_tensor
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import program_output
from lnviz.norms import LAYER, NONE, normalize
from lnviz.number_format import number

EPS = 1e-5
UNITS = 6
CAPTIONS = load_captions(__file__)
MEAN, VARIANCE, DIVIDE, AFFINE = "mean", "variance", "divide", "gain and bias"
STEP = Choice(
    "step",
    (
        Option(MEAN, MEAN, code="x - mean"),
        Option(VARIANCE, VARIANCE, code="x - mean"),
        Option(DIVIDE, DIVIDE, code="x_hat"),
        Option(AFFINE, AFFINE, code="gain * x_hat + bias"),
    ),
    MEAN,
)
# Not at 0 and 1, so that the two rows differ from the start.
SHIFT = Slider.linear("shift", -3, 3, 0.1, 2)
SCALE = Slider.linear("scale", 0.2, 2, 0.05, 1.5)
GAIN = torch.tensor([0.5, 1.5, 1.0, 0.8, 1.2, 2.0])
BIAS = torch.tensor([0.5, -1.0, 0.0, 0.2, 1.0, -0.5])
BEFORE, AFTER = 1.0, 0.0  # y of the two rows
LANE = 0.07
SPREAD_Y = AFTER - 0.2  # y of the bar that shows the standard deviation
PADDING = 0.5  # padding of the axis beyond the sliders' range


def build() -> Explorable:
    """Build the figure of a digit's six features before LayerNorm and after each of its steps."""
    example = load_examples("digits", 0, units=UNITS)
    shifts, scales = to_tensor(SHIFT.values), to_tensor(SCALE.values)
    x = scales[:, None] * example.values[0] + shifts[:, None, None]  # shifts, scales, units
    result = normalize(x, -1, gain=GAIN, bias=BIAS, eps=EPS)
    std = result.var.sqrt()
    after = torch.stack([x - result.mean, x - result.mean, result.x_hat, result.y])
    spread = torch.stack([torch.full_like(std, math.nan), std, torch.ones_like(std)])
    spread = torch.cat([spread, spread[:1]])  # step, shifts, scales, 1
    input_controls = (SHIFT.name, SCALE.name)
    controls = (STEP.name, *input_controls)
    captions = CAPTIONS.render(
        {
            "gain": number(float(GAIN[0]), "g"),
            "bias": number(float(BIAS[0]), "g"),
            "gains": _listed(GAIN),
            "biases": _listed(BIAS),
        }
    )
    tensors = {
        "x": SweptTensor(input_controls, x, 2),
        "after": SweptTensor(controls, after, 2),
        "threads": SweptTensor(controls, _connecting_lines(x.expand_as(after), after), 2),
        "spread": SweptTensor(controls, torch.cat([-spread, spread], -1), 2),
        "mean": SweptTensor(input_controls, result.mean.squeeze(-1), 2),
        "var": SweptTensor(input_controls, result.var.squeeze(-1), 2),
        "std": SweptTensor(input_controls, std.squeeze(-1), 2),
        "mean after": SweptTensor(input_controls, result.x_hat.mean(-1), 2),
        "std after": SweptTensor(input_controls, result.x_hat.std(-1, correction=0), 2),
        "x_hat 1": SweptTensor(input_controls, result.x_hat[..., 0], 2),
        "y 1": SweptTensor(input_controls, result.y[..., 0], 2),
    }
    for unit in range(UNITS):
        tensors |= {
            f"x {unit + 1}": SweptTensor(input_controls, x[..., unit], 2),
            f"c {unit + 1}": SweptTensor(input_controls, after[0, ..., unit], 2),
        }
    return Explorable(
        title=captions.title,
        controls=(STEP, SHIFT, SCALE),
        tensors=tensors,
        views=((_rows(x, after, example.feature_labels),), captions.readouts),
        code=load_program(
            __file__,
            example=f"torch.tensor({tensor_literal(example.values[0])})",
            gain=f"torch.tensor({tensor_literal(GAIN)})",
            bias=f"torch.tensor({tensor_literal(BIAS)})",
        ),
        steps=captions.steps,
    )


def _listed(values: Float[Tensor, " units"]) -> str:
    return ", ".join(number(value, "g2") for value in values.tolist())


def _connecting_lines(
    x: Float[Tensor, "*state units"], y: Float[Tensor, "*state units"]
) -> Float[Tensor, "*state ends"]:
    """Return line coordinates from each value to its result, separated by NaN."""
    ends = torch.stack([x, y, torch.full_like(x, torch.nan)], -1)  # *state, units, 3
    return ends.flatten(-2)


def _rows(
    x: Float[Tensor, "*state units"],
    after: Float[Tensor, "step *state units"],
    labels: tuple[str, ...],
) -> Chart:
    lanes = [LANE * (1 if unit % 2 else -1) for unit in range(UNITS)]  # neighbors do not overlap
    ends = [place for lane in lanes for place in (BEFORE + lane, AFTER + lane, math.nan)]
    lows, highs = zip(*(values.aminmax() for values in (x, after)), strict=True)
    return chart(
        "Six values of one example, before LayerNorm and after this step",
        [
            line("", "soft", "threads", ends, width=1, opacity=0.6),
            line("", "ink", "spread", [SPREAD_Y, SPREAD_Y], width=4),
            _dots(NONE.key, "x", [BEFORE + lane for lane in lanes], labels, draggable=SHIFT),
            _dots(LAYER.key, "after", [AFTER + lane for lane in lanes], labels),
        ],
        linear_axis(
            "value",
            float(min(lows)) - PADDING,
            float(max(highs)) + PADDING,
            padded=False,
            zerolinewidth=2,
        ),
        linear_axis(
            "",
            AFTER - 0.3,
            BEFORE + 0.3,
            padded=False,
            ticks={AFTER: "after", BEFORE: "before"},
            zeroline=False,
            showgrid=False,
        ),
        "Two rows of six dots. The upper row, before LayerNorm, lies around {mean}, with standard "
        "deviation {std}. The lower row is after the step {step}. A bar below it reaches one "
        "standard deviation to either side.",
        height=270,
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


FIGURE = FigureSpec("shift", build, program_output=program_output("after"))
