"""The landscape figure of /geometry: the loss along the gradient, during training on digits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import (
    Chart,
    EnumParameter,
    Explorable,
    Option,
    Slider,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import linear_axis, short_log_axis
from lnviz.lessons.charts import Mark, chart, marker, norm_line
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import Pairs, ProgramOutput, State
from lnviz.number_format import number
from lnviz.topics.geometry.downhill import LENGTHS, Downhill, Recipe
from lnviz.topics.geometry.landscape import NORMS, RATES, stored_profile

STEPS = Recipe().steps
AT = Slider("training step", tuple(float(step) for step in range(STEPS)), 20.0, decimals=0)
WINDOW = 21
"""The number of steps in each running median."""

PIXELS = EnumParameter(
    "pixels", "Pixels", (Option("raw", "as they are"), Option("centered", "centered")), "raw"
)
RATE = EnumParameter(
    "rate", "Learning rate", tuple(Option(f"{r:g}", f"{r:g}") for r in RATES), "0.1"
)
CAPTIONS = load_captions(__file__)


def build(pixels: str = "raw", rate: str = "0.1") -> Explorable:
    """Build charts of the loss along the gradient at each training step, and of the loss range."""
    recipe = Recipe(rate=float(rate), centered=pixels == "centered")
    trainings = {norm.key: stored_profile(norm.key, recipe.rate, recipe.centered) for norm in NORMS}
    varies = {norm: (one.highest - one.lowest) for norm, one in trainings.items()}
    low = min(float(one.loss.min()) for one in trainings.values())
    high = max(float(one.loss.max()) for one in trainings.values())
    captions = CAPTIONS.render(
        {
            "steps": STEPS,
            "window": WINDOW,
            "varies": _medians(varies),
            "rough": _medians({norm: one.roughness for norm, one in trainings.items()}),
        }
    )
    return Explorable(
        title=captions.title,
        controls=(AT,),
        tensors=_tensors(trainings),
        views=(
            (_along(low, high), _variations(varies)),
            captions.readouts,
        ),
        code=load_program(__file__, center=repr(recipe.centered), rate=repr(recipe.rate)),
    )


def _tensors(trainings: Mapping[str, Downhill]) -> dict[str, SweptTensor]:
    tensors = {}
    for norm, one in trainings.items():
        tensors[f"{norm} loss"] = SweptTensor((AT.name,), one.loss.log10(), 3)
        tensors[f"{norm} low"] = SweptTensor((AT.name,), one.lowest)
        tensors[f"{norm} high"] = SweptTensor((AT.name,), one.highest)
        tensors[f"{norm} varies"] = SweptTensor((AT.name,), one.highest - one.lowest)
        tensors[f"{norm} roughness"] = SweptTensor((AT.name,), one.roughness)
    return tensors


def _list_norms(template: str) -> str:
    """Fill in a template for each norm, with its key and a phrase; join the results with commas."""
    *others, last = (
        template.format(norm.key, "without a norm" if norm.key == "none" else f"with {norm.label}")
        for norm in NORMS
    )
    return f"{', '.join(others)}, and {last}"


def _medians(values: Mapping[str, Float[Tensor, " steps"]]) -> str:
    shown = {norm: f"{number(float(one.median()), 'g3')}" for norm, one in values.items()}
    return ", ".join(
        f"{shown[norm.key]} {'without a norm' if norm.key == 'none' else f'with {norm.label}'}"
        for norm in NORMS
    )


def _along(low: float, high: float) -> Chart:
    return chart(
        "Loss along the gradient, at training step {training step}",
        [norm_line(norm.key, LENGTHS, f"{norm.key} loss") for norm in NORMS],
        linear_axis("distance, in training steps", LENGTHS[0], LENGTHS[-1]),
        short_log_axis("loss", low, high),
        f"The loss of a mini-batch along its gradient. {_NOW}",
        height=320,
    )


def _variations(varies: Mapping[str, Float[Tensor, " steps"]]) -> Chart:
    smooth = {norm: _smoothed(values) for norm, values in varies.items()}
    low = min(float(values.min()) for values in smooth.values())
    high = max(float(values.max()) for values in smooth.values())
    return chart(
        "How much the loss varies along the gradient",
        [
            *(norm_line(norm.key, AT, smooth[norm.key].log10(), mark=None) for norm in NORMS),
            marker(AT, math.log10(low), Mark("triangle-up")),
        ],
        linear_axis("training step", 0, STEPS - 1),
        short_log_axis("highest minus lowest loss", low, high),
        "How much the loss varies along the gradient, highest minus lowest, at each training "
        f"step. {_NOW}",
        height=320,
    )


def _smoothed(values: Float[Tensor, " steps"]) -> Float[Tensor, " steps"]:
    """Return running medians over the training steps; windows at the ends are shorter."""
    padded = torch.nn.functional.pad(values, (WINDOW // 2, WINDOW // 2), value=torch.nan)
    return padded.unfold(0, WINDOW, 1).nanmedian(-1).values


_NOW = (
    "At training step {training step}, the loss lies between "
    f"{_list_norms('{{{0} low:g3}} and {{{0} high:g3}} {1}')}."
)


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for curve, norm in zip(printed[0], ("none", "batch", "layer"), strict=True):
        yield curve.log10(), shown.lookup(f"{norm} loss", state)


FIGURE = FigureSpec("landscape", build, (PIXELS, RATE), program_output=ProgramOutput(_printed))
