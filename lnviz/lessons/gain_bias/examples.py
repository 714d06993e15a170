"""Three examples of different scale: before and after standardization, and after gain and bias."""

from __future__ import annotations

from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.data.examples import worked_example
from lnviz.explorable import Chart, Choice, Explorable, Option, Slider, SweptTensor, load_program
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import chart, points
from lnviz.lessons.data_parameters import tensor_literal, to_tensor
from lnviz.lessons.gain_bias.line import EPS
from lnviz.lessons.gain_bias.views import EDGE, lanes
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import program_output
from lnviz.norms import LAYER, normalize

FACTORS = (0.3, 1.0, 3.0)
"""Factors on the first examples of the previous lesson, so that their scales differ."""
FEATURE = 1  # the index of the feature with a gain and bias of its own
GAIN = replace(Slider.linear("gain", -2, 2, 0.1, 2.0), url_name="shared-gain")
BIAS = replace(Slider.linear("bias", -2, 2, 0.1, 1.0), url_name="shared-bias")
TARGET = Choice(
    "applied to",
    (
        Option("all", "all features", code="slice(None)"),
        Option("one", f"feature {FEATURE + 1}", code=f"{FEATURE}"),
    ),
    "all",
)
OVER = (TARGET.name, GAIN.name, BIAS.name)
HEIGHT, TICKS, SIDE = 80, 18, 150  # of charts, ticks and names of number lines, CSS pixels
REACH = 7.4  # of the axes
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build the number lines of three examples, standardized, scaled and shifted together."""
    x = _inputs()
    said = CAPTIONS.render({"feature": FEATURE + 1, "eps": EPS})
    return Explorable(
        title=said.title,
        controls=(GAIN, BIAS, TARGET),
        tensors=_tensors(x),
        views=(*((each,) for each in _charts(x)), said.readouts),
        code=load_program(__file__, x=f"torch.tensor({tensor_literal(x)})"),
        steps=said.steps,
    )


def _inputs() -> Float[Tensor, "N D"]:
    """Return the three examples before standardization."""
    return worked_example().values[: len(FACTORS)] * torch.tensor(FACTORS)[:, None]


def _tensors(x: Float[Tensor, "N D"]) -> dict[str, SweptTensor]:
    """Return the examples at every gain and bias, which act on all features or on one feature."""
    gains, biases = to_tensor(GAIN.values)[:, None], to_tensor(BIAS.values)
    width = x.shape[1]
    moved = torch.stack([torch.ones(width), torch.eye(width)[FEATURE]]).to(gains.device)
    moved = moved[:, None, None]  # targets,G,B,D
    gain = 1 + (gains[..., None] - 1) * moved
    bias = biases[..., None] * moved
    result = normalize(x.to(gains.device), -1, eps=EPS)
    y = gain[..., None, :] * result.x_hat + bias[..., None, :]  # targets,G,B,N,D
    tensors = {"y": SweptTensor(OVER, y, 2)}
    for name, at, of in (("x", (), x), ("x_hat", (), result.x_hat), ("y", OVER, y)):
        for example, values in enumerate(of.unbind(-2), 1):
            tensors[f"{name} {example}"] = SweptTensor(at, values, 3)
            sd = values.std(-1, correction=0)
            tensors[f"{name} sd {example}"] = SweptTensor(at, sd, 2)
            tensors[f"{name} mean {example}"] = SweptTensor(at, values.mean(-1), 2)
    target = torch.tensor([True, False], device=y.device)[:, None, None].expand(y.shape[:3])
    for name, holds in (("together", target), ("alone", ~target)):
        tensors[name] = SweptTensor(OVER, torch.where(holds, 1.0, torch.nan))
    return tensors


def _charts(x: Float[Tensor, "N D"]) -> tuple[Chart, ...]:
    deviations = x.std(-1, correction=0).tolist()
    return (
        _number_lines(
            "Before standardization", "x", "none", x, [f"SD {sd:.1f}" for sd in deviations]
        ),
        _number_lines("After standardization", "x_hat", LAYER.key, x, ["SD 1.0"] * len(x)),
        _number_lines(
            "After gain and bias: × {gain}, + {bias}, on {applied to}",
            "y",
            LAYER.key,
            x,
            [""] * len(x),
            with_ticks=True,
        ),
    )


def _number_lines(
    title: str,
    tensor: str,
    color: str,
    x: Float[Tensor, "N D"],
    deviations: list[str],
    *,
    with_ticks: bool = False,
) -> Chart:
    """Draw a number line for each example, with a dot for each feature."""
    count, width = x.shape
    names = {
        count - 1 - example: f"example {example + 1}" + (f", {sd}" if sd else "")
        for example, sd in enumerate(deviations)
    }
    dots = [
        points(
            "",
            color,
            f"{tensor} {example + 1}",
            [count - 1 - example + lane for lane in lanes(values, 0.25)],
            13,
            marker_style=EDGE,
            mode="markers+text",
            text=[str(feature) for feature in range(1, width + 1)],
            textfont={"color": "var(--ln-on-accent)", "size": 9},
        )
        for example, values in enumerate(x)
    ]
    ends = "; ".join(
        f"example {example} has mean {{{tensor} mean {example}:2}} and standard deviation "
        f"{{{tensor} sd {example}:2}}"
        for example in range(1, count + 1)
    )
    return chart(
        title,
        dots,
        linear_axis(
            "",
            -REACH,
            REACH,
            padded=False,
            zerolinewidth=2,
            automargin=False,
            showticklabels=with_ticks,
        ),
        linear_axis(
            "", -0.5, count - 0.5, padded=False, ticks=names, zeroline=False, automargin=False
        ),
        f"{title}, a number line per example: {ends}.",
        height=HEIGHT + TICKS * with_ticks,
        legend=False,
        margin={"l": SIDE, "r": 8, "t": 2, "b": 4 + TICKS * with_ticks},
    )


FIGURE = FigureSpec("examples", build, program_output=program_output("y"))
