"""The scatter figure of /batch: errors of a batch's mean and variance, by batch size."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.data.examples import DIGIT_COUNT, digit_images, digits
from lnviz.explorable import Chart, Explorable, Slider, SweptTensor, load_program
from lnviz.lessons.batch.drawn import BATCHES, EPOCHS, SIZES, UNITS
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import linear_axis, log_axis
from lnviz.lessons.charts import Mark, chart, line
from lnviz.lessons.lesson import FigureSpec
from lnviz.topics.batch.noise import epoch_orders, estimate_by_batch_size

SIZE = Slider("examples in a batch", tuple(map(float, SIZES)), 16.0, decimals=0)
WIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
ORDERS = ("shuffled", "sorted by class")
HOLLOW = Mark("circle-open")
LEVEL, TURN = 16, 128  # batch sizes between which sorted examples hardly help
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build charts of the errors of batch statistics, for data shuffled or sorted by class."""
    x = digits(examples=DIGIT_COUNT, features=UNITS).values[:, 0]
    tensors = _tensors(x, digit_images().targets)
    captions = CAPTIONS.render(
        {
            "batches": BATCHES,
            "examples": len(x),
            "level": LEVEL,
            "turn": TURN,
            "class": len(x) / len(digit_images().targets.unique()),
        }
    )
    return Explorable(
        title=captions.title,
        controls=(SIZE,),
        tensors=tensors,
        views=((_means(), _variances()), captions.readouts),
        code=load_program(__file__),
    )


def _tensors(x: Float[Tensor, " N"], classes: Int[Tensor, " N"]) -> dict[str, SweptTensor]:
    """Return errors of batch means, and batch variances over the true variance, by batch size."""
    std, mean = torch.std_mean(x, correction=0)
    tensors: dict[str, Tensor] = {}
    for name, groups in zip(ORDERS, (torch.zeros_like(classes), classes), strict=True):
        order = epoch_orders(groups, EPOCHS, torch.Generator().manual_seed(0))
        found = estimate_by_batch_size(x[order], SIZES, BATCHES)  # sizes,batches
        off = ((found.mean - mean) / std).square().mean(-1).sqrt()
        tensors |= {name: off, f"{name} log": off.log10()}
        tensors[f"{name} ratio"] = (found.var / std.square()).mean(-1)
    sizes = torch.tensor(SIZES)
    tensors["root"] = sizes.rsqrt()
    tensors["finite"] = sizes.rsqrt() * ((len(x) - sizes) / (len(x) - 1)).sqrt()
    return {name: SweptTensor((SIZE.name,), values, 4) for name, values in tensors.items()}


def _means() -> Chart:
    root = torch.tensor(SIZE.values).rsqrt().log10()
    return chart(
        "How far the mean is off",
        [
            line("1/√N", "ink", SIZE, root, width=1.5, dash="dot", mark=None),
            line("sorted", "batch", SIZE, f"{ORDERS[1]} log", dash="dash", mark=HOLLOW),
            line(ORDERS[0], "batch", SIZE, f"{ORDERS[0]} log"),
        ],
        log_axis("examples N", math.log10(SIZES[0]), math.log10(SIZES[-1]), ticks=WIDTHS),
        log_axis("in σ", math.log10(0.045), math.log10(1.3), ticks=(0.05, 0.1, 0.2, 0.5, 1.0)),
        "The error of a batch’s mean by batch size, on logarithmic axes. At batch size "
        "{examples in a batch}, it is {shuffled:3} shuffled and {sorted by class:3} sorted by "
        "class; 1/√N is {root:3}, and {finite:3} if no image comes twice.",
        height=330,
    )


def _variances() -> Chart:
    return chart(
        "The variance, relative to the true variance",
        [
            line("sorted", "batch", SIZE, f"{ORDERS[1]} ratio", dash="dash", mark=HOLLOW),
            line(ORDERS[0], "batch", SIZE, f"{ORDERS[0]} ratio"),
        ],
        linear_axis("examples N", SIZES[0], SIZES[-1]),
        linear_axis("mean over the batches", 0, 1.1),
        "A batch’s biased variance, divided by the overall variance, mean over the batches. At "
        "batch size {examples in a batch}, it is {shuffled ratio:2} shuffled and "
        "{sorted by class ratio:2} sorted.",
        height=330,
    )


FIGURE = FigureSpec("scatter", build, cpu_seconds=0.5)
