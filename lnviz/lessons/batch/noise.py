"""The noise figure of /batch: one example in many batches, under BatchNorm and LayerNorm."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.data.examples import DIGIT_COUNT, MAX_SEED, digits
from lnviz.explorable import (
    Chart,
    EnumParameter,
    Explorable,
    IntParameter,
    Option,
    Slider,
    SweptTensor,
    load_program,
)
from lnviz.lessons.batch.drawn import BATCHES, EPOCHS, SIZES, UNITS
from lnviz.lessons.captions import CaptionVariant, load_captions
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import bars, chart, markers, points, vline
from lnviz.lessons.lesson import FigureSpec
from lnviz.norms import BATCH, LAYER
from lnviz.number_format import number
from lnviz.topics.batch.noise import (
    epoch_orders,
    estimate_by_batch_size,
    orders_from_example,
    outputs,
)

EPS = 1e-5
SEEN = 200  # batches with the one example
SIZE = Slider("batch size", tuple(map(float, SIZES)), 16.0, decimals=0)
# The first ten images are the digits 0 to 9.
DIGIT = EnumParameter(
    "digit", "The example", tuple(Option(str(n), f"digit {n}") for n in range(10)), "3"
)
DRAW = IntParameter("seed", "Seed", 0, MAX_SEED, 0, reroll_label="Other batches")
BINS = (-3.5, 3.5, 71)
"""The ends of the histogram, and the number of its bins."""
CAPTIONS = load_captions(__file__)


def build(digit: str = "3", seed: int = 0) -> Explorable:
    """Build charts of one example's outputs in random batches, and of the batch means."""
    x = digits(examples=DIGIT_COUNT, features=UNITS).values
    case = int(digit)
    layer = LAYER.apply(x[case], "D", eps=EPS).y[:2].tolist()
    whole = BATCH.apply(x[:, :2], "ND", eps=EPS).y[case].tolist()
    tensors = _outputs(x[:, :2], case, seed) | _means(x[:, 0], seed)
    reach = max(float(tensors[name].values.abs().max()) for name in ("across", "up"))
    captions = CAPTIONS.render(
        {
            "digit": digit,
            "seen": SEEN,
            "batches": BATCHES,
            "examples": len(x),
            "layer": number(layer[0], "2"),
        },
        {"more": (CaptionVariant({SIZE.name: tuple(size for size in SIZE.values if size > 2)}),)},
    )
    return Explorable(
        title=captions.title,
        controls=(SIZE,),
        tensors=tensors,
        views=(
            (_cloud(digit, layer, whole, 1.08 * max(reach, *map(abs, layer))), _histogram()),
            captions.readouts,
        ),
        code=load_program(__file__, digit=digit),
        steps=captions.steps,
    )


def _outputs(x: Float[Tensor, "N 2"], case: int, seed: int) -> dict[str, SweptTensor]:
    """Return the outputs of two units for one example, in random batches of each size."""
    together = torch.zeros(len(x), dtype=torch.long)  # the other examples are shuffled
    order = orders_from_example(together, case, SEEN, torch.Generator().manual_seed(seed))
    both = outputs(x[order], SIZES, EPS)  # sizes,batches,2
    over = (SIZE.name,)
    std, mean = torch.std_mean(both[..., 0], -1, correction=0)
    return {
        "across": SweptTensor(over, both[..., 0].contiguous(), 2),
        "up": SweptTensor(over, both[..., 1].contiguous(), 2),
        "out mean": SweptTensor(over, mean, 2),
        "out std": SweptTensor(over, std, 2),
    }


def _means(x: Float[Tensor, " N"], seed: int) -> dict[str, SweptTensor]:
    """Return histograms and spreads of batch means around the overall mean, by batch size."""
    order = epoch_orders(torch.zeros_like(x).long(), EPOCHS, torch.Generator().manual_seed(seed))
    off = (estimate_by_batch_size(x[order], SIZES, BATCHES).mean - x.mean()) / x.std(correction=0)
    return {
        "means": SweptTensor((SIZE.name,), _histogram_heights(off), 3),
        "spread": SweptTensor((SIZE.name,), off.square().mean(-1).sqrt(), 3),
    }


def _histogram_heights(values: Float[Tensor, "sizes batches"]) -> Float[Tensor, "sizes bins"]:
    """Return a histogram for each batch size, with highest bin 1 and outliers in the end bins."""
    low, high, count = BINS
    at = ((values - low) / (high - low) * count).long().clamp(0, count - 1)
    counts = torch.zeros(len(values), count).scatter_add_(-1, at, torch.ones_like(values))
    return counts / counts.amax(-1, keepdim=True)


def _cloud(digit: str, layer: list[float], whole: list[float], side: float) -> Chart:
    return chart(
        f"One image of a {digit}, in {SEEN} batches",
        [
            points(
                "BatchNorm, by batch", "batch", "across", "up", 6, marker_style={"opacity": 0.55}
            ),
            markers("ink", whole[:1], whole[1:], symbol="cross", name="BatchNorm, all data"),
            markers("layer", layer[:1], layer[1:], symbol="diamond", name="LayerNorm"),
        ],
        linear_axis("unit 1, after the norm", -side, side, padded=False),
        linear_axis("unit 2, after the norm", -side, side, padded=False),
        f"The outputs of two units for one image of a {digit}: a dot for each of {SEEN} batches of "
        "{batch size}. At unit 1, BatchNorm’s dots lie around {out mean:2}, ± {out std:2}; "
        f"LayerNorm’s all lie at {number(layer[0], '2')}.",
        height=330,
    )


def _histogram() -> Chart:
    low, high, count = BINS
    width = (high - low) / count
    return chart(
        "The mean of unit 1 in each batch",
        [
            bars("", "batch", [low + (at + 0.5) * width for at in range(count)], "means"),
            vline(0, "ink", 1.5),
        ],
        linear_axis(
            "distance from the overall mean, in σ", low, high, padded=False, zeroline=False
        ),
        linear_axis("number of batches", 0, 1.05, padded=False, showticklabels=False),
        f"Histogram over {BATCHES:,} batches of {{batch size}}: their means scatter by "
        "{spread:2} standard deviations around the overall mean.",
        height=330,
        legend=False,
        bargap=0.08,
    )


FIGURE = FigureSpec("noise", build, (DIGIT, DRAW), cpu_seconds=0.5)
